import { ConnectionError, CredentialsError } from '@toolwright/client'
import { CommandError, exitCodes } from '../command-error.js'
import { describe } from './failure.js'
import { readKeyHeader } from './key-challenge.js'
import { isLoopback } from './login-urls.js'

export interface Attempt {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly challenge: string
}

export function unreachable(error: unknown, attempt: Attempt): CommandError {
  const hasResponse = error instanceof CredentialsError || (error instanceof ConnectionError && error.status !== null)
  const hint = hasResponse ? '' : describeProxy(attempt.url)
  const reason = explain(error, attempt)
  return new CommandError(`Cannot connect to ${attempt.url.href}: ${reason}${hint}`, exitCodes.unreachable)
}

function describeProxy(url: URL): string {
  const { env } = process
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const isSet = [env[name], env[name.toLowerCase()]].some((value = '') => value !== '')
  if (!isSet || isLoopback(url) || env['NODE_USE_ENV_PROXY'] === '1') return ''
  return `\n${name} is set, but Node uses it only with NODE_USE_ENV_PROXY=1, from Node 22.21 on.`
}

function explain(error: unknown, attempt: Attempt): string {
  const { url } = attempt
  const status = error instanceof CredentialsError ? 401 : error instanceof ConnectionError ? error.status : null
  if (status === 401) return explainUnauthorized(attempt)
  if (status === 404) return `the server has nothing at ${url.pathname} (404). The path is usually /mcp.`
  const code = codeOf(error)
  if (code === 'ECONNREFUSED') return 'the connection was refused. Start the server, or give the URL that it printed.'
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL_') === true) {
    return 'the port does not speak TLS. Use an http: URL, or the port of the proxy with TLS.'
  }
  if (code !== undefined && untrusted.test(code)) {
    return `the certificate is not trusted (${code}). For a CA of your own, set NODE_EXTRA_CA_CERTS to its file.`
  }
  if (code === 'ENOTFOUND') return `the host '${url.hostname}' was not found.`
  return describe(error)
}

function explainUnauthorized({ headers, challenge }: Attempt): string {
  const key = readKeyHeader(challenge)
  if (key !== null) {
    return headers[key.toLowerCase()] === undefined
      ? `the server requires an API key. Pass --header '${key}: KEY'.`
      : `the server rejected the API key in the header ${key}.`
  }
  return headers['authorization'] === undefined
    ? 'the server requires authentication. Pass --bearer TOKEN, --header, or --login to log in with the browser.'
    : 'the server rejected the credentials.'
}

const networkCode = /^E[A-Z]+$|^ERR_SSL_/

/** Codes of certificates that Node does not trust. */
const untrusted = /SELF_SIGNED|^UNABLE_TO_|^CERT_|^ERR_TLS_CERT/

function codeOf(error: unknown): string | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const { code } = each as Error & { readonly code?: unknown }
    if (typeof code === 'string' && (networkCode.test(code) || untrusted.test(code))) return code
    if (each instanceof AggregateError) return codeOf(each.errors[0])
  }
  return undefined
}
