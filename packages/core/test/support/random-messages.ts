// Requests that match the official schemas, and requests with one random change.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as fc from 'fast-check'
import type { Version } from '../protocol/client.js'

/** Values for any property of a request, regardless of its type: names with a special meaning. */
export type Known = Readonly<Record<string, readonly unknown[]>>

interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
}

type Definitions = Readonly<Record<string, Schema>>

/** Strings that have broken software before, and harmless ones. */
export const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('', '\0', '\uD800', '\u2028', 'constructor', 'toString', '../..', '%zz', 'x'.repeat(300)),
)

const json = fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' })

/** Replacements for a value: mostly the plainest value of another type. */
const other = fc.oneof({ arbitrary: fc.constantFrom(null, [], {}, 0, true, '', 'constructor'), weight: 3 }, json)

/** Below this depth, only required members are generated. */
const maxDepth = 5

/** Requests of the client methods of a revision. */
export function requestsOf(version: Version, known: Known): fc.Arbitrary<object> {
  const definitions = definitionsOf(version)
  const { anyOf = [] } = definitions['ClientRequest'] as Schema
  const served = anyOf.filter(({ $ref }) => !/Initialize|Listen/.test(String($ref)))
  return fc.oneof(...served.map((schema) => valuesOf(schema, definitions, known, 0) as fc.Arbitrary<object>))
}

function definitionsOf(version: Version): Definitions {
  const file = path.join(__dirname, '..', 'spec', version, 'schema.json')
  const { $defs, definitions = $defs } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Definitions>
  return definitions as Definitions
}

function valuesOf(schema: Schema, definitions: Definitions, known: Known, depth: number): fc.Arbitrary<unknown> {
  const { $ref, anyOf, allOf } = schema
  const inner = (one: Schema): fc.Arbitrary<unknown> => valuesOf(one, definitions, known, depth)
  if ($ref !== undefined) return inner(definitions[$ref.split('/').at(-1) as string] as Schema)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(inner))
  if (allOf !== undefined) return fc.tuple(...allOf.map(inner)).map((parts) => Object.assign({}, ...parts) as unknown)
  const types = [schema.type].flat()
  return fc.oneof(...types.map((type) => ofType(type, schema, definitions, known, depth)))
}

function ofType(
  type: string | undefined,
  schema: Schema,
  definitions: Definitions,
  known: Known,
  depth: number,
): fc.Arbitrary<unknown> {
  const { items = {}, properties } = schema
  if (type === 'string') return text
  if (type === 'integer') return fc.maxSafeInteger()
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true })
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'array') return fc.array(valuesOf(items, definitions, known, depth + 1), { maxLength: 2 })
  return properties === undefined
    ? fc.oneof(fc.dictionary(text, json, { maxKeys: 3 }))
    : membersOf(schema, definitions, known, depth)
}

function membersOf(
  { properties = {}, required = [] }: Schema,
  definitions: Definitions,
  known: Known,
  depth: number,
): fc.Arbitrary<unknown> {
  const names = Object.keys(properties).filter((name) => depth < maxDepth || required.includes(name))
  const members = names.map((name) => {
    const values = valuesOf(properties[name] as Schema, definitions, known, depth + 1)
    const good = known[name]
    return [name, good === undefined ? values : fc.oneof({ arbitrary: fc.constantFrom(...good), weight: 9 }, values)]
  })
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: names.filter((name) => required.includes(name)),
    noNullPrototype: true,
  })
}

/** Replaces, adds or removes one value at a random place. */
export function spoilt(messages: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.tuple(messages, fc.nat(), fc.constantFrom('replace', 'remove', 'add'), text, other).map(spoil)
}

function spoil([message, choice, how, name, value]: [object, number, string, string, unknown]): object {
  // Not `structuredClone`, whose objects belong to another realm here: a counterexample would be shown as [object
  // Object].
  const spoiling = JSON.parse(JSON.stringify(message)) as object
  const places = placesIn(spoiling)
  const [holder, key] = places[choice % places.length] as [Record<string, unknown>, string]
  if (how === 'replace') holder[key] = value
  else if (how === 'remove') delete holder[key]
  else holder[name] = value
  return spoiling
}

function placesIn(value: unknown): [object, string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [[value, key] as [object, string], ...placesIn(inner)])
}
