/** A JSON Schema of a tool, as the server listed it. */
export type Schema = Readonly<Record<string, unknown>>

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Follows local references until the last schema. */
export function resolveSchema(schema: unknown, root: Schema): Schema {
  let current = isSchema(schema) ? schema : {}
  // The number of steps is limited, because a schema of a server may refer to itself.
  for (let hops = 0; hops < 20; hops++) {
    const { $ref: reference } = current
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return current
    const target = reference
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((value, part) => (isSchema(value) && Object.hasOwn(value, part) ? value[part] : undefined), root)
    if (!isSchema(target)) return {}
    current = target
  }
  return {}
}

/** Returns the properties of an object schema, by name. */
export function propertiesOf(schema: Schema, root: Schema): ReadonlyMap<string, Schema> {
  const { properties } = schema
  const own = isSchema(properties) ? Object.entries(properties) : []
  return new Map(own.map(([name, each]) => [name, resolveSchema(each, root)]))
}

export function requiredOf({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

/**
 * Returns the JSON types that a schema allows, without duplicates. The list is empty if the schema allows all types.
 */
export function typesOf(schema: Schema, root: Schema, depth = 0): readonly string[] {
  if (depth > 5) return []
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((each) => typeof each === 'string')
  const values = allowedValues(schema, root)
  if (values !== null) return [...new Set(values.map(typeOfValue))]
  const alternatives = [schema['anyOf'], schema['oneOf']].flatMap((each) => (Array.isArray(each) ? each : []))
  const each = alternatives.map((alternative) => typesOf(resolveSchema(alternative, root), root, depth + 1))
  return each.some((types) => types.length === 0) ? [] : [...new Set(each.flat())]
}

/** Returns the values that a schema enumerates, or `null` if it enumerates no values. */
export function allowedValues(schema: Schema, root: Schema): readonly unknown[] | null {
  if ('const' in schema) return [schema['const']]
  if (Array.isArray(schema['enum'])) return schema['enum']
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (!Array.isArray(alternatives) || alternatives.length === 0) return null
  const values = alternatives.map((each) => {
    const resolved = resolveSchema(each, root)
    return 'const' in resolved ? [resolved['const']] : Array.isArray(resolved['enum']) ? resolved['enum'] : null
  })
  return values.every((each) => each !== null) ? values.flat() : null
}

/** Describes the type of a schema, such as `number[]` or `metric|imperial`. */
export function describeType(schema: Schema, root: Schema): string {
  const values = allowedValues(schema, root)
  if (values !== null && values.length > 0)
    return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('|')
  const types = typesOf(schema, root)
  if (types.length === 0) return 'json'
  return types.map((type) => (type === 'array' ? `${describeType(itemsOf(schema, root), root)}[]` : type)).join('|')
}

export function itemsOf({ items }: Schema, root: Schema): Schema {
  return resolveSchema(items, root)
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
