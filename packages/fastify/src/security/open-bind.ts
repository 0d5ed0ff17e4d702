import type { BootDiagnostic, McpServer } from '@toolwright/core'
import { isLoopback, listNames } from '@toolwright/core/transport'
import type { MountOptions } from '../options.js'

/**
 * Whether others may reach a server that nobody guards. Naming hosts counts as a guard: then the proxy or network that
 * answers to these names was thought about. `'*'` is no name, and names are no guard for tools that destroy something.
 */
export function findBindDiagnostic(host: string, options: MountOptions, server: McpServer): BootDiagnostic | null {
  const { allowedHosts, authentication, waive = [] } = options
  if (isLoopback(host) || authentication !== undefined || waive.includes('open-bind')) return null
  const where = `${host === '' ? 'every address' : host}, where others reach it`
  const namesHosts = allowedHosts !== undefined && !allowedHosts.includes('*')
  return namesHosts ? destructiveBind(where, server) : openBind(where)
}

function destructiveBind(where: string, { catalog }: McpServer): BootDiagnostic | null {
  const tools = catalog.unguardedDestructiveTools
  if (tools.length === 0) return null
  const message =
    `The server would listen on ${where}, and nothing says who may call what destroys something ` +
    `(destructiveHint: true): ${listNames(tools.map(({ name }) => name))}. Give it authentication, or put @Authorize() on ` +
    "these tools; or say that it is meant, because a proxy asks who calls: `waive: ['open-bind']`."
  return { code: 'unguarded-destructive-tool', message }
}

function openBind(where: string): BootDiagnostic {
  const message =
    `The server would listen on ${where}, and asks nobody who they are. ` +
    "Name the hosts that it is reached by, such as `allowedHosts: ['mcp.example.com']`, or give it authentication; " +
    "listen on 127.0.0.1 when only this machine calls; or say that it is meant: `waive: ['open-bind']`."
  return { code: 'open-bind', message }
}
