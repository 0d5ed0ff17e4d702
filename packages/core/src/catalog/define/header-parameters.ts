import { allSchemas } from '@toolwright/schema'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'

/** An argument that an HTTP client repeats in a header, so that proxies can route by it (`x-mcp-header`). */
export interface HeaderParameter {
  /** Name in lower case, as in the headers of Node: `mcp-param-region`. */
  readonly header: string
  readonly path: readonly string[]
}

const keyword = 'x-mcp-header'
const httpToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const types: readonly unknown[] = ['string', 'integer', 'boolean']

interface HeaderParameters {
  readonly found: HeaderParameter[]
  /** Errors of the annotations. Each error completes a sentence that begins with "the input schema". */
  readonly errors: string[]
}

/**
 * Finds the properties of an input schema that have `x-mcp-header`. The spec allows the keyword on properties at any depth, but
 * not below other keywords, such as `items` or `anyOf`. Clients drop a tool with the keyword in such a place.
 */
export function findHeaderParameters(schema: JsonObject): HeaderParameters {
  const result: HeaderParameters = { found: [], errors: [] }
  const { found, errors } = result
  visitProperties(schema, [], result)
  const carriers = allSchemas(schema).filter((part) => keyword in part)
  if (carriers.length > found.length + errors.length) {
    errors.push(
      `has "${keyword}" outside of nested "properties". Headers are only supported inside of them. Move or remove it`,
    )
  }
  const headers = found.map((parameter) => parameter.header)
  for (const duplicate of headers.filter((header, index) => headers.indexOf(header) !== index)) {
    errors.push(`gives two properties the same "${keyword}", ${duplicate}. Rename one`)
  }
  return result
}

function visitProperties(schema: JsonObject, path: readonly string[], result: HeaderParameters): void {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue
    const here = [...path, name]
    if (keyword in property) readParameter(property, here, result)
    visitProperties(property, here, result)
  }
}

function readParameter(property: JsonObject, path: readonly string[], { found, errors }: HeaderParameters): void {
  const name = property[keyword]
  const where = `has "${keyword}" on '${path.join('.')}'`
  if (typeof name !== 'string' || !httpToken.test(name)) {
    errors.push(`${where} with ${JSON.stringify(name)}, which is not an HTTP header name. Use letters, digits and -`)
  } else if (!types.includes(property['type'])) {
    errors.push(`${where}, which is not a string, integer or boolean. Headers support only these types`)
  } else found.push({ header: `mcp-param-${name.toLowerCase()}`, path })
}
