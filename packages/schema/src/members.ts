import { isJsonObject, type JsonObject } from './json.js'
import { atReference } from './json-pointer.js'
import { listOf, objectsIn } from './subschemas.js'

export interface Members {
  readonly properties: Map<string, JsonObject[]>
  readonly required: Set<string>
}

/** @param root The schema that references refer to. */
export function collectMembers(schema: JsonObject, root: JsonObject = schema): Members {
  return new Collector(root).collect(schema)
}

/** Whether a schema only accepts objects, either by its `type` or in all of its alternatives. */
export function isOfObjects(root: JsonObject): boolean {
  const open = new Set<unknown>()
  const isOne = (schema: unknown): boolean => {
    if (!isJsonObject(schema) || open.has(schema)) return false
    open.add(schema)
    const { type, allOf, anyOf, oneOf, $ref } = schema
    const found =
      type === 'object' ||
      listOf(allOf).some(isOne) ||
      [anyOf, oneOf].map(listOf).some((branches) => branches.length > 0 && branches.every(isOne)) ||
      (typeof $ref === 'string' && isOne(atReference(root, $ref)))
    open.delete(schema)
    return found
  }
  return isOne(root)
}

class Collector {
  /** Each schema is visited once, because references can be circular. */
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
    return objectsIn(schemas).map((schema) => this.collect(schema))
  }

  #target(reference: unknown): readonly Members[] {
    const target = typeof reference === 'string' ? atReference(this.root, reference) : undefined
    return isJsonObject(target) ? [this.collect(target)] : []
  }
}

function addProperties({ properties, required }: Members, schema: JsonObject): void {
  const own = isJsonObject(schema['properties']) ? schema['properties'] : {}
  for (const [name, property] of Object.entries(own)) properties.set(name, isJsonObject(property) ? [property] : [{}])
  for (const name of listOf(schema['required'])) if (typeof name === 'string') required.add(name)
}

function add({ properties }: Members, branch: Members): void {
  for (const [name, schemas] of branch.properties) properties.set(name, [...(properties.get(name) ?? []), ...schemas])
}

function requiredByAll([first, ...others]: readonly Members[]): readonly string[] {
  return [...(first?.required ?? [])].filter((name) => others.every(({ required }) => required.has(name)))
}
