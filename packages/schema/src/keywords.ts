import { numberFormats } from './formats.js'
import { isJsonObject, type JsonObject } from './json.js'
import { convertResolved, type Resolved } from './resolve-references.js'
import { toSortedJson } from './sorted-json.js'
import { listOf } from './subschemas.js'
import { Type } from './typebox.js'

// Keywords whose checks in TypeBox are wrong or too slow.

/**
 * Whether a number is a multiple of another in decimal notation. For example, 19.99 is a multiple of 0.01, although neither
 * number is exact in binary. The tolerance is proportional to the number, like its rounding error.
 */
function isMultipleOf(value: number, divisor: number): boolean {
  if (value % divisor === 0) return true
  if (Number.isInteger(divisor)) return false
  const nearest = Math.round(value / divisor) * divisor
  return Math.abs(nearest - value) <= 2 * Number.EPSILON * Math.abs(value)
}

/**
 * Whether all items are unique as JSON, in linear time. Comparing all pairs takes hours for an array of the maximum message size,
 * and TypeBox's hashes of single bytes take ten times as long.
 */
function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(toText)).size === items.length
}

/**
 * Maps each value to a unique string that does not look like a number. V8 hashes numbers without a secret seed: 30,000
 * chosen numbers can block a `Set` for a second.
 */
function toText(item: unknown): string {
  if (typeof item === 'string') return `"${item}`
  return typeof item === 'object' && item !== null ? toSortedJson(item) : `#${String(item)}`
}

/** Names of members that all objects inherit. TypeBox finds these names in every object. */
const inherited: ReadonlySet<unknown> = new Set(Object.getOwnPropertyNames(Object.prototype))

/** Names that TypeBox mistakes for keywords, which make the whole check slower. */
const mistaken = new Set(['unevaluatedItems', 'unevaluatedProperties'])

function isOdd(name: string): boolean {
  return inherited.has(name) || mistaken.has(name)
}

/** Replaces checks of TypeBox, and keywords that TypeBox does not have. */
export function withOwnChecks(schema: Resolved): Resolved {
  return convertResolved(schema, (copy) => {
    convertKeywords(copy)
    return refine(copy)
  })
}

/** The pattern that TypeBox writes for the names of a record. It does not match names with line breaks. */
const anyName = '^.*$'

function convertKeywords(copy: Record<string, unknown>): void {
  const { properties, patternProperties, additionalProperties, dependencies, nullable, type } = copy
  if (isJsonObject(patternProperties) && additionalProperties === undefined && properties === undefined) {
    const { [anyName]: member, ...others } = patternProperties
    if (member !== undefined && Object.keys(others).length === 0) {
      delete copy['patternProperties']
      copy['additionalProperties'] = member
    }
  }
  if (isJsonObject(properties) && Object.keys(properties).some(isOdd)) {
    const [odd, others] = split(properties, isOdd)
    // A pattern is only compared with the names that an object has itself.
    const patterns = Object.entries(odd).map(([name, schema]) => [`^${name}$`, schema] as const)
    copy['properties'] = others
    copy['patternProperties'] = { ...(copy['patternProperties'] as object), ...Object.fromEntries(patterns) }
  }
  if (isJsonObject(dependencies)) {
    const [lists, schemas] = split(dependencies, (_name, dependency) => Array.isArray(dependency))
    delete copy['dependencies']
    copy['dependentRequired'] = { ...lists, ...(copy['dependentRequired'] as object) }
    copy['dependentSchemas'] = { ...schemas, ...(copy['dependentSchemas'] as object) }
  }
  // A keyword of OpenAPI, which Ajv supports.
  if (nullable === true && type !== undefined) copy['type'] = [type, 'null'].flat()
}

function split(
  members: JsonObject,
  isMeant: (name: string, member: unknown) => boolean,
): readonly [JsonObject, JsonObject] {
  const entries = Object.entries(members)
  const meant = entries.filter(([name, member]) => isMeant(name, member))
  return [Object.fromEntries(meant), Object.fromEntries(entries.filter((entry) => !meant.includes(entry)))]
}

function refine(copy: Record<string, unknown>): JsonObject {
  const { uniqueItems, multipleOf, format, required } = copy
  const checks: (readonly [message: string, passes: (value: unknown) => boolean])[] = []
  if (uniqueItems === true) {
    delete copy['uniqueItems']
    checks.push(['must not have duplicate items', (value) => !Array.isArray(value) || areUnique(value)])
  }
  if (typeof multipleOf === 'number' && !Number.isInteger(multipleOf)) {
    delete copy['multipleOf']
    const passes = (value: unknown): boolean => typeof value !== 'number' || isMultipleOf(value, multipleOf)
    checks.push([`must be a multiple of ${multipleOf}`, passes])
  }
  const isOfFormat = numberFormats.get(format)
  if (isOfFormat !== undefined) {
    const passes = (value: unknown): boolean => typeof value !== 'number' || isOfFormat(value)
    checks.push([`must match the format "${String(format)}"`, passes])
  }
  for (const name of listOf(required)) {
    if (typeof name !== 'string' || !inherited.has(name)) continue
    const passes = (value: unknown): boolean => !isJsonObject(value) || Object.hasOwn(value, name)
    checks.push([`is missing required property '${name}'`, passes])
  }
  return checks.reduce<JsonObject>((part, [message, passes]) => Type.Refine(part, passes, () => message), copy)
}

/**
 * Whether a string has more than `maxLength` characters, even if each character has two UTF-16 code units. Such a string is
 * invalid, so its pattern need not be checked.
 */
export function isTooLong(text: string, maxLength: unknown): boolean {
  return typeof maxLength === 'number' && text.length > 2 * maxLength
}

/**
 * Creates a check whether a JSON value equals one of the allowed values. The order of an object's members is
 * irrelevant.
 */
export function isOneOf(allowed: readonly unknown[]): (value: unknown) => boolean {
  const scalars = new Set(allowed.filter((value) => !isObject(value)))
  const objects = allowed.filter(isObject)
  return (value) => (isObject(value) ? objects.some((one) => areEqual(one, value)) : scalars.has(value))
}

function areEqual(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && areEqual(a[key], b[key]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
