import type { McpServer } from './mcp-server.js'

/** Names that are told at the start. */
const maxListed = 20

/**
 * What every call would be refused, whatever the client does, where nobody is known. `null`: there is nothing.
 *
 * @param why Nobody is known.
 */
export function describeUnreachable(server: McpServer, why: string): string | null {
  const { rows } = server.authorizationMatrix({ roles: [], scopes: [] })
  const closed = rows.filter(({ access }) => access['anonymous'] === 'hidden')
  if (closed.length === 0) return null
  const names = listNames(closed.map(({ name }) => name))
  return `${names}: they need a known caller, and ${why}`
}

/** Files of skills are resources, and there may be thousands. */
export function listNames(names: readonly string[]): string {
  const left = names.length - maxListed
  return left > 0 ? `${names.slice(0, maxListed).join(', ')} and ${left} more` : names.join(', ')
}
