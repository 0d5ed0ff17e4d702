import { SchemaError } from './compiled-schema.js'
import { isJsonObject, type JsonObject } from './json.js'
import { atReference } from './json-pointer.js'
import { shorten } from './shorten.js'
import { allSchemas, changeParts, listOf } from './subschemas.js'
import type { Validator } from './validator.js'

type FillDefaults = (value: unknown) => void

/**
 * Compiles the defaults of properties, at any depth of `properties`, `patternProperties`, `additionalProperties`, `items`,
 * `prefixItems`, `allOf` and `$ref`. Returns `null` if there is no default. In other places, such as `anyOf`, a default is only
 * documentation, because the matching branch is known too late. Parts without defaults are never visited.
 *
 * @throws SchemaError for a default that its own schema rejects: every value without the property would be invalid.
 */
export function compileDefaults(root: JsonObject, validator: Validator): ((value: unknown) => unknown) | null {
  // Most schemas have no defaults. Without this check, the compilation of each part would cause a tenth of all allocations at
  // boot.
  if (!hasDefault(root)) return null
  const compiler = new DefaultsCompiler(root)
  const fill = compiler.compile(root)
  for (const given of compiler.given) checkDefault(given, validator)
  return fill === null ? null : (value) => (fill(value), value)
}

/**
 * Removes properties with defaults from `required`. Otherwise, strict readers of the schema would not omit these properties. Parts
 * that are alternatives stay unchanged, because their defaults are only documentation.
 */
export function withOptionalDefaults(root: JsonObject): JsonObject {
  if (!hasDefault(root)) return root
  const compiler = new DefaultsCompiler(root)
  compiler.compile(root)
  const alternatives = partsOfAlternatives(root)
  const lacking = new Map<JsonObject, Set<string>>()
  for (const { owner, name } of compiler.given) {
    if (!alternatives.has(owner)) lacking.set(owner, (lacking.get(owner) ?? new Set()).add(name))
  }
  return changeParts(
    root,
    (part) => lacking.has(part) && Array.isArray(part['required']),
    (copy, part) => {
      const required = (copy['required'] as unknown[]).filter((name) => !lacking.get(part)?.has(name as string))
      const { required: _required, ...rest } = copy
      return required.length === 0 ? rest : { ...rest, required }
    },
  )
}

function hasDefault(schema: JsonObject): boolean {
  return allSchemas(schema).some((part) => part['default'] !== undefined)
}

interface GivenDefault {
  readonly owner: JsonObject
  readonly name: string
  readonly schema: JsonObject
  /** The default as JSON. */
  readonly text: string
  readonly fill: FillDefaults | null
}

function checkDefault({ name, schema, text, fill }: GivenDefault, validator: Validator): void {
  const value: unknown = JSON.parse(text)
  try {
    fill?.(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new SchemaError(`gives '${name}' a default that contains itself endlessly. Remove one of the defaults`)
  }
  if (validator.fits(schema, value)) return
  throw new SchemaError(
    `gives '${name}' the default ${shorten(text, 80)}, which does not match its schema. Correct the default`,
  )
}

class DefaultsCompiler {
  readonly given: GivenDefault[] = []
  readonly #targets = new Map<JsonObject, FillDefaults>()

  constructor(private readonly root: JsonObject) {}

  compile(schema: unknown): FillDefaults | null {
    if (!isJsonObject(schema)) return null
    const { properties, items, prefixItems, allOf, $ref } = schema
    const named = isJsonObject(properties) ? Object.entries(properties) : []
    return all([
      ...named.map(([name, property]) => this.#property(schema, name, property)),
      ...listOf(prefixItems).map((item, index) => fillPart(index, this.compile(item))),
      ...listOf(allOf).map((part) => this.compile(part)),
      fillItems(this.compile(items), listOf(prefixItems).length),
      this.#otherProperties(schema),
      this.#reference($ref),
    ])
  }

  #property(owner: JsonObject, name: string, schema: unknown): FillDefaults | null {
    const fill = this.compile(schema)
    const text = JSON.stringify(this.#defaultOf(schema)) as string | undefined
    if (text === undefined) return fillPart(name, fill)
    this.given.push({ owner, name, schema: schema as JsonObject, text, fill })
    return (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return
      const parts = value as Record<string, unknown>
      // The default is parsed for each value, so that a change of one value does not change the next.
      if (!Object.hasOwn(parts, name) || parts[name] === undefined) parts[name] = JSON.parse(text)
      fill?.(parts[name])
    }
  }

  /** Returns the default of a property. A property with a `$ref` has the default of the referenced part. */
  #defaultOf(schema: unknown): unknown {
    if (!isJsonObject(schema)) return undefined
    const { default: own, $ref } = schema
    return own === undefined ? this.#defaultOf(this.#target($ref)) : own
  }

  #target(reference: unknown): unknown {
    return typeof reference === 'string' ? atReference(this.root, reference) : undefined
  }

  #otherProperties({ properties, patternProperties, additionalProperties }: JsonObject): FillDefaults | null {
    const patterns = Object.entries(isJsonObject(patternProperties) ? patternProperties : {}).map(
      ([pattern, schema]) => ({ pattern: new RegExp(pattern, 'u'), fill: this.compile(schema) }),
    )
    const fillRest = this.compile(additionalProperties)
    if (fillRest === null && patterns.every(({ fill }) => fill === null)) return null
    const named = new Set(isJsonObject(properties) ? Object.keys(properties) : [])
    return (value) => {
      if (!isJsonObject(value)) return
      for (const [name, part] of Object.entries(value)) {
        const matching = patterns.filter(({ pattern }) => pattern.test(name))
        for (const { fill } of matching) fill?.(part)
        if (matching.length === 0 && !named.has(name)) fillRest?.(part)
      }
    }
  }

  #reference(reference: unknown): FillDefaults | null {
    const target = this.#target(reference)
    if (!isJsonObject(target) || !this.#reachesDefault(target, new Set())) return null
    const known = this.#targets.get(target)
    if (known !== undefined) return known
    let fill: FillDefaults | null = null
    // The function is stored before the target is compiled, because the target can refer to itself.
    const later: FillDefaults = (value) => fill?.(value)
    this.#targets.set(target, later)
    fill = this.compile(target)
    return later
  }

  #reachesDefault(target: unknown, seen: Set<unknown>): boolean {
    if (!isJsonObject(target) || seen.has(target)) return false
    seen.add(target)
    return allSchemas(target).some((part) => {
      return part['default'] !== undefined || this.#reachesDefault(this.#target(part['$ref']), seen)
    })
  }
}

/** Keywords whose schemas a valid value need not match. */
const alternativeKeywords = ['anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'contains', 'dependentSchemas']

function partsOfAlternatives(root: JsonObject): ReadonlySet<JsonObject> {
  const found = new Set<JsonObject>()
  const visit = (schema: unknown): void => {
    if (Array.isArray(schema)) schema.forEach(visit)
    if (!isJsonObject(schema)) return
    for (const part of allSchemas(schema)) {
      if (found.has(part)) continue
      found.add(part)
      if (typeof part['$ref'] === 'string') visit(atReference(root, part['$ref']))
    }
  }
  for (const part of allSchemas(root)) {
    for (const keyword of alternativeKeywords) visit(part[keyword])
  }
  return found
}

function fillPart(key: string | number, fill: FillDefaults | null): FillDefaults | null {
  if (fill === null) return null
  return (value) => {
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, key)) fill(Reflect.get(value, key))
  }
}

/** @param from Number of items that have separate schemas. */
function fillItems(fill: FillDefaults | null, from: number): FillDefaults | null {
  if (fill === null) return null
  return (value) => {
    if (Array.isArray(value)) for (const item of from === 0 ? value : value.slice(from)) fill(item)
  }
}

function all(steps: readonly (FillDefaults | null)[]): FillDefaults | null {
  const present = steps.filter((step) => step !== null)
  if (present.length <= 1) return present[0] ?? null
  return (value) => {
    for (const fill of present) fill(value)
  }
}
