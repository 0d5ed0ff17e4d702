import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { type Principal, subjectKey } from '../context/principal.js'

/** Maximum length of a name in characters. Longer names are replaced by their hash. */
const maxLength = 256

/** Returns the key that identifies a caller: the principal, regardless of the OAuth client, or else the network address. */
export function callerKey(principal: Principal | null, address: string | null): string {
  const known = subjectKey(principal)
  if (known !== null) return `principal ${bounded(known)}`
  return `address ${address === null ? '' : bounded(networkOf(withoutPort(address)))}`
}

function bounded(name: string): string {
  return name.length > maxLength ? createHash('sha256').update(name).digest('base64url') : name
}

/** Removes the port. Some proxies write the client's port, which differs for each connection, into `X-Forwarded-For`. */
function withoutPort(address: string): string {
  const match = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(address)
  return match?.[1] ?? match?.[2] ?? address
}

/** Returns the /64 network of an IPv6 address: a caller usually controls all 2^64 addresses of its network. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped !== null) return mapped[1] as string
  const [head = '', tail = ''] = address.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::') ? Array<string>(Math.max(8 - first.length - last.length, 0)).fill('0') : []
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
