// Reading of JSON schemas for forms.
export type Schema = Readonly<Record<string, unknown>>

export interface Choice {
  readonly value: unknown
  readonly title: string
}

const maxReferences = 20

/** Follows `$ref` within the schema, as far as it leads. References to elsewhere are never fetched. */
export function resolve(schema: unknown, root: Schema): Schema {
  let current = isObject(schema) ? schema : {}
  for (let count = 0; count < maxReferences && typeof current['$ref'] === 'string'; count++) {
    const { $ref, ...beside } = current
    current = { ...find($ref, root), ...beside }
  }
  return current
}

function find(reference: string, root: Schema): Schema {
  if (!reference.startsWith('#')) return {}
  let found: unknown = root
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return isObject(found) ? found : {}
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The type of a schema. Of several, the first that is not `null`. */
export function typeOf(schema: Schema): string {
  const { type } = schema
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return String(type.find((each) => each !== 'null') ?? 'null')
  if (isObject(schema['properties'])) return 'object'
  if ('items' in schema) return 'array'
  return ''
}

/** The values of an `enum`, or of a union of constants; `null` if the schema is neither. */
export function choicesOf(schema: Schema): readonly Choice[] | null {
  const { enum: values, enumNames: names } = schema
  if (Array.isArray(values)) {
    return values.map((value, index) => ({
      value,
      title: String((Array.isArray(names) ? names[index] : null) ?? value),
    }))
  }
  const variants = variantsOf(schema)
  if (variants.length === 0 || !variants.every((variant) => 'const' in variant)) return null
  return variants.map((variant) => ({ value: variant['const'], title: String(variant['title'] ?? variant['const']) }))
}

/** The members of `oneOf` or `anyOf`. */
export function variantsOf(schema: Schema): readonly Schema[] {
  const variants = schema['oneOf'] ?? schema['anyOf']
  return Array.isArray(variants) ? variants.filter(isObject) : []
}

export interface Member {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

export function membersOf(schema: Schema, root: Schema): readonly Member[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(properties).map(([name, member]) => ({
    name,
    schema: resolve(member, root),
    isRequired: required.includes(name),
  }))
}

/** The value that a form begins with: defaults, and the members of objects that are required. */
export function initialValue(given: unknown, root: Schema, depth = 0): unknown {
  const schema = resolve(given, root)
  if ('default' in schema) return structuredClone(schema['default'])
  if ('const' in schema) return schema['const']
  if (typeOf(schema) !== 'object' || depth > 8) return undefined
  const entries = membersOf(schema, root)
    .filter(({ schema: member, isRequired }) => isRequired || 'default' in member)
    .map(({ name, schema: member }) => [name, initialValue(member, root, depth + 1)] as const)
    .filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries)
}

/** The limits of a value, in words, such as `1 to 30`. */
export function describeLimits(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, format: named } = schema
  return [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    typeof named === 'string' ? named : '',
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
