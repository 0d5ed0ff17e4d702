import { SchemaError } from './compiled-schema.js'
import type { JsonObject } from './json.js'
import { toReference } from './json-pointer.js'
import { allSchemas, changeParts, listOf, mapSubschemas } from './subschemas.js'

const names = ['$id', '$anchor', '$dynamicAnchor'] as const
/** `$recursiveRef` is of the dialect 2019-09. */
const dynamicReferences = ['$dynamicRef', '$recursiveRef'] as const

/** Base URI for relative names: `$id: 'User'` is `schema:/User`. */
const rootBase = 'schema:/'

interface Place {
  readonly schema: JsonObject
  readonly pointer: string
  readonly base: string
}

interface LocalReferences {
  /** Schema to publish. Equal to the given schema if every validator interprets that schema correctly. */
  readonly wire: JsonObject
  /** The same schema without `$id` and anchors: each reference is a `$ref` with a pointer from the root. */
  readonly local: JsonObject
}

/**
 * Rewrites references as pointers to parts of the schema.
 *
 * Readers of several schemas often compile all of them with one Ajv instance. If two schemas have the same `$id`, Ajv throws an
 * error, or uses the first schema for both. Ajv also resolves every `$dynamicRef` to the root.
 *
 * @throws SchemaError for an ambiguous reference.
 */
export function withLocalReferences(root: JsonObject, hasDynamicReferences: boolean): LocalReferences {
  const parts = allSchemas(root)
  const isDynamic = (part: JsonObject): boolean => dynamicReferences.some((keyword) => keyword in part)
  if (!parts.some((part) => isDynamic(part) || isNamed(part))) return { wire: root, local: root }
  const references = new References(root)
  const isMeant = (part: JsonObject): boolean => isNamed(part) || '$ref' in part || isDynamic(part)
  const local = changeParts(root, isMeant, (copy, part) => {
    const place = references.placeOf(part)
    for (const name of names) delete copy[name]
    if ('$ref' in copy) copy['$ref'] = references.follow(copy['$ref'], place)
    if (hasDynamicReferences) references.followDynamic(copy, place)
    return copy
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
  /** Parts by their `$id` as written in the schema, without resolution: TypeBox compares this form. */
  readonly #written = new Map<string, Place[]>()
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

  followDynamic(copy: Record<string, unknown>, from: Place): void {
    for (const keyword of dynamicReferences) {
      const { [keyword]: reference } = copy
      if (typeof reference !== 'string') continue
      const [, fragment = ''] = reference.split('#')
      if ((this.#dynamic.get(fragment) ?? 0) > 1) {
        throw new SchemaError(
          `has the $dynamicRef ${reference}, but several schemas with that $dynamicAnchor. Validators choose ` +
            'different ones. Write $ref',
        )
      }
      const $ref = this.follow(reference, from)
      delete copy[keyword]
      // The `$ref` is wrapped in `allOf`, because the part can already have a `$ref`.
      if ('$ref' in copy) copy['allOf'] = [...listOf(copy['allOf']), { $ref }]
      else copy['$ref'] = $ref
    }
  }
}

function resolve(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href.replace(/#$/, '') : undefined
}

function onlyOne(name: string, places: readonly Place[] = []): Place | undefined {
  const [first, ...others] = places
  const text = JSON.stringify(first?.schema)
  if (others.every(({ schema }) => JSON.stringify(schema) === text)) return first
  throw new SchemaError(`has several schemas called ${name}. Rename all but one`)
}

function add<Value>(values: Map<string, Value[]>, name: string, value: Value): void {
  const known = values.get(name)
  if (known === undefined) values.set(name, [value])
  else known.push(value)
}
