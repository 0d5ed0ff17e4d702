import type { FeatureDefinition } from '../catalog/definitions.js'
import { isServedOverAny, type TransportName } from '../context/viewer.js'
import { isHiddenFromAnonymous } from './authorization-matrix.js'
import type { McpServer } from './mcp-server.js'

const maxListed = 20

/**
 * Describes features that reject every call, because callers are never authenticated; `null` without such features.
 *
 * @param transports The transports whose callers are never authenticated.
 */
export function describeUnreachable(
  server: McpServer,
  transports: readonly TransportName[],
  why: string,
): string | null {
  const { catalog } = server
  const isUnreachable = (definition: FeatureDefinition): boolean =>
    isServedOverAny(definition.transports, transports) && isHiddenFromAnonymous(definition, catalog)
  const found = catalog.registries.flatMap(({ registry }) =>
    registry.entries().filter(([, definition]) => isUnreachable(definition)),
  )
  if (found.length === 0) return null
  return `${listNames(found.map(([name]) => name))}: they need an authenticated caller, and ${why}`
}

/** Joins names, up to a limit: skills can add thousands of resources. */
export function listNames(names: readonly string[]): string {
  const left = names.length - maxListed
  return left > 0 ? `${names.slice(0, maxListed).join(', ')} and ${left} more` : names.join(', ')
}
