import { BlockList, isIPv4 } from 'node:net'

/** IPv4 networks that are not public (IANA special-purpose registry, and multicast). */
const reserved = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  reserved.addSubnet(network, bits, 'ipv4')
}

/** Global unicast is the only public part of IPv6. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** Parts of it that are not public, or that contain an IPv4 address: Teredo, documentation, 6to4. */
const reservedUnicast = new BlockList()
reservedUnicast.addSubnet('2001::', 23, 'ipv6')
reservedUnicast.addSubnet('2001:db8::', 32, 'ipv6')
reservedUnicast.addSubnet('2002::', 16, 'ipv6')
reservedUnicast.addSubnet('3fff::', 20, 'ipv6')

/** Whether an address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved.check(address, 'ipv4')
  return globalUnicast.check(address, 'ipv6') && !reservedUnicast.check(address, 'ipv6')
}
