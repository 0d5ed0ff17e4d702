import type { JsonObject } from '@toolwright/core'

/** A schema for the strict mode of vendors, and the way back to arguments of the original schema. */
export interface StrictObject {
  readonly schema: JsonObject
  /** Removes the `null` of optional properties, which a model in strict mode cannot leave out. */
  restore(args: unknown): unknown
}

/** Keywords that stay. Limits such as `maximum` are left out: vendors reject some of them, and the server checks them all. */
const kept = ['title', 'description', 'type', 'enum', 'const']

/** Formats that OpenAI and Anthropic accept in strict schemas. */
const formats: readonly unknown[] = [
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]

/** Keywords without a strict form. */
const inexpressible = ['not', 'if', 'prefixItems', 'patternProperties', 'dependentSchemas', '$dynamicRef']

/** Maximum nesting of unions that are searched. */
const maxUnions = 8

const reference = /^#\/(?:\$defs|definitions)\/([^/~%]+)$/

/**
 * Converts a schema to the form that the strict modes of OpenAI and Anthropic require: objects are closed, and all properties
 * are required. Optional properties become nullable. Returns `null` for a schema without such a form, such as one with a record.
 *
 * @param root Result of `toFlatObject`.
 * @param maxDepth Maximum nesting of arguments. The server rejects deeper arguments, so these parts stay unchanged.
 */
export function toStrictObject(root: JsonObject, maxDepth: number): StrictObject | null {
  const schemas = new StrictSchemas(root)
  try {
    return { schema: schemas.convertRoot(), restore: (args) => schemas.restore(args, root, maxDepth) }
  } catch (error) {
    if (error instanceof Inexpressible) return null
    throw error
  }
}

class Inexpressible extends Error {}

class StrictSchemas {
  readonly #definitions: JsonObject
  /** Converted definitions. A definition is `null` while it is being converted, because it can refer to itself. */
  readonly #converted = new Map<string, JsonObject | null>()

  constructor(private readonly root: JsonObject) {
    this.#definitions = { ...asObject(root['definitions']), ...asObject(root['$defs']) }
  }

  convertRoot(): JsonObject {
    const schema = this.#convert(this.root)
    return this.#converted.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(this.#converted) }
  }

  restore(value: unknown, schema: unknown, depth: number): unknown {
    const { items, properties, required, branches } = this.#read(schema)
    if (depth === 0 || typeof value !== 'object' || value === null) return value
    if (branches !== null) {
      const branch = branches.find((one) => this.#matches(value, one))
      return this.restore(value, branch, depth - 1)
    }
    if (Array.isArray(value)) return value.map((entry) => this.restore(entry, items, depth - 1))
    const members = Object.entries(value)
      .filter(([name, member]) => {
        const isAbsent = member === null && Object.hasOwn(properties, name) && !required.includes(name)
        return !isAbsent || this.#allowsNull(properties[name])
      })
      .map(([name, member]) => {
        const own = Object.hasOwn(properties, name) ? properties[name] : undefined
        return [name, this.restore(member, own, depth - 1)]
      })
    return Object.fromEntries(members)
  }

  #convert(given: unknown): JsonObject {
    const { $ref } = asObject(given)
    if (typeof $ref === 'string') return this.#convertReference($ref)
    const schema = withoutAllOf(given)
    if (inexpressible.some((keyword) => keyword in schema)) throw new Inexpressible()
    const { items, properties, required, branches } = this.#read(schema)
    const keywords = Object.fromEntries(
      [...kept, ...(formats.includes(schema['format']) ? ['format'] : [])]
        .filter((keyword) => keyword in schema)
        .map((keyword) => [keyword, schema[keyword]]),
    )
    if (branches !== null) return { ...keywords, anyOf: branches.map((branch) => this.#convert(branch)) }
    const types = [schema['type']].flat()
    if (schema['type'] === undefined && !('enum' in schema || 'const' in schema)) throw new Inexpressible()
    if (types.includes('array')) return { ...keywords, items: this.#convert(items) }
    return types.includes('object') ? { ...keywords, ...this.#close(schema, properties, required) } : keywords
  }

  #close({ additionalProperties }: JsonObject, properties: JsonObject, required: readonly unknown[]): JsonObject {
    const names = Object.keys(properties)
    if (additionalProperties !== false && (additionalProperties !== undefined || names.length === 0)) {
      throw new Inexpressible()
    }
    const members = Object.entries(properties).map(([name, property]): [string, JsonObject] => {
      const converted = this.#convert(property)
      const isNullable = !required.includes(name) && !this.#allowsNull(property)
      return [name, isNullable ? { anyOf: [converted, { type: 'null' }] } : converted]
    })
    return { properties: Object.fromEntries(members), required: names, additionalProperties: false }
  }

  #convertReference($ref: string): JsonObject {
    const name = reference.exec($ref)?.[1]
    if (name === undefined || !Object.hasOwn(this.#definitions, name)) throw new Inexpressible()
    if (!this.#converted.has(name)) {
      this.#converted.set(name, null)
      this.#converted.set(name, this.#convert(this.#definitions[name]))
    }
    return { $ref: `#/$defs/${name}` }
  }

  #allowsNull(schema: unknown, depth = 0): boolean {
    const { branches } = this.#read(schema)
    const { type, enum: values, const: value } = this.#resolve(schema)
    if (branches !== null) return depth < maxUnions && branches.some((branch) => this.#allowsNull(branch, depth + 1))
    if (value !== undefined || Array.isArray(values)) return value === null || [values].flat().includes(null)
    return [type].flat().includes('null')
  }

  /** Whether a value is of a branch of a union. In strict mode, an object has exactly the properties of its branch. */
  #matches(value: object, branch: unknown, depth = 0): boolean {
    const { properties, branches } = this.#read(branch)
    if (branches !== null) return depth < maxUnions && branches.some((one) => this.#matches(value, one, depth + 1))
    if (Array.isArray(value)) return [this.#resolve(branch)['type']].flat().includes('array')
    const members = Object.entries(properties)
    return (
      members.length === Object.keys(value).length &&
      members.every(([name, property]) => {
        const { const: expected } = asObject(property)
        return Object.hasOwn(value, name) && (expected === undefined || (value as JsonObject)[name] === expected)
      })
    )
  }

  #read(given: unknown) {
    const { items, properties, required, anyOf, oneOf = anyOf } = this.#resolve(given)
    return {
      items,
      properties: asObject(properties),
      required: Array.isArray(required) ? (required as readonly unknown[]) : [],
      branches: Array.isArray(oneOf) ? (oneOf as readonly unknown[]) : null,
    }
  }

  #resolve(given: unknown): JsonObject {
    let schema = withoutAllOf(given)
    for (let steps = 0; typeof schema['$ref'] === 'string' && steps < 32; steps++) {
      schema = withoutAllOf(this.#definitions[reference.exec(schema['$ref'])?.[1] ?? ''])
    }
    return schema
  }
}

/** Merges an `allOf` with one entry, in which some libraries wrap a schema that has a description. */
function withoutAllOf(given: unknown): JsonObject {
  const { allOf, ...schema } = asObject(given)
  if (allOf === undefined) return schema
  if (!Array.isArray(allOf) || allOf.length !== 1) throw new Inexpressible()
  return { ...asObject(allOf[0]), ...schema }
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
