import { isJsonObject, type JsonObject } from '@toolwright/core'

/** An argument that HTTP clients repeat in a header. */
interface HeaderParameter {
  readonly header: string
  /** Names of properties from the root of the arguments. */
  readonly path: readonly string[]
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Finds the arguments that the upstream wants in headers. Spec: basic/transports, "Custom Headers from Tool Parameters". */
export function headerParametersOf(schema: unknown, path: readonly string[] = []): readonly HeaderParameter[] {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  if (!isJsonObject(properties) || path.length > 16) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property)) return []
    const here = [...path, name]
    const header = property['x-mcp-header']
    const own = typeof header === 'string' && token.test(header) ? [{ header: `mcp-param-${header}`, path: here }] : []
    return [...own, ...headerParametersOf(property, here)]
  })
}

export function headersFor(parameters: readonly HeaderParameter[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { header, path } of parameters) {
    const value = path.reduce<unknown>((parent, name) => (isJsonObject(parent) ? parent[name] : undefined), args)
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      headers[header] = encode(String(value))
  }
  return headers
}

function encode(value: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(value) && value.trim() === value && !/^=\?base64\?.*\?=$/.test(value)
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}
