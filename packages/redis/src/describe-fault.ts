import { BootError } from '@toolwright/core'
import { NotInTime } from '@toolwright/core/internal'
import type { Servers } from './servers.js'
import { messageOf } from './without-secrets.js'

const plainAdvice = 'It may expect connections without TLS: begin the url with redis://.'

/** Advice for a fault, by its message or code: the first match counts. */
const advice: readonly (readonly [RegExp, string])[] = [
  [/^(WRONGPASS|NOAUTH|ERR invalid password|ERR AUTH)/, 'Correct the user and the password.'],
  [/^(MOVED|CLUSTERDOWN|CROSSSLOT|it is a node of a cluster)/, 'Give it as cluster: { rootNodes: [{ url }] }.'],
  [/No such master with that name/, 'Correct sentinel.name.'],
  [/unknown command '?SENTINEL/i, 'It is not a sentinel: give it as url.'],
  [/unknown command '?DEL/i, 'It may be a sentinel: give it as sentinel: { name, sentinelRootNodes }.'],
  [/^no valid master node/, 'The sentinels report that the primary is down: start it.'],
  [/cluster support disabled/i, 'It is not a cluster: give it as url.'],
  [
    /^(READONLY|it is a replica)/,
    'Give the url of the server that takes writes, or sentinel: { name, sentinelRootNodes }.',
  ],
  [/certificate|CERT/i, 'Give tls: { ca } with the certificate of its authority.'],
  [/SSL|TLS|EPROTO|wrong version number/, plainAdvice],
  [/Socket closed unexpectedly/, 'If it expects TLS, begin the url with rediss://.'],
  [/may not run/, 'Give the user these rights.'],
]

const otherwise = 'Start it, or correct the url.'

/** For the operator, as mistakes in the options are: the place in this package where it failed is of no use. */
export function describeFault(thrown: unknown, servers: Servers): BootError {
  const error = servers.withoutSecrets(thrown)
  const reason = messageOf(error)
  const code = (thrown as { readonly code?: unknown } | null)?.code
  const fix =
    advice.find(([pattern]) => pattern.test(reason) || pattern.test(String(code)))?.[1] ??
    (servers.isTls && isLate(thrown) ? plainAdvice : otherwise)
  const message = `Redis at ${servers.hosts} cannot be ${verbOf(reason)}: ${reason}. ${fix}`
  return new BootError([{ code: 'bad-option', message }])
}

/** A server without TLS waits for the end of what it takes for a command. */
function isLate(thrown: unknown): boolean {
  return thrown instanceof NotInTime || messageOf(thrown) === 'Connection timeout'
}

function verbOf(reason: string): string {
  return reason.startsWith('it is a node of a cluster') ? 'used' : 'reached'
}
