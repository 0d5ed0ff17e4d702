import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only programs on this machine reach the address. An empty one is every address, as it is to Node. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  const version = isIP(host)
  return version !== 0 && loopback.check(host, version === 6 ? 'ipv6' : 'ipv4')
}

/** Hosts that the endpoints of an HTTP server allow, for routes beside them. */
const allowed = new WeakMap<object, ((host: string) => boolean)[]>()

export function shareAllowedHosts(server: object, allows: (host: string) => boolean): void {
  allowed.set(server, [...(allowed.get(server) ?? []), allows])
}

/** Names of this machine. */
const local = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i

interface Listening {
  readonly server: object
  addresses(): readonly (string | { readonly address: string })[]
}

/**
 * Whether a request is one of a web page that lets a name of its own point at this machine (DNS rebinding): the application
 * listens on this machine only, and the request names another one. Probes by address get an answer on other addresses.
 *
 * @param host The `Host` header.
 */
export function isForeignHost(app: Listening, host: string): boolean {
  const addresses = app.addresses()
  const isLocal = addresses.length > 0 && addresses.every((one) => typeof one !== 'string' && isLoopback(one.address))
  if (!isLocal || local.test(host)) return false
  return !(allowed.get(app.server) ?? []).some((allows) => allows(host))
}
