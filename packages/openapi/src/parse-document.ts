import { isJsonObject, type JsonObject } from '@toolwright/core'
import { DocumentError } from './errors.js'
import { textAt } from './json.js'

/** Parses JSON or YAML. @throws DocumentError that names the line and the column of the mistake. */
export async function parseDocument(text: string, label: string): Promise<JsonObject> {
  const value = parseJson(text) ?? (await parseYaml(text, label))
  if (isJsonObject(value)) return value
  throw new DocumentError(`'${label}' contains no object. Give a document in JSON or YAML.`)
}

/** Returns `undefined` for text that is no JSON. The YAML parser then explains the mistake. */
function parseJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function parseYaml(text: string, label: string): Promise<unknown> {
  const yaml = await import('yaml')
  const parsed = yaml.parseDocument(text, { prettyErrors: true, merge: true, logLevel: 'error' })
  const [error] = parsed.errors
  if (error === undefined) {
    try {
      return parsed.toJS({ maxAliasCount: 1000 })
    } catch (thrown) {
      throw new DocumentError(`'${label}' cannot be read: ${(thrown as Error).message}.`)
    }
  }
  const [at] = error.linePos ?? []
  const place = at === undefined ? '' : `, line ${at.line}, column ${at.col}`
  const [reason = ''] = error.message.split(/ at line \d|\n/)
  throw new DocumentError(`'${label}'${place}: ${reason.replace(/\.?$/, '.')} Correct the JSON or YAML there.`)
}

export type Dialect = '3.0' | '3.1'

export function checkDocument(root: JsonObject, label: string): Dialect {
  const version = root['openapi']
  if (root['swagger'] !== undefined) {
    throw new DocumentError(`'${label}' is a document of Swagger 2.0. Convert it to OpenAPI 3.`)
  }
  const dialect = typeof version === 'string' ? /^3\.[012](?=\.|$)/.exec(version)?.[0] : undefined
  if (dialect === undefined) {
    const found = version === undefined ? 'has no member' : `has ${JSON.stringify(version)} as`
    throw new DocumentError(`'${label}' ${found} 'openapi'. Give a document of OpenAPI 3.0 or 3.1.`)
  }
  if (!isJsonObject(root['paths']) && !isJsonObject(root['webhooks']) && !isJsonObject(root['components'])) {
    throw new DocumentError(`'${label}' has no 'paths'. Give a document with operations.`)
  }
  return dialect === '3.0' ? '3.0' : '3.1'
}

export function serverUrl(server: JsonObject): string {
  const variables = isJsonObject(server['variables']) ? server['variables'] : {}
  return (textAt(server, 'url') ?? '').replace(/\{([^}]*)\}/g, (whole, name: string) => {
    const variable = variables[name]
    return isJsonObject(variable) ? (textAt(variable, 'default') ?? whole) : whole
  })
}
