import ipaddr from 'ipaddr.js'

/**
 * Whether an address is on the public internet. Private, link-local, mapped and transition addresses are not: they lead into the
 * network of this server.
 */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast'
}
