import { readKeyHeader } from '../client/key-challenge.js'
import { describeRefused, mayRequest } from '../client/login-urls.js'
import { isSchema, type Schema } from '../client/schema-types.js'
import { type Finding, fail, ok, warn } from './finding.js'

export const maxRequestMs = 10_000

const maxIssuers = 5

/**
 * Checks the response to a request without session and credentials, the metadata of the server (RFC 9728), and the
 * metadata of its issuers (RFC 8414 or OpenID Connect Discovery). Returns an empty list if the server requires no
 * credentials.
 */
export async function checkAuthorization(url: URL): Promise<readonly Finding[]> {
  const response = await challenge(url)
  if (response?.status !== 401) return []
  const header = response.headers.get('www-authenticate')
  if (header === null) {
    return [
      fail(
        'challenge',
        'status 401 without WWW-Authenticate',
        'Send `WWW-Authenticate: Bearer`, so that clients can log in.',
      ),
    ]
  }
  // API keys have no issuer, so there are no metadata.
  const key = readKeyHeader(header)
  if (key !== null) return [ok('challenge', `status 401: the server requires an API key in the header ${key}`)]
  const [, address] = /resource_metadata="([^"]+)"/.exec(header) ?? []
  const wellKnown = new URL(`/.well-known/oauth-protected-resource${url.pathname === '/' ? '' : url.pathname}`, url)
  const challenged = ok('challenge', 'status 401 with WWW-Authenticate')
  const place = address !== undefined && URL.canParse(address) ? new URL(address) : wellKnown
  if (!mayRequest(place, url)) return [challenged, refused('resource', place)]
  const document = await readJson(place)
  if (document === null) {
    const text = `no resource metadata at ${address ?? wellKnown.href}`
    const fix = 'Serve it (RFC 9728): without it, clients cannot find the issuer.'
    return [
      challenged,
      address === undefined ? warn('resource', text, `${fix} API keys need none.`) : fail('resource', text, fix),
    ]
  }
  return [challenged, checkResource(url, document), ...(await checkIssuers(url, document))]
}

async function challenge(url: URL): Promise<Response | null> {
  try {
    return await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      signal: AbortSignal.timeout(maxRequestMs),
    })
  } catch {
    // The check of the connection reports the failure.
    return null
  }
}

function checkResource(url: URL, { resource }: Schema): Finding {
  if (resource === url.href || resource === url.href.replace(/\/$/, '')) return ok('resource', url.href)
  const text = `the resource metadata names the resource ${String(resource)}, but clients call ${url.href}`
  return fail('resource', text, 'Set `resource` to the exact URL that clients call.')
}

async function checkIssuers(server: URL, { authorization_servers: issuers }: Schema): Promise<readonly Finding[]> {
  const named = Array.isArray(issuers) ? issuers.filter((each) => typeof each === 'string' && URL.canParse(each)) : []
  if (named.length === 0) {
    return [fail('issuer', 'the resource metadata names no authorization server', 'Add `authorization_servers`.')]
  }
  return Promise.all(named.slice(0, maxIssuers).map((issuer) => checkIssuer(server, issuer as string)))
}

async function checkIssuer(server: URL, issuer: string): Promise<Finding> {
  const url = new URL(issuer)
  if (!mayRequest(url, server)) return refused('issuer', url)
  const { origin, pathname } = url
  const path = pathname.replace(/\/$/, '')
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  const documents = await Promise.all(places.map((place) => readJson(new URL(place))))
  const document = documents.find((each) => each !== null)
  if (document === undefined || document === null) {
    return fail('issuer', `no metadata of ${issuer} at ${places.join(', ')}`, 'Start the issuer, or correct its URL.')
  }
  if (document['issuer'] !== issuer) {
    return fail(
      'issuer',
      `the metadata of ${issuer} names the issuer ${String(document['issuer'])}`,
      'Set `issuer` to exactly the value in the metadata.',
    )
  }
  const missing = ['authorization_endpoint', 'token_endpoint'].filter((name) => typeof document[name] !== 'string')
  if (missing.length > 0)
    return fail('issuer', `the metadata of ${issuer} lacks ${missing.join(' and ')}`, 'Add them to the metadata.')
  const { code_challenge_methods_supported: methods } = document
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    return fail(
      'issuer',
      `${issuer} does not announce PKCE with S256`,
      'Turn PKCE on: MCP clients do not log in without it.',
    )
  }
  return ok('issuer', `${issuer} supports logins with PKCE`)
}

function refused(check: string, url: URL): Finding {
  return fail(check, `not requested: ${describeRefused(url)}`, 'Use HTTPS, on a host that all clients can reach.')
}

async function readJson(url: URL): Promise<Schema | null> {
  try {
    // A redirect could lead to any program on this machine.
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(maxRequestMs) })
    const value: unknown = response.ok ? await response.json() : null
    return isSchema(value) ? value : null
  } catch {
    return null
  }
}
