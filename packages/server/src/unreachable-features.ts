import type { McpServer, TransportName } from '@toolwright/core'
import { type FeatureDefinition, isHiddenFromAnonymous } from './access/authorization-matrix.js'

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
    isServedOverAny(definition, transports) && isHiddenFromAnonymous(definition, catalog)
  const found = catalog.registries.flatMap(({ registry }) =>
    registry.entries().filter(([, definition]) => isUnreachable(definition)),
  )
  if (found.length === 0) return null
  return `${listNames(found.map(([name]) => name))}: they need an authenticated caller, and ${why}`
}

function isServedOverAny({ transports: served }: FeatureDefinition, transports: readonly TransportName[]): boolean {
  return served === null || served.some((transport) => transports.includes(transport))
}

/** Joins names, up to a limit: skills can add thousands of resources. */
export function listNames(names: readonly string[]): string {
  const left = names.length - maxListed
  return left > 0 ? `${names.slice(0, maxListed).join(', ')} and ${left} more` : names.join(', ')
}
