import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { allSchemas } from './subschemas.js'

/** Fills in what a value lacks, in place. */
type FillDefaults = (value: unknown) => void

/**
 * Compiles the defaults of a schema: those of properties, at any depth of `properties`, `items`, `prefixItems` and
 * `allOf`. `null` when there are none. Elsewhere (in `anyOf`, say) a default only documents: which branch holds is known
 * too late. Ajv has the same rule, so both kinds of schema behave alike. Parts without a default are never visited.
 */
export function compileDefaults(schema: JsonObject): FillDefaults | null {
  // Most schemas have none: of all garbage at the start, a tenth would be made to find that out part by part.
  return allSchemas(schema).some((part) => 'default' in part) ? compileParts(schema) : null
}

function compileParts({ properties, items, prefixItems, allOf }: JsonObject): FillDefaults | null {
  const named = isJsonObject(properties) ? Object.entries(properties) : []
  return all([
    ...named.map(([name, property]) => fillProperty(name, property)),
    ...listOf(prefixItems).map((item, index) => fillProperty(String(index), item)),
    ...listOf(allOf).map(compileAny),
    fillItems(items),
  ])
}

function compileAny(schema: unknown): FillDefaults | null {
  return isJsonObject(schema) ? compileParts(schema) : null
}

function fillProperty(name: string, schema: unknown): FillDefaults | null {
  const fill = compileAny(schema)
  const text = isJsonObject(schema) ? JSON.stringify(schema['default']) : undefined
  if (fill === null && text === undefined) return null
  return (value) => {
    if (typeof value !== 'object' || value === null) return
    const parts = value as Record<string, unknown>
    // From text each time: what one call does to its arguments is not for the next one to see.
    if (text !== undefined && isMissing(parts, name)) parts[name] = JSON.parse(text)
    if (fill !== null && !isMissing(parts, name)) fill(parts[name])
  }
}

function isMissing(parts: Record<string, unknown>, name: string): boolean {
  // A list is not made longer.
  return (!Object.hasOwn(parts, name) || parts[name] === undefined) && !Array.isArray(parts)
}

function fillItems(schema: unknown): FillDefaults | null {
  const fill = compileAny(schema)
  if (fill === null) return null
  return (value) => {
    if (Array.isArray(value)) for (const item of value) fill(item)
  }
}

function all(steps: readonly (FillDefaults | null)[]): FillDefaults | null {
  const present = steps.filter((step) => step !== null)
  if (present.length <= 1) return present[0] ?? null
  return (value) => {
    for (const fill of present) fill(value)
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
