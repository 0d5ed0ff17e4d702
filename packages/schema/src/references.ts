import { SchemaError } from './compiled-schema.js'
import { isJsonObject, type JsonObject } from './json.js'
import { atReference, toReference } from './json-pointer.js'
import {
  allSchemas,
  changeParts,
  createConverter,
  listOf,
  mapSubschemas,
  objectsIn,
  subschemasOf,
} from './subschemas.js'
import type { Targets } from './typebox.js'

/** A schema whose references are pointers, and the schemas and booleans that they point to. */
export interface Resolved {
  readonly root: JsonObject
  readonly targets: Targets
  /** All parts, including parts that only references make schemas. */
  readonly parts: readonly JsonObject[]
}

/** @throws SchemaError for a reference that does not point to a part of the schema. */
export function resolveReferences(root: JsonObject): Resolved {
  const targets: Record<string, unknown> = {}
  const parts = new Set(allSchemas(root))
  // A set also iterates over the parts that are added meanwhile.
  for (const { $ref } of parts) {
    if ($ref === undefined) continue
    const reference = typeof $ref === 'string' ? $ref : JSON.stringify($ref)
    if (Object.hasOwn(targets, reference)) continue
    const target = atReference(root, reference)
    if (!isJsonObject(target) && typeof target !== 'boolean') {
      throw new SchemaError(
        `refers to ${reference}, which is not part of the schema. Add that schema under $defs: schemas are not fetched`,
      )
    }
    targets[reference] = target
    if (isJsonObject(target) && !parts.has(target)) for (const part of allSchemas(target)) parts.add(part)
  }
  return { root, targets, parts: [...parts] }
}

export function convertResolved(
  { root, targets, parts }: Resolved,
  change: (copy: Record<string, unknown>, part: JsonObject) => JsonObject,
): Resolved {
  const convert = createConverter(change)
  const entries = Object.entries(targets).map(([reference, target]) => {
    return [reference, isJsonObject(target) ? convert(target) : target] as const
  })
  return { root: convert(root), targets: Object.fromEntries(entries), parts: parts.map(convert) }
}

/**
 * The recursive parts of a schema: parts that apply to a value and again to its inner parts. The references of a schema with very
 * many paths are also treated as recursive.
 */
export interface Recursion {
  readonly follow: (part: JsonObject) => unknown
  readonly isCycle: (part: JsonObject) => boolean
  readonly isRecursive: (part: unknown) => boolean
  readonly reaches: (from: unknown, to: JsonObject) => boolean
}

export function findRecursion({ root, targets, parts }: Resolved): Recursion | null {
  if (Object.keys(targets).length === 0) return null
  const follow = createFollow(targets)
  const references = parts.filter((part) => '$ref' in part)
  const reachedFrom = (start: unknown): ReadonlySet<JsonObject> => {
    const reached = new Set(objectsIn([start]))
    // A set also iterates over the parts that are added meanwhile.
    for (const part of reached) {
      for (const inner of objectsIn([...subschemasOf(part), follow(part)])) reached.add(inner)
    }
    return reached
  }
  const closed = new Set(references.filter((part) => reachedFrom(follow(part)).has(part)))
  // Even references without a cycle can multiply the work: unions of 20 nested definitions have a million paths.
  if (countPaths(root, (part) => (closed.has(part) ? undefined : follow(part))) > maxPaths) {
    for (const part of references) closed.add(part)
  }
  if (closed.size === 0) return null
  const known = new Map<JsonObject, boolean>()
  return {
    follow,
    isCycle: (part) => closed.has(part),
    reaches: (from, to) => reachedFrom(from).has(to),
    isRecursive: (part) => {
      if (!isJsonObject(part)) return false
      let found = known.get(part)
      if (found === undefined) {
        found = [...reachedFrom(part)].some((inner) => closed.has(inner))
        known.set(part, found)
      }
      return found
    },
  }
}

function createFollow(targets: Targets): Recursion['follow'] {
  return ({ $ref }) => (typeof $ref === 'string' ? targets[$ref] : undefined)
}

/**
 * Maximum number of paths through a schema. For schemas with more paths, the work of each check is limited. A check of this
 * number of paths takes a few milliseconds.
 */
const maxPaths = 10_000

function countPaths(root: JsonObject, targetOf: (part: JsonObject) => unknown): number {
  const known = new Map<JsonObject, number>()
  const count = (part: unknown): number => {
    if (!isJsonObject(part)) return 0
    let paths = known.get(part)
    if (paths === undefined) {
      paths = [...subschemasOf(part), targetOf(part)].reduce<number>((sum, inner) => sum + count(inner), 1)
      known.set(part, paths)
    }
    return paths
  }
  return count(root)
}

/**
 * Whether a part refers to itself, directly or through other references, for the same value: `{ "$ref": "#" }`. Such a schema
 * compiles, but its check never ends. Recursion into items or properties is valid.
 */
export function hasEndlessReference({ targets, parts }: Resolved): boolean {
  if (Object.keys(targets).length === 0) return false
  const follow = createFollow(targets)
  const finished = new Set<JsonObject>()
  const open = new Set<JsonObject>()
  const isEndless = (schema: unknown): boolean => {
    if (!isJsonObject(schema) || finished.has(schema)) return false
    if (open.has(schema)) return true
    open.add(schema)
    const found = appliedInPlace(schema).some(isEndless) || isEndless(follow(schema))
    open.delete(schema)
    finished.add(schema)
    return found
  }
  return parts.some(isEndless)
}

function appliedInPlace(schema: JsonObject): readonly unknown[] {
  const { allOf = [], anyOf = [], oneOf = [], not, if: condition, then, else: otherwise, dependentSchemas } = schema
  const dependent = isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : []
  return [allOf, anyOf, oneOf, not, condition, then, otherwise, ...dependent].flat()
}

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
