import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { type Principal, subjectKey } from '../context/principal.js'

/** Characters: of a longer name its hash is kept, which tells it apart as well. */
const maxLength = 256

/** What callers are told apart by: who they are, whatever client they use, else where they call from. */
export function callerKey(principal: Principal | null, address: string | null): string {
  const known = subjectKey(principal)
  if (known !== null) return `principal ${bounded(known)}`
  return `address ${address === null ? '' : bounded(networkOf(withoutPort(address)))}`
}

function bounded(name: string): string {
  return name.length > maxLength ? hashOf(name) : name
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url')
}

/** Some proxies write the client's port into `X-Forwarded-For`, which is another one for each connection. */
function withoutPort(address: string): string {
  const match = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(address)
  return match?.[1] ?? match?.[2] ?? address
}

/** Who has one IPv6 address has the 2^64 of its network. */
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
