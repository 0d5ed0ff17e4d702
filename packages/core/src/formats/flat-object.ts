import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { atReference } from '../schema/json-pointer.js'

/** Keywords that OpenAI and Anthropic refuse at the top of a tool's schema, and with it the whole request. */
const refused = ['allOf', 'anyOf', 'oneOf', 'enum', 'const', 'not', '$ref'] as const

interface Members {
  /** Everything that is said of a property. */
  readonly properties: Map<string, JsonObject[]>
  readonly required: Set<string>
}

/**
 * A schema of arguments as vendors take it: an object whose properties are all named at the top. What alternatives and
 * references say of properties is moved there; that some of them belong together is not said any more, but is still
 * checked when the tool is called.
 */
export function toFlatObject(schema: JsonObject): JsonObject {
  if (!refused.some((keyword) => keyword in schema)) {
    return 'properties' in schema && schema['type'] === 'object'
      ? schema
      : { properties: {}, ...schema, type: 'object' }
  }
  const { properties, required } = new Collector(schema).collect(schema)
  const rest = Object.entries(schema).filter(([keyword]) => !refused.some((known) => known === keyword))
  return {
    ...Object.fromEntries(rest),
    type: 'object',
    properties: Object.fromEntries([...properties].map(([name, schemas]) => [name, anyOf(schemas)])),
    ...(required.size > 0 ? { required: [...required] } : {}),
  }
}

class Collector {
  /** Each schema counts once, or references that lead back would have no end. */
  readonly #seen = new Set<JsonObject>()

  constructor(private readonly root: JsonObject) {}

  collect(schema: JsonObject): Members {
    const members: Members = { properties: new Map(), required: new Set() }
    if (this.#seen.has(schema)) return members
    this.#seen.add(schema)
    addProperties(members, schema)
    for (const branch of [...this.#branches(schema['allOf']), ...this.#target(schema['$ref'])]) {
      add(members, branch)
      for (const name of branch.required) members.required.add(name)
    }
    for (const alternatives of [this.#branches(schema['anyOf']), this.#branches(schema['oneOf'])]) {
      for (const branch of alternatives) add(members, branch)
      for (const name of requiredByAll(alternatives)) members.required.add(name)
    }
    return members
  }

  #branches(schemas: unknown): readonly Members[] {
    return Array.isArray(schemas) ? schemas.filter(isJsonObject).map((schema) => this.collect(schema)) : []
  }

  /** Of a reference within the schema: no other is ever followed. */
  #target(reference: unknown): readonly Members[] {
    const target = typeof reference === 'string' ? atReference(this.root, reference) : undefined
    return isJsonObject(target) ? [this.collect(target)] : []
  }
}

function addProperties({ properties, required }: Members, schema: JsonObject): void {
  const own = isJsonObject(schema['properties']) ? schema['properties'] : {}
  for (const [name, property] of Object.entries(own)) properties.set(name, isJsonObject(property) ? [property] : [{}])
  const names: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  for (const name of names) if (typeof name === 'string') required.add(name)
}

function add({ properties }: Members, branch: Members): void {
  for (const [name, schemas] of branch.properties) properties.set(name, [...(properties.get(name) ?? []), ...schemas])
}

function requiredByAll([first, ...others]: readonly Members[]): readonly string[] {
  return [...(first?.required ?? [])].filter((name) => others.every(({ required }) => required.has(name)))
}

function anyOf(schemas: readonly JsonObject[]): JsonObject {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return different.length === 1 ? (different[0] as JsonObject) : { anyOf: different }
}
