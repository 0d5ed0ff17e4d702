/** A JSON Schema of a tool, as the server listed it. */
export type Schema = Readonly<Record<string, unknown>>

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Maximum number of schemas that one question about a schema visits: small schemas can describe long walks. */
const maxVisits = 1000

export const maxArrayDepth = 10

interface Visits {
  left: number
}

export function resolveSchema(schema: unknown, root: Schema): Schema {
  let current = isSchema(schema) ? schema : {}
  // The number of steps is limited, because a schema of a server may refer to itself.
  for (let hops = 0; hops < 20; hops++) {
    const { $ref: reference } = current
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return current
    const target = reference
      .split('/')
      .slice(1)
      .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((value, part) => (isSchema(value) && Object.hasOwn(value, part) ? value[part] : undefined), root)
    if (!isSchema(target)) return {}
    current = target
  }
  return {}
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function partsOf(schema: unknown, root: Schema, visits: Visits = { left: maxVisits }): readonly Schema[] {
  const found = new Set<Schema>()
  const visit = (each: unknown): void => {
    if (!isSchema(each) || found.has(each) || visits.left <= 0) return
    visits.left--
    found.add(each)
    if (typeof each['$ref'] === 'string') visit(resolveSchema(each, root))
    for (const member of listIn(each, 'allOf')) visit(member)
  }
  visit(schema)
  return [...found]
}

function alternativesOf(part: Schema): readonly unknown[] {
  return [...listIn(part, 'anyOf'), ...listIn(part, 'oneOf')]
}

function listIn(schema: Schema, keyword: string): readonly unknown[] {
  const value = schema[keyword]
  return Array.isArray(value) ? value : []
}

/** Returns the value of a keyword, from the schema itself before the schemas that it refers to. */
export function keywordOf(schema: Schema, root: Schema, keyword: string): unknown {
  return partsOf(schema, root).find((part) => part[keyword] !== undefined)?.[keyword]
}

/** Returns the properties of an object schema, by name, including the properties of all alternatives. */
export function propertiesOf(schema: Schema, root: Schema): ReadonlyMap<string, Schema> {
  const visits = { left: maxVisits }
  const parts = partsOf(schema, root, visits)
  const common = mergeProperties(parts, 'allOf')
  const alternatives = parts.flatMap(alternativesOf).flatMap((each) => partsOf(each, root, visits))
  const others = [...mergeProperties(alternatives, 'anyOf')].filter(([name]) => !common.has(name))
  return new Map([...common, ...others])
}

function mergeProperties(parts: readonly Schema[], keyword: 'allOf' | 'anyOf'): Map<string, Schema> {
  const merged = new Map<string, Schema>()
  for (const { properties } of parts) {
    for (const [name, each] of isSchema(properties) ? Object.entries(properties) : []) {
      const property = isSchema(each) ? each : {}
      const known = merged.get(name)
      const { title, description } = known ?? {}
      merged.set(name, known === undefined ? property : { title, description, [keyword]: [known, property] })
    }
  }
  return merged
}

export function requiredOf(schema: Schema, root: Schema): readonly string[] {
  const visits = { left: maxVisits }
  const namesIn = (parts: readonly Schema[]): readonly string[] =>
    parts.flatMap((part) => listIn(part, 'required')).filter((name) => typeof name === 'string')
  const parts = partsOf(schema, root, visits)
  const [first, ...others] = parts.flatMap(alternativesOf).map((each) => namesIn(partsOf(each, root, visits)))
  const common = (first ?? []).filter((name) => others.every((names) => names.includes(name)))
  return [...new Set([...namesIn(parts), ...common])]
}

/**
 * Whether unknown names are accepted as properties. JSON Schema accepts unknown names by default. Here, a schema with
 * properties must allow unknown names explicitly, because such a schema usually lists all names.
 */
export function takesAnyName(schema: Schema, root: Schema): boolean {
  const types = typesOf(schema, root)
  if (types.length > 0 && !types.includes('object')) return false
  const others = partsOf(schema, root).map((part) => part['additionalProperties'])
  if (others.includes(false)) return false
  return others.some((each) => each !== undefined) || propertiesOf(schema, root).size === 0
}

/**
 * Returns the JSON types that a schema allows, without duplicates. The list is empty if the schema allows all types.
 */
export function typesOf(schema: Schema, root: Schema): readonly string[] {
  return readTypes(schema, root, { left: maxVisits })
}

function readTypes(schema: unknown, root: Schema, visits: Visits): readonly string[] {
  const known = partsOf(schema, root, visits)
    .map((part) => ownTypes(part, root, visits))
    .filter((types) => types.length > 0)
  const [first = [], ...others] = known
  return others.reduce(intersect, first)
}

function ownTypes(part: Schema, root: Schema, visits: Visits): readonly string[] {
  const { type } = part
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((each) => typeof each === 'string')
  const values = valuesIn(part)
  if (values !== null) return [...new Set(values.map(typeOfValue))]
  const union = new Set<string>()
  for (const alternative of alternativesOf(part)) {
    const types = visits.left > 0 ? readTypes(alternative, root, visits) : []
    if (types.length === 0) return []
    for (const each of types) union.add(each)
  }
  return [...union]
}

function intersect(one: readonly string[], other: readonly string[]): readonly string[] {
  const both = one.filter((type) => other.includes(type) || (type === 'integer' && other.includes('number')))
  return one.includes('number') && !one.includes('integer') && other.includes('integer') ? [...both, 'integer'] : both
}

export function allowedValues(schema: Schema, root: Schema): readonly unknown[] | null {
  const visits = { left: maxVisits }
  for (const part of partsOf(schema, root, visits)) {
    const own = valuesIn(part)
    if (own !== null) return own
    const alternatives = alternativesOf(part).map((each) => {
      const parts = partsOf(each, root, visits)
      return parts.map(valuesIn).find((values) => values !== null) ?? null
    })
    if (alternatives.length > 0 && alternatives.every((values) => values !== null)) return alternatives.flat()
  }
  return null
}

function valuesIn(part: Schema): readonly unknown[] | null {
  if ('const' in part) return [part['const']]
  return Array.isArray(part['enum']) ? part['enum'] : null
}

/** Returns the strings that the user can choose, with their titles, or `null` if any string can be entered. */
export function titledStrings(
  schema: Schema,
  root: Schema,
): readonly (readonly [value: string, title: unknown])[] | null {
  for (const part of partsOf(schema, root)) {
    const { enum: values, enumNames: titles } = part
    if (Array.isArray(values) && values.every((value) => typeof value === 'string')) {
      return values.map((value, index) => [value, Array.isArray(titles) ? titles[index] : value])
    }
    const choices = alternativesOf(part).map((each) => {
      const { const: value, title } = resolveSchema(each, root)
      return typeof value === 'string' ? ([value, title] as const) : null
    })
    if (choices.length > 0 && choices.every((choice) => choice !== null)) return choices
  }
  return null
}

export function describeType(schema: Schema, root: Schema, depth = 0): string {
  const values = allowedValues(schema, root)
  if (values !== null && values.length > 0)
    return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('|')
  const types = typesOf(schema, root)
  if (types.length === 0 || depth > maxArrayDepth) return 'json'
  const describe = (type: string): string =>
    type === 'array' ? `${describeType(itemsOf(schema, root), root, depth + 1)}[]` : type
  return types.map(describe).join('|')
}

/** Returns the schema of the items of an array. The schema of the array may be an alternative, such as beside `null`. */
export function itemsOf(schema: Schema, root: Schema): Schema {
  const visits = { left: maxVisits }
  const parts = partsOf(schema, root, visits)
  const alternatives = parts.flatMap(alternativesOf).flatMap((each) => partsOf(each, root, visits))
  const items = [...parts, ...alternatives].map((part) => part['items']).filter(isSchema)
  return items.length > 1 ? { anyOf: items } : (items[0] ?? {})
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
