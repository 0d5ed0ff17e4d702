import type { JsonObject } from '../rpc/messages.js'
import { toReference } from './json-pointer.js'
import { SchemaError } from './schema-problem.js'
import { allSchemas, changeParts, mapSubschemas } from './subschemas.js'

const names = ['$id', '$anchor', '$dynamicAnchor']

/** Makes relative names absolute: `$id: 'User'` is `schema:/User`. */
const rootBase = 'schema:/'

/** A part of a schema, and where it is. */
interface Place {
  readonly schema: JsonObject
  readonly pointer: string
  /** The `$id` that its own names and references are relative to. */
  readonly base: string
}

interface LocalReferences {
  /** For lists: as the author wrote it, where each client reads that as it is meant. */
  readonly wire: JsonObject
  /** The same without any `$id` or anchor: each reference is a `$ref` with a pointer from the root. */
  readonly local: JsonObject
}

/**
 * Rewrites references as pointers to parts of the schema.
 *
 * The official clients compile the schemas of all tools with one Ajv. It refuses an `$id` that appears twice, and takes the
 * first schema of an `$id` for each further one. It also resolves a `$dynamicRef` to the root, whatever it leads to.
 *
 * @throws SchemaError for a reference with several meanings.
 */
export function withLocalReferences(root: JsonObject, hasDynamicReferences: boolean): LocalReferences {
  const parts = allSchemas(root)
  if (!parts.some((part) => '$dynamicRef' in part || isNamed(part))) return { wire: root, local: root }
  const references = new References(root)
  const isMeant = (part: JsonObject): boolean => isNamed(part) || '$ref' in part || '$dynamicRef' in part
  const local = changeParts(root, isMeant, (copy, part) => {
    const { $id: _id, $anchor: _anchor, $dynamicAnchor: _dynamicAnchor, $ref, ...rest } = copy
    const place = references.placeOf(part)
    const schema = $ref === undefined ? rest : { ...rest, $ref: references.follow($ref, place) }
    return hasDynamicReferences ? references.followDynamic(schema, place) : schema
  })
  return { wire: parts.some((part) => '$id' in part || '$dynamicRef' in part) ? local : root, local }
}

function isNamed(part: JsonObject): boolean {
  return names.some((keyword) => keyword in part)
}

class References {
  readonly #places = new Map<JsonObject, Place>()
  /** By absolute URI; an anchor is in the fragment. */
  readonly #named = new Map<string, Place[]>()
  /** By the `$id` as it is written, which is how TypeBox compares them. */
  readonly #written = new Map<string, Place[]>()
  /** The places of each `$dynamicAnchor`. */
  readonly #dynamic = new Map<string, number>()

  constructor(root: JsonObject) {
    this.#visit(root, '', rootBase)
    const place = this.placeOf(root)
    if (!this.#named.has(rootBase)) add(this.#named, rootBase, place)
  }

  placeOf(part: JsonObject): Place {
    return this.#places.get(part) as Place
  }

  #visit(schema: JsonObject, pointer: string, outerBase: string): void {
    const { $id, $anchor, $dynamicAnchor } = schema
    const id = typeof $id === 'string' ? resolve($id, outerBase) : undefined
    // In draft-07 an `$id` that is a fragment names the part, as an `$anchor` does.
    const base = id === undefined || id.includes('#') ? outerBase : id
    const place = { schema, pointer, base }
    this.#places.set(schema, place)
    if (id !== undefined) {
      add(this.#named, id, place)
      add(this.#written, $id as string, place)
    }
    for (const anchor of new Set([$anchor, $dynamicAnchor])) {
      if (typeof anchor === 'string') add(this.#named, `${base}#${anchor}`, place)
    }
    if (typeof $dynamicAnchor === 'string') {
      this.#dynamic.set($dynamicAnchor, (this.#dynamic.get($dynamicAnchor) ?? 0) + 1)
    }
    mapSubschemas(schema, (inner, path) => {
      this.#visit(inner, `${pointer}/${path}`, base)
      return inner
    })
  }

  /** The reference as a pointer from the root; as it is where it leads out of the schema. */
  follow(reference: unknown, from: Place): unknown {
    if (typeof reference !== 'string') return reference
    const uri = resolve(reference, from.base) ?? ''
    const [resource = '', fragment = ''] = uri.split('#')
    const isPointer = fragment.startsWith('/')
    const name = isPointer || fragment === '' ? resource : uri
    const target = onlyOne(reference, this.#named.get(name) ?? this.#written.get(reference))
    if (target === undefined) return reference
    const to = toReference(target.pointer)
    return isPointer ? `${to}${fragment}` : to
  }

  /** A `$dynamicRef` has one meaning where its `$dynamicAnchor` is there once, and then means what a `$ref` does. */
  followDynamic({ $dynamicRef, ...schema }: JsonObject, from: Place): JsonObject {
    if (typeof $dynamicRef !== 'string') return schema
    const [, fragment = ''] = $dynamicRef.split('#')
    if ((this.#dynamic.get(fragment) ?? 0) > 1) {
      throw new SchemaError(
        `has the $dynamicRef ${$dynamicRef}, and several parts with that $dynamicAnchor, among which no client of ` +
          'the official SDK can choose. Write $ref',
      )
    }
    const $ref = this.follow($dynamicRef, from)
    // Wrapped in a list, because there may be a `$ref` beside it.
    return '$ref' in schema ? { ...schema, allOf: [...listOf(schema['allOf']), { $ref }] } : { ...schema, $ref }
  }
}

/** An empty fragment counts as absent. Returns `undefined` for a string that is no reference. */
function resolve(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href.replace(/#$/, '') : undefined
}

function onlyOne(name: string, places: readonly Place[] = []): Place | undefined {
  const [first, ...others] = places
  const text = JSON.stringify(first?.schema)
  if (others.every(({ schema }) => JSON.stringify(schema) === text)) return first
  throw new SchemaError(`has several schemas called ${name}. Rename all but one`)
}

function add(places: Map<string, Place[]>, name: string, place: Place): void {
  const known = places.get(name)
  if (known === undefined) places.set(name, [place])
  else known.push(place)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
