import { isJsonObject, type JsonObject } from '../rpc/messages.js'

/** `type` keywords of TypeBox that no JSON value can have. */
const notJson = new Set(['undefined', 'void', 'bigint', 'symbol', 'function', 'constructor', 'promise', 'iterator'])

export interface WireSchema {
  readonly schema: JsonObject
  /** TypeBox kinds in it that JSON cannot express. Empty in a schema that may be used. */
  readonly foreignKinds: readonly string[]
}

/**
 * The JSON Schema 2020-12 text of a TypeBox schema: its own symbols dropped, and tuples, which TypeBox writes in the
 * draft-07 way (`items: [...]`), written with `prefixItems`.
 */
export function toWireSchema(schema: object): WireSchema {
  const foreignKinds: string[] = []
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert)
    if (!isJsonObject(value)) return value
    const type = value['type']
    if (typeof type === 'string' && notJson.has(type)) foreignKinds.push(type)
    const entries = Object.entries(value).map(([key, member]) => [key, convert(member)] as const)
    return Object.fromEntries(Array.isArray(value['items']) ? entries.map(toPrefixItems) : entries)
  }
  return { schema: convert(schema) as JsonObject, foreignKinds }
}

function toPrefixItems([key, value]: readonly [string, unknown]): readonly [string, unknown] {
  if (key === 'items') return ['prefixItems', value]
  return [key === 'additionalItems' ? 'items' : key, value]
}
