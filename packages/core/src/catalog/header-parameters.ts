import { isJsonObject, type JsonObject } from '../rpc/messages.js'

/** An argument that an HTTP client repeats in a header, so that proxies can route by it (`x-mcp-header`). */
export interface HeaderParameter {
  /** Lower case, as Node has it: `mcp-param-region`. */
  readonly header: string
  /** Property names from the root of the arguments. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

const keyword = 'x-mcp-header'
const httpToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const types = ['string', 'integer', 'boolean'] as const

export interface HeaderParameters {
  readonly found: readonly HeaderParameter[]
  /** What makes the annotations unusable. Each completes "The input schema of tool 'x' …". */
  readonly faults: readonly string[]
}

/**
 * Finds the properties of an input schema that carry `x-mcp-header`. The spec allows it only where a chain of
 * `properties` leads from the root; a client drops a tool that has one elsewhere.
 */
export function findHeaderParameters(schema: JsonObject): HeaderParameters {
  const found: HeaderParameter[] = []
  const faults: string[] = []
  visitProperties(schema, [], found, faults)
  if (countKeyword(schema) > found.length + faults.length) {
    faults.push(`has "${keyword}" where no chain of "properties" leads to it`)
  }
  const headers = found.map((parameter) => parameter.header)
  for (const twice of headers.filter((header, index) => headers.indexOf(header) !== index)) {
    faults.push(`names the header ${twice} twice in "${keyword}"`)
  }
  return { found, faults }
}

function visitProperties(
  schema: JsonObject,
  path: readonly string[],
  found: HeaderParameter[],
  faults: string[],
): void {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue
    const here = [...path, name]
    if (keyword in property) readParameter(property, here, found, faults)
    visitProperties(property, here, found, faults)
  }
}

function readParameter(
  property: JsonObject,
  path: readonly string[],
  found: HeaderParameter[],
  faults: string[],
): void {
  const name = property[keyword]
  const type = types.find((candidate) => candidate === property['type'])
  const where = `has "${keyword}" on '${path.join('.')}'`
  if (typeof name !== 'string' || !httpToken.test(name)) {
    faults.push(`${where} with ${JSON.stringify(name)}, which is no HTTP header name`)
  } else if (type === undefined) {
    faults.push(`${where}, whose type is not string, integer or boolean`)
  } else found.push({ header: `mcp-param-${name.toLowerCase()}`, path, type })
}

/** Counts the keyword anywhere, except as the name of a property and inside values that are data. */
function countKeyword(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, item) => sum + countKeyword(item), 0)
  if (!isJsonObject(schema)) return 0
  let count = keyword in schema ? 1 : 0
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'const' || key === 'enum' || key === 'default' || key === 'examples') continue
    const named = key === 'properties' || key === '$defs' || key === 'definitions' || key === 'patternProperties'
    count += countKeyword(named && isJsonObject(value) ? Object.values(value) : value)
  }
  return count
}
