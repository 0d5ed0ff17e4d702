import { lookup as lookupName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'

/** A connection that was not made, because its address is not public. */
export class AddressError extends Error {
  override readonly name = 'AddressError'
}

/**
 * Whether an address belongs to a public host. Private, link-local, loopback, mapped and transition addresses do not: they lead
 * into the network of this server.
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  return ipaddr.isValid(plain) && ipaddr.parse(plain).range() === 'unicast'
}

/** Whether a host of a URL is an address that is not public, or a name of this machine. */
export function isPrivateHost(hostname: string): boolean {
  const plain = hostname.replace(/^\[|\]$/g, '')
  return isIP(plain) === 0 ? /^localhost$|\.localhost$/i.test(plain.replace(/\.$/, '')) : !isPublicAddress(plain)
}

export function hostName(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, '')
}

/**
 * Creates a connector that checks the address of each connection, and not only the name: names can have any address, and the
 * address can change between a check and the connection. Undici does not look up literal addresses, so they are checked apart.
 *
 * @param allowed Hosts whose addresses are not checked.
 */
export function connectPublicly(allowed: ReadonlySet<string>, timeoutMs: number): buildConnector.connector {
  const connectAnywhere = buildConnector({ timeout: timeoutMs })
  const connectChecked = buildConnector({ timeout: timeoutMs, lookup: lookupPublic })
  return (options, callback) => {
    const host = hostName(options.hostname)
    if (allowed.has(host)) return connectAnywhere(options, callback)
    if (isIP(host) !== 0 && !isPublicAddress(host)) return callback(notPublic(host), null)
    return connectChecked(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      if (isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      return callback(notPublic(host), null)
    })
  }
}

const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookupName(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, [])
    const open = addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = open
    if (first === undefined) return callback(notPublic(hostname), [])
    return options.all === true ? callback(null, open) : callback(null, first.address, first.family)
  })
}

function notPublic(host: string): AddressError {
  return new AddressError(
    `the address of '${host}' is not public. To allow it, add '${host}' to the option allowPrivate`,
  )
}
