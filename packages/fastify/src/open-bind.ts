import { BlockList, isIP } from 'node:net'
import type { BootProblem } from '@toolwright/core'
import type { MountOptions } from './options.js'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only programs on this machine reach the address. An empty one is every address, as it is to Node. */
function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  const version = isIP(host)
  return version !== 0 && loopback.check(host, version === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Whether others may reach a server that nobody guards. Naming hosts counts as a guard: then the proxy or network that
 * answers to these names was thought about.
 */
export function findBindProblem(host: string, options: MountOptions): BootProblem | null {
  const { allowedHosts, authentication, waive = [] } = options
  const isGuarded = allowedHosts !== undefined || authentication !== undefined || waive.includes('open-bind')
  if (isLoopback(host) || isGuarded) return null
  const message =
    `The server would listen on ${host === '' ? 'every address' : host}, where others reach it, and asks nobody who they are. ` +
    "Name the hosts that it is reached by, such as `allowedHosts: ['mcp.example.com']`, or give it authentication; " +
    "listen on 127.0.0.1 when only this machine calls; or say that it is meant: `waive: ['open-bind']`."
  return { code: 'open-bind', message }
}
