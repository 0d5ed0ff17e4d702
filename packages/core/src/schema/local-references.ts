import type { JsonObject } from '../rpc/messages.js'
import { SchemaError } from './compiled-schema.js'
import { toReference } from './json-pointer.js'
import { allSchemas, changeParts, listOf, mapSubschemas } from './subschemas.js'

const names = ['$id', '$anchor', '$dynamicAnchor']

/** Base URI for relative names: `$id: 'User'` is `schema:/User`. */
const rootBase = 'schema:/'

interface Place {
  readonly schema: JsonObject
  readonly pointer: string
  /** The `$id` that relative names and references in the part are resolved against. */
  readonly base: string
}

interface LocalReferences {
  /** Schema for lists. Unchanged if every client interprets it correctly. */
  readonly wire: JsonObject
  /** The same schema without `$id` and anchors: each reference is a `$ref` with a pointer from the root. */
  readonly local: JsonObject
}

/**
 * Rewrites references as pointers to parts of the schema.
 *
 * The official clients compile the schemas of all tools with one Ajv instance. It rejects a duplicate `$id`, and uses
 * the first schema with an `$id` for all later ones. It also resolves every `$dynamicRef` to the root.
 *
 * @throws SchemaError for an ambiguous reference.
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
  /** Parts by absolute URI. Anchors are fragments of the URI. */
  readonly #named = new Map<string, Place[]>()
  /** Parts by the unresolved `$id`, which is what TypeBox compares. */
  readonly #written = new Map<string, Place[]>()
  /** Number of parts per `$dynamicAnchor`. */
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
    // In draft-07, an `$id` that is a fragment names the part, like `$anchor`.
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

  /** Converts a reference to a pointer from the root. References to other schemas stay unchanged. */
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

  /** Converts a `$dynamicRef` whose `$dynamicAnchor` is unique: it is equivalent to a `$ref`. */
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
    // Wrapped in `allOf`, because the part may already have a `$ref`.
    return '$ref' in schema ? { ...schema, allOf: [...listOf(schema['allOf']), { $ref }] } : { ...schema, $ref }
  }
}

/** Resolves a reference without an empty fragment. Returns `undefined` for an invalid reference. */
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
