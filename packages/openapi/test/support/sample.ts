type Schema = Readonly<Record<string, unknown>>

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T09:00:00Z',
  date: '2026-01-31',
  time: '09:00:00Z',
  email: 'ann@example.com',
  uri: 'https://example.com/x',
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  ipv4: '192.0.2.1',
  hostname: 'example.com',
}

/** Candidates for patterns. */
const texts = [
  `sha256:${'0'.repeat(64)}`,
  'ssh-rsa AAAA',
  '1.2.3',
  'abc',
  'a',
  '1',
  '12',
  '0a',
  'ABC-1',
  '#0a1b2c',
  '0a1b2c',
  'sha256:0a',
  '2026-01-31',
  '/x',
  'refs/heads/x',
  '0'.repeat(40),
  '0'.repeat(64),
]

/** Writes arguments for a listed schema, as a model would: every argument that the schema names. */
export function sampleOf(schema: unknown, root: Schema = schema as Schema, depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null) return 'x'
  const given = schema as Schema
  const reference = given['$ref']
  if (typeof reference === 'string') {
    const name = reference.slice('#/$defs/'.length)
    return sampleOf(
      { ...((root['$defs'] as Record<string, Schema>)[name] as Schema), ...without(given, '$ref') },
      root,
      depth + 1,
    )
  }
  if ('const' in given) return given['const']
  if (Array.isArray(given['enum'])) return (given['enum'] as unknown[]).find((value) => value !== null) ?? null
  const choice = (given['oneOf'] ?? given['anyOf']) as readonly Schema[] | undefined
  if (choice !== undefined) return chosenOf(given, choice, root, depth)
  const all = given['allOf'] as readonly Schema[] | undefined
  if (all !== undefined) return mergeAll(given, all, root, depth)
  const type = [given['type']].flat()[0] ?? ('properties' in given ? 'object' : 'items' in given ? 'array' : undefined)
  if (type === 'object') return objectOf(given, root, depth)
  if (type === 'array') return depth > 5 && given['minItems'] === undefined ? [] : listOf(given, root, depth)
  if (type === 'integer' || type === 'number') return numberOf(given)
  if (type === 'boolean') return true
  if (type === 'null') return null
  return textOf(given)
}

/** Chooses text for an identifier that can also be a number: in a path, prism takes `1` for both. */
function chosenOf(given: Schema, choice: readonly Schema[], root: Schema, depth: number): unknown {
  const one = choice.find(({ type }) => type === 'string') ?? choice[0] ?? {}
  const shared = without(given, 'oneOf', 'anyOf')
  const isNarrower = 'properties' in shared && 'required' in one
  // An alternative that only requires properties leaves out those of the other alternatives.
  const required = [...((shared['required'] ?? []) as string[]), ...((one['required'] ?? []) as string[])]
  if (!isNarrower) return sampleOf({ ...shared, ...one }, root, depth)
  const all = { ...(shared['properties'] as object), ...(one['properties'] as object | undefined) } as Record<
    string,
    unknown
  >
  const properties = Object.fromEntries(Object.entries(all).filter(([name]) => required.includes(name)))
  return sampleOf({ ...shared, ...one, properties, required }, root, depth)
}

function mergeAll(given: Schema, all: readonly Schema[], root: Schema, depth: number): unknown {
  const parts = [without(given, 'allOf'), ...all].filter((part) =>
    Object.keys(part).some((key) => key !== 'description'),
  )
  const values = parts.map((part) => sampleOf(part, root, depth + 1))
  const objects = values.filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  return objects.length > 0 ? Object.assign({}, ...(objects as object[])) : values[0]
}

function objectOf(given: Schema, root: Schema, depth: number): Record<string, unknown> {
  const required = new Set((given['required'] ?? []) as readonly string[])
  const properties = Object.entries((given['properties'] ?? {}) as Record<string, unknown>)
  const chosen = properties.filter(([name]) => depth < 4 || required.has(name))
  // A file needs either text or data.
  const isFile = properties.length === 4 && properties[0]?.[0] === 'text' && properties[1]?.[0] === 'data'
  if (isFile) return { text: 'content', name: 'a.txt', type: 'text/plain' }
  const minimum = (given['minProperties'] ?? 0) as number
  const entries = chosen.map(([name, schema]) => [name, sampleOf(schema, root, depth + 1)] as const)
  if (entries.length < minimum)
    return Object.fromEntries([['key', sampleOf(given['additionalProperties'] ?? {}, root, depth + 1)]])
  return Object.fromEntries(entries)
}

function listOf(given: Schema, root: Schema, depth: number): unknown[] {
  const prefix = ((given['prefixItems'] ?? []) as readonly unknown[]).map((item) => sampleOf(item, root, depth + 1))
  const count = Math.max((given['minItems'] as number | undefined) ?? 0, prefix.length > 0 ? 0 : 1)
  if (given['maxItems'] === 0) return []
  const items = Array.from({ length: Math.max(0, count - prefix.length) }, () =>
    sampleOf(given['items'] ?? {}, root, depth + 1),
  )
  return [...prefix, ...items]
}

function numberOf({ minimum, exclusiveMinimum, maximum, multipleOf }: Schema): number {
  const least = typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 1
  const value = typeof multipleOf === 'number' ? multipleOf : Math.max(1, least)
  return typeof maximum === 'number' ? Math.min(value, maximum) : value
}

function textOf({ format, pattern, minLength = 0, maxLength = Infinity, contentEncoding }: Schema): string {
  if (contentEncoding === 'base64') return 'YWJj'
  const candidates = [formats[format as string] ?? 'text', ...texts]
  const matches = (text: string) => typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text)
  const found = candidates.find(matches) ?? 'text'
  return found.padEnd(minLength as number, 'x').slice(0, maxLength as number)
}

function without(schema: Schema, ...names: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)))
}
