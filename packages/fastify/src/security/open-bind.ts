import type { BootDiagnostic, McpServer } from '@toolwright/core'
import { isLoopback } from '@toolwright/core/host'
import { listNames } from '@toolwright/server/host'
import type { MountOptions } from '../options.js'

/**
 * Reports a server that others can reach without authentication. Names in `allowedHosts` are accepted as a sign that a
 * proxy or network protects the server. `'*'` is not accepted. If an unguarded tool is destructive, names are not
 * accepted either.
 */
export function findBindDiagnostic(host: string, options: MountOptions, server: McpServer): BootDiagnostic | null {
  const { allowedHosts, authentication, waive = [] } = options
  if (isLoopback(host) || authentication !== undefined || waive.includes('open-bind')) return null
  const where = `${host === '' ? 'every address' : host}, which other machines can reach`
  const namesHosts = allowedHosts !== undefined && !allowedHosts.includes('*')
  return namesHosts ? destructiveBind(where, server) : openBind(where)
}

function destructiveBind(where: string, { catalog }: McpServer): BootDiagnostic | null {
  const tools = catalog.unguardedDestructiveTools
  if (tools.length === 0) return null
  const message =
    `The server would listen on ${where}, and no rule restricts its tools with destructiveHint: true: ` +
    `${listNames(tools.map(({ name }) => name))}. Add authentication, or put @Authorize() on these tools. If a proxy ` +
    "authenticates callers, set `waive: ['open-bind']`."
  return { code: 'unguarded-destructive-tool', message }
}

function openBind(where: string): BootDiagnostic {
  const message =
    `The server would listen on ${where}, without authentication. ` +
    "Set the host names that clients use, such as `allowedHosts: ['mcp.example.com']`, or add authentication. " +
    "If only this machine calls, listen on 127.0.0.1. If the server is meant to be open, set `waive: ['open-bind']`."
  return { code: 'open-bind', message }
}
