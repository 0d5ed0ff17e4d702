import { BlockList, isIP } from 'node:net'
import type { BootProblem } from '@toolwright/core'
import type { MountOptions } from './options.js'

/** What is wrong with the options of an endpoint whatever it serves. */
export function findMountProblems({ cors, allowedOrigins = [], drainTimeoutMs }: MountOptions): readonly BootProblem[] {
  const problems: BootProblem[] = []
  const report = (message: string): void => void problems.push({ code: 'bad-option', message })
  if (drainTimeoutMs !== undefined && !(Number.isInteger(drainTimeoutMs) && drainTimeoutMs >= 0)) {
    report('drainTimeoutMs is no whole number of milliseconds. Give one, or leave it out for 10,000.')
  }
  if (cors === undefined || cors === false) return problems
  if (allowedOrigins.length === 0) {
    report("cors is on, but no web page may call. Name their origins: `allowedOrigins: ['https://app.example.com']`.")
  }
  if (allowedOrigins.includes('*') && cors !== true && cors.credentials === true) {
    const why = 'every web page could act with the cookies of whoever looks at it'
    report(`cors.credentials is on and allowedOrigins has '*': ${why}. Name the origins, or leave out credentials.`)
  }
  return problems
}

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
  const { allowedHosts, waive = [] } = options
  const isGuarded = allowedHosts !== undefined || isAuthenticated(options) || waive.includes('open-bind')
  if (isLoopback(host) || isGuarded) return null
  const message =
    `The server would listen on ${host === '' ? 'every address' : host}, where others reach it, and asks nobody who they are. ` +
    "Name the hosts that it is reached by, such as `allowedHosts: ['mcp.example.com']`, or give it authentication; " +
    "listen on 127.0.0.1 when only this machine calls; or say that it is meant: `waive: ['open-bind']`."
  return { code: 'open-bind', message }
}

function isAuthenticated(options: MountOptions): boolean {
  return (options as { readonly authentication?: unknown }).authentication !== undefined
}
