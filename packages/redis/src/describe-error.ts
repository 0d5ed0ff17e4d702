import { BootError } from '@toolwright/core'
import { TimeoutError } from '@toolwright/core/host'
import type { Servers } from './common-servers.js'
import { messageOf } from './without-secrets.js'

const plainAdvice = 'The server may expect connections without TLS: begin the url with redis://.'
const clientAdvice =
  'If the server asks for client certificates, give tls: { cert, key } with a certificate that it accepts.'
const tlsAdvice = 'If the server expects TLS, begin the url with rediss://.'

/** Advice by message or code of an error. The first match is used. */
const advice: readonly (readonly [RegExp, string])[] = [
  [/^(WRONGPASS|NOAUTH|ERR invalid password|ERR AUTH)/, 'Correct the user and the password.'],
  [/^(MOVED|CLUSTERDOWN|CROSSSLOT|it is a node of a cluster)/, 'Give the url as cluster: { rootNodes: [{ url }] }.'],
  [/No such master with that name/, 'Correct sentinel.name.'],
  [/unknown command '?SENTINEL/i, 'The server is not a sentinel: give its address as url.'],
  [
    /unknown command '?DEL/i,
    'The server may be a sentinel: give its address as sentinel: { name, sentinelRootNodes }.',
  ],
  [/^no valid master node/, 'The sentinels report that the primary is down: start it.'],
  [/cluster support disabled/i, 'The server is not a cluster: give its address as url.'],
  [
    /^(READONLY|it is a replica)/,
    'Give the url of the server that takes writes, or sentinel: { name, sentinelRootNodes }.',
  ],
  // The server sends this TLS alert, so the client's certificate is the cause.
  [/alert (certificate|bad certificate|unknown ca|handshake failure|access denied)/, clientAdvice],
  [/altnames/, 'Give tls: { servername } with a name that the certificate contains.'],
  [/certificate|CERT/i, 'Give tls: { ca } with the certificate of the certificate authority.'],
  [/SSL|TLS|EPROTO|wrong version number/, plainAdvice],
  [/may not run/, 'Give the user these rights.'],
]

const otherwise = 'Start it, or correct the url.'

/** Creates an error for the operator, in the form of boot problems: a stack would not help. */
export function describeError(thrown: unknown, servers: Servers): BootError {
  const error = servers.withoutSecrets(thrown)
  const reason = messageOf(error).trim()
  const code = (thrown as { readonly code?: unknown } | null)?.code
  const fix =
    advice.find(([pattern]) => pattern.test(reason) || pattern.test(String(code)))?.[1] ??
    (servers.isTls ? adviceWithTls(thrown) : adviceWithoutTls(reason))
  const message = `Redis at ${servers.hosts} cannot be used: ${reason}. ${fix}`
  return new BootError([{ code: 'bad-option', message }])
}

/**
 * Advises on connections with TLS. If the server has no TLS, it treats the handshake as a command and waits for its
 * end.
 */
function adviceWithTls(thrown: unknown): string {
  const isLate = thrown instanceof TimeoutError || messageOf(thrown) === 'Connection timeout'
  if (isLate) return plainAdvice
  return isCut(messageOf(thrown)) ? clientAdvice : otherwise
}

/** Advises on connections without TLS. If the server requires TLS, it closes connections that begin with a command. */
function adviceWithoutTls(reason: string): string {
  return isCut(reason) ? tlsAdvice : otherwise
}

function isCut(reason: string): boolean {
  return /Socket closed unexpectedly|ECONNRESET/.test(reason)
}
