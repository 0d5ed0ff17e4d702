// Reading of JSON schemas for forms. A server can send anything: a part that makes no sense is ignored.
import { textOf } from '../parts/text-of.js'

export type Schema = Readonly<Record<string, unknown>>

/** A schema without `$ref` and `allOf`, and the whole schema, which the references of its parts point into. */
export interface Shape {
  readonly schema: Schema
  readonly root: Schema
}

/** Kind of control. `choices` are several values of an `enum`. */
export type Kind =
  | 'choice'
  | 'choices'
  | 'union'
  | 'text'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'list'
  | 'object'
  | 'json'

/** Longest work for one schema: references can be cyclic, or multiply. */
const maxSteps = 500

/** Follows `$ref` within the root, and merges `allOf`. References to elsewhere are never fetched. */
export function shapeOf(given: unknown, root: Schema): Shape {
  return { schema: merge(given, root, { left: maxSteps }), root }
}

function merge(given: unknown, root: Schema, steps: { left: number }): Schema {
  if (!isObject(given) || steps.left-- <= 0) return {}
  const { $ref, allOf, ...own } = given
  const parts = [...(typeof $ref === 'string' ? [find($ref, root)] : []), ...(Array.isArray(allOf) ? allOf : [])]
  return combine([...parts.map((part) => merge(part, root, steps)), own])
}

/** Combines schemas that apply together. Later keywords win, except that properties add up. */
function combine(parts: readonly Schema[]): Schema {
  return parts.reduce((all, part) => {
    const merged: Record<string, unknown> = { ...all, ...part }
    const { properties: before, required: needed } = all
    const { properties, required } = part
    if (isObject(before) && isObject(properties)) {
      const both = Object.entries(properties).map(([name, schema]) => [
        name,
        Object.hasOwn(before, name) ? { allOf: [before[name], schema] } : schema,
      ])
      merged['properties'] = { ...before, ...Object.fromEntries(both) }
    }
    if (Array.isArray(needed) && Array.isArray(required)) merged['required'] = [...needed, ...required]
    return merged
  }, {})
}

function find(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return undefined
  let found: unknown = root
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
    found =
      (isObject(found) || Array.isArray(found)) && Object.hasOwn(found, name)
        ? (found as Record<string, unknown>)[name]
        : undefined
  }
  return found
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The type of a schema, or an empty string. */
export function typeOf({ type, properties, items }: Schema): string {
  if (typeof type === 'string') return type
  if (Array.isArray(type) && type.length === 1) return String(type[0])
  if (isObject(properties)) return 'object'
  return items === undefined ? '' : 'array'
}

export function kindOf(shape: Shape): Kind {
  const { schema } = shape
  if (choicesOf(shape) !== null) return 'choice'
  if (variantsOf(shape).length > 0) return 'union'
  switch (typeOf(schema)) {
    case 'string':
      return 'text'
    case 'number':
    case 'integer':
    case 'boolean':
      return typeOf(schema) as Kind
    case 'array':
      if (Array.isArray(schema['items']) || schema['prefixItems'] !== undefined) return 'json'
      return choicesOf(itemOf(shape)) === null ? 'list' : 'choices'
    default:
      return membersOf(shape).length > 0 ? 'object' : 'json'
  }
}

export interface Choice {
  readonly value: unknown
  readonly title: string
}

/** The values of an `enum`, or of a union of constants; `null` if the schema is neither. */
export function choicesOf({ schema, root }: Shape): readonly Choice[] | null {
  const constant = constantOf(schema)
  if (constant !== null) return [constant]
  const { enum: values, enumNames: names } = schema
  if (Array.isArray(values) && values.length > 0) {
    return values.map((value, index) => ({
      value,
      title: textOf((Array.isArray(names) ? names[index] : undefined) ?? value),
    }))
  }
  const given = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(given) || given.length === 0) return null
  const constants = given.map((each) => {
    const variant = shapeOf(each, root).schema
    // `null` is one variant of many, and not a constant that a person would choose among others.
    return 'const' in variant || Array.isArray(variant['enum']) ? constantOf(variant) : null
  })
  return constants.every((each) => each !== null) ? constants : null
}

function constantOf(schema: Schema): Choice | null {
  const { const: constant, enum: values, title } = schema
  if (typeOf(schema) === 'null') return { value: null, title: 'null' }
  if (!('const' in schema) && !(Array.isArray(values) && values.length === 1)) return null
  const value = 'const' in schema ? constant : (values as unknown[])[0]
  return { value, title: textOf(title ?? value) }
}

export interface Variant {
  readonly title: string
  readonly shape: Shape
}

/** Keywords that lead to another control. */
const shaping = ['type', 'const', 'enum', 'properties', 'items', 'format', 'oneOf', 'anyOf'] as const

/** The variants of `oneOf` or `anyOf`, the types of a list of types, or text and JSON for any value. */
export function variantsOf({ schema, root }: Shape): readonly Variant[] {
  const { type } = schema
  const key = schema['oneOf'] === undefined ? 'anyOf' : 'oneOf'
  const { [key]: given, title: _title, description: _text, default: _default, ...base } = schema
  if (Array.isArray(given) && given.length > 0) {
    const own = given.map((each) => shapeOf(each, root).schema)
    if (own.some((each) => shaping.some((keyword) => keyword in each))) {
      return own.map((each, index) => {
        const variant = combine([base, each])
        return {
          title: textOf(each['title'] ?? each['const'] ?? (typeOf(variant) || `variant ${index + 1}`)),
          shape: { schema: variant, root },
        }
      })
    }
  }
  if (Array.isArray(type) && type.length > 1) {
    return type.map((each) => ({ title: String(each), shape: { schema: { ...base, type: String(each) }, root } }))
  }
  if (typeOf(schema) !== '') return []
  return [
    { title: 'text', shape: { schema: { ...base, type: 'string' }, root } },
    { title: 'JSON', shape: { schema: { type: 'any' }, root } },
  ]
}

/** The variant to begin with: the only one besides `null`, if it is one field. -1 if the user has to choose. */
export function likelyVariant(shape: Shape): number {
  if (isUntyped(shape.schema)) return 0
  const variants = variantsOf(shape)
  const simple = variants.filter((variant) => typeOf(variant.shape.schema) !== 'null')
  const [only] = simple
  const isSimple = only !== undefined && ['text', 'number', 'integer', 'choice'].includes(kindOf(only.shape))
  return simple.length === 1 && only !== undefined && isSimple ? variants.indexOf(only) : -1
}

function isUntyped(schema: Schema): boolean {
  return typeOf(schema) === '' && !['type', 'oneOf', 'anyOf'].some((keyword) => keyword in schema)
}

export function itemOf({ schema, root }: Shape): Shape {
  return shapeOf(schema['items'], root)
}

export interface Member {
  readonly name: string
  readonly shape: Shape
  readonly isRequired: boolean
}

export function membersOf({ schema, root }: Shape): readonly Member[] {
  const { properties, required } = schema
  return Object.entries(isObject(properties) ? properties : {}).map(([name, member]) => ({
    name,
    shape: shapeOf(member, root),
    isRequired: Array.isArray(required) && required.includes(name),
  }))
}

/** Deepest level of values that a form begins with. Schemas can contain themselves. */
const maxDepth = 8

/** The value that a form begins with: defaults, constants, and members that are required. */
export function initialValue(shape: Shape, isVariant = false, depth = 0): unknown {
  const { schema } = shape
  if ('default' in schema && fits(shape, schema['default'])) return structuredClone(schema['default'])
  switch (kindOf(shape)) {
    case 'choice': {
      const choices = choicesOf(shape) ?? []
      return choices.length === 1 ? choices[0]?.value : undefined
    }
    case 'boolean':
      return false
    case 'list':
    case 'choices':
      return []
    case 'object':
      return depth > maxDepth ? undefined : initialMembers(shape, isVariant, depth)
    default:
      return undefined
  }
}

/** Constants of a variant tell it from the others, also if they are optional. */
function initialMembers(shape: Shape, isVariant: boolean, depth: number): object {
  const entries = membersOf(shape)
    .filter(
      ({ shape: member, isRequired }) =>
        isRequired ||
        ('default' in member.schema && fits(member, member.schema['default'])) ||
        (isVariant && constantOf(member.schema) !== null),
    )
    .map(({ name, shape: member }) => [name, initialValue(member, false, depth + 1)] as const)
    .filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries)
}

/** Whether a value has the type of a schema. Limits, such as a maximum, are left to the server. */
export function fits(shape: Shape, value: unknown, depth = 0): boolean {
  if (depth > maxDepth) return true
  switch (kindOf(shape)) {
    case 'choice':
      return (choicesOf(shape) ?? []).some((choice) => isSame(choice.value, value))
    case 'union':
      return variantsOf(shape).some((variant) => fits(variant.shape, value, depth + 1))
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'list':
    case 'choices':
      return Array.isArray(value) && value.every((each) => fits(itemOf(shape), each, depth + 1))
    case 'object':
      return isObject(value) && membersOf(shape).every((member) => fitsMember(member, value, depth + 1))
    default:
      return fitsJson(shape, value)
  }
}

function fitsMember({ name, shape, isRequired }: Member, value: object, depth: number): boolean {
  if (!Object.hasOwn(value, name)) return !isRequired
  return fits(shape, (value as Record<string, unknown>)[name], depth)
}

export function fitsJson({ schema }: Shape, value: unknown): boolean {
  const type = typeOf(schema)
  return type === 'object' ? isObject(value) : type === 'array' ? Array.isArray(value) : value !== undefined
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

const examples: Readonly<Record<string, string>> = {
  date: 'date, such as 2026-01-31',
  time: 'time, such as 12:30:00Z',
  'date-time': 'date and time, such as 2026-01-31T12:30:00Z',
  duration: 'duration, such as PT30M',
}

/** The limits of a value, in words, such as `1 to 30`. */
export function describeLimits(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, format: named } = schema
  return [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    typeof named === 'string' ? (Object.hasOwn(examples, named) ? (examples[named] ?? '') : named.slice(0, 80)) : '',
    typeof pattern === 'string' ? `matches ${pattern.slice(0, 80)}` : '',
  ]
    .filter((text) => text !== '')
    .join(' · ')
}

function range(min: unknown, max: unknown, unit: string): string {
  if (typeof min === 'number' && typeof max === 'number') return `${format(min)} to ${format(max)}${unit}`
  if (typeof min === 'number') return `at least ${format(min)}${min === 1 ? unit.replace(/s$/, '') : unit}`
  if (typeof max === 'number') return `at most ${format(max)}${max === 1 ? unit.replace(/s$/, '') : unit}`
  return ''
}

function format(number: number): string {
  return number.toLocaleString('en-US', { maximumFractionDigits: 10 })
}
