import { isJsonObject, type JsonObject } from '@toolwright/core'
import { toObject } from './json.js'
import { mapSchemas } from './keywords.js'

/** A JSON Schema of draft 2020-12. */
export type Schema = Record<string, unknown> | boolean

interface Definition {
  readonly name: string
  schema: Schema
  uses: number
  isRecursive: boolean
}

/** Schemas of at most this many characters are written out where they are used. */
const maxInlined = 160

/**
 * The schemas that other schemas refer to. A schema that is used several times, or that contains itself, becomes an entry of
 * `$defs`. Other schemas are written out where they are used.
 */
export class Definitions {
  readonly #byKey = new Map<string, Definition>()
  readonly #byName = new Map<string, Definition>()
  readonly #open = new Set<Definition>()

  /** Returns a reference to a schema. @param write Called for the first reference. */
  refer(key: string, write: () => Schema): Record<string, unknown> {
    const known = this.#byKey.get(key)
    if (known !== undefined) {
      known.uses++
      if (this.#open.has(known)) known.isRecursive = true
      return { $ref: `#/$defs/${known.name}` }
    }
    const definition: Definition = { name: this.#nameOf(key), schema: true, uses: 1, isRecursive: false }
    this.#byKey.set(key, definition)
    this.#byName.set(definition.name, definition)
    this.#open.add(definition)
    definition.schema = write()
    this.#open.delete(definition)
    return { $ref: `#/$defs/${definition.name}` }
  }

  addTo(schema: Record<string, unknown>): Record<string, unknown> {
    const root = this.#inline(schema) as Record<string, unknown>
    const reached = new Map<string, unknown>()
    this.#collect(root, reached)
    return reached.size === 0 ? root : { ...root, $defs: toObject(reached) }
  }

  #nameOf(key: string): string {
    const last = decodeURIComponent(key.slice(key.lastIndexOf('/') + 1))
    const base = last.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 60) || 'schema'
    let name = base
    for (let count = 2; this.#byName.has(name); count++) name = `${base}_${count}`
    return name
  }

  #isKept({ isRecursive, uses, schema }: Definition): boolean {
    if (isRecursive) return true
    if (uses === 1) return false
    // References in a copied schema would be copied as well, and could double at each level.
    const text = JSON.stringify(schema)
    return text.length > maxInlined || text.includes('"$ref"')
  }

  #inline(schema: unknown): unknown {
    if (!isJsonObject(schema)) return schema
    const definition = this.#definitionOf(schema)
    if (definition === undefined || this.#isKept(definition)) return mapSchemas(schema, (part) => this.#inline(part))
    const { $ref: _, ...besides } = schema
    const written = this.#inline(definition.schema)
    if (!isJsonObject(written)) return besides
    const clashes = Object.keys(besides).some((name) => name in written && name !== 'description')
    const own = this.#inline(besides) as JsonObject
    return clashes ? { allOf: [written, own] } : { ...written, ...own }
  }

  /** Collects the definitions that an inlined schema refers to, and the definitions that these refer to. */
  #collect(schema: unknown, reached: Map<string, unknown>): unknown {
    if (!isJsonObject(schema)) return schema
    const definition = this.#definitionOf(schema)
    if (definition !== undefined && !reached.has(definition.name)) {
      const inlined = this.#inline(definition.schema)
      reached.set(definition.name, inlined)
      this.#collect(inlined, reached)
    }
    return mapSchemas(schema, (part) => this.#collect(part, reached))
  }

  #definitionOf({ $ref: reference }: JsonObject): Definition | undefined {
    return typeof reference === 'string' ? this.#byName.get(reference.slice('#/$defs/'.length)) : undefined
  }
}
