import type { Catalog, JsonObject } from '@toolwright/core'
import type { UnknownFeatureError } from '@toolwright/core/host'
import { isObject } from '@toolwright/core/options'

export function unknownToolData({ featureName: requestedTool, suggestions }: UnknownFeatureError): JsonObject {
  const detail = `The server has no tool '${requestedTool}'.`
  if (suggestions.length === 0) return { detail, requestedTool }
  return { detail, requestedTool, suggestions, hint: `Did you mean: ${suggestions.join(', ')}?` }
}

/** Returns the data of an error about arguments: the required fields of the tool, and an example of the arguments. */
export function invalidParamsData(detail: string, name: string, catalog: Catalog): JsonObject {
  const schema = catalog.tools.get(name)?.input.wire
  if (schema === undefined) return { detail }
  const { properties, required } = schema
  const requiredFields = Array.isArray(required) ? (required as readonly string[]) : []
  if (requiredFields.length === 0) return { detail, tool: name }
  const members = requiredFields.map((field) => `"${field}": ${exampleOf(properties, field)}`)
  return {
    detail,
    tool: name,
    requiredFields,
    example: `{ ${members.join(', ')} }`,
    hint: `The tool '${name}' requires: ${requiredFields.join(', ')}.`,
  }
}

const examples: Readonly<Record<string, string>> = {
  string: '"example"',
  number: '42',
  integer: '42',
  boolean: 'true',
}

function exampleOf(properties: unknown, field: string): string {
  const schema: unknown = isObject(properties) ? Reflect.get(properties, field) : undefined
  const type: unknown = isObject(schema) ? Reflect.get(schema, 'type') : undefined
  return examples[String(type)] ?? '...'
}
