import {
  type CompiledSchema,
  collectMembers,
  compileJsonSchema,
  compileStandard,
  compileTypeBox,
  isOfObjects,
  isStandardSchema,
  type SchemaDirection,
  SchemaError,
  withOptionalDefaults,
} from '@toolwright/schema'
import type { BootDiagnosticCode } from '../../errors/boot-error.js'
import { describeValue } from '../../errors/describe-value.js'
import { type Diagnostics, describeThrown } from '../../errors/diagnostics.js'
import { isModelClass } from '../../model.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import { isPlainObject } from '../../util/is-plain-object.js'
import { compileListed, isListedOnly } from './listed-schema.js'

export type ReportError = (code: BootDiagnosticCode, direction: SchemaDirection, error: string, cause?: unknown) => void

export function reportFor(origin: string, diagnostics: Diagnostics): ReportError {
  return (code, direction, error, cause) => diagnostics.add(code, `${origin}: the ${direction} schema ${error}.`, cause)
}

export interface SchemaOptions {
  readonly input?: unknown
  readonly output?: unknown
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
}

/** Compiles the schema option of a direction. Reports an invalid option. Returns `undefined` for an absent or invalid option. */
export function compileGivenSchema(
  options: SchemaOptions,
  direction: SchemaDirection,
  report: ReportError,
): CompiledSchema | undefined {
  const raw = options[`${direction}Schema`]
  const given = options[direction]
  try {
    if (isJsonObject(raw) && isListedOnly(raw)) return compileListedFor(direction, raw)
    if (raw !== undefined) return listedFor(direction, compileRaw(raw, direction))
    if (given !== undefined) return listedFor(direction, compileGiven(given, direction))
  } catch (error) {
    if (error instanceof SchemaError) report('bad-schema', direction, error.message)
    // Compiling can throw other errors, such as the syntax error of a `pattern`.
    else report('bad-schema', direction, `cannot be used: ${describeThrown(error)}`, error)
  }
  return undefined
}

function listedFor(direction: SchemaDirection, compiled: CompiledSchema): CompiledSchema {
  if (direction === 'output') return compiled
  const wire = withOptionalDefaults(compiled.wire)
  return { ...compiled, wire: wire['type'] === 'object' ? wire : { type: 'object', ...wire } }
}

function compileListedFor(direction: SchemaDirection, schema: JsonObject): CompiledSchema | undefined {
  if (direction === 'output') return compileListed(schema) ?? undefined
  return compileListed(schema['type'] === 'object' ? schema : { ...schema, type: 'object' }) ?? undefined
}

function compileRaw(schema: unknown, direction: SchemaDirection): CompiledSchema {
  const isOfStandard = isStandardSchema(schema)
  if (isOfStandard ? isOfLibrary(schema) : isJsonObject(schema) && isOfLibrary(schema)) {
    const fix = isOfStandard ? `Give it as ${direction}, which also runs its checks` : 'Convert it to JSON Schema'
    throw new SchemaError(`is a schema of another library. ${fix}`)
  }
  if (!isJsonObject(schema))
    throw new SchemaError(`is ${describeValue(schema)}. Give a JSON object as ${direction}Schema`)
  const { type } = schema
  if (direction === 'input' && type !== 'object') {
    const found = type === undefined ? 'no type' : `the type ${JSON.stringify(type)}`
    throw new SchemaError(`has ${found} at its root. Arguments are an object: write "type": "object"`)
  }
  return compileJsonSchema(schema, direction)
}

function compileGiven(given: unknown, direction: SchemaDirection): CompiledSchema {
  if (isStandardSchema(given)) return checkIsOfObjects(compileStandard(given, direction), direction)
  if (isModelClass(given)) return compileTypeBox(given.schema, direction)
  if (isOlderTypeBox(given)) {
    throw new SchemaError("is made with @sinclair/typebox. Import Type from 'toolwright' or 'typebox'")
  }
  if (!isTypeBox(given)) {
    throw new SchemaError(
      `is ${describeValue(given)}. Give a TypeBox schema, a Model class or a Standard Schema, or plain JSON Schema as ${direction}Schema`,
    )
  }
  const compiled = compileTypeBox(given, direction)
  if (direction === 'input' && !isOfObjects(compiled.wire)) {
    const kind = (given as { readonly '~kind'?: string })['~kind'] ?? 'Unsafe'
    const found = groups.has(kind) ? ', which also allows values that are not objects' : ''
    throw new SchemaError(`is a Type.${kind}${found}. Arguments are an object: give a Type.Object({ … })`)
  }
  return compiled
}

function checkIsOfObjects(compiled: CompiledSchema, direction: SchemaDirection): CompiledSchema {
  const { type } = compiled.wire
  if (direction === 'output' || isOfObjects(compiled.wire)) return compiled
  const found = type === undefined ? 'values that are not only objects' : `the type ${JSON.stringify(type)}`
  throw new SchemaError(`is listed with ${found} at its root. Arguments are an object: give a schema of an object`)
}

const groups = new Set(['Union', 'Intersect', 'Cyclic', 'Unsafe'])

/**
 * Whether the schema is an instance of a class or has functions. As JSON, such a schema would lose its checks, and would often
 * accept every value.
 */
function isOfLibrary(schema: object): boolean {
  if (typeof schema === 'function') return true
  return !isPlainObject(schema) || Object.values(schema).some((value) => typeof value === 'function')
}

/** Whether TypeBox created the value. Plain JSON Schemas have neither `~kind` nor `~unsafe`. */
function isTypeBox(value: unknown): value is object {
  return typeof value === 'object' && value !== null && ('~kind' in value || '~unsafe' in value)
}

/** Whether TypeBox before 1.0 created the value. Those versions mark schemas with a symbol. */
function isOlderTypeBox(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.for('TypeBox.Kind') in value
}

/** Schema of a feature without input: an empty object without other members, as the spec recommends. */
export const noArguments: CompiledSchema = Object.freeze({
  wire: Object.freeze({ type: 'object', additionalProperties: false }),
  check: (value: unknown) => Object.keys(value as object).length === 0,
  errors: (value: unknown) => [
    {
      keyword: 'additionalProperties',
      instancePath: '',
      params: { additionalProperties: Object.keys(value as object).slice(0, 8) },
      message: 'must be empty: no arguments are accepted',
    },
  ],
  applyDefaults: null,
  convert: null,
  parse: null,
})

const scalars: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null']

/**
 * Reports arguments that no client can send. Clients send arguments of prompts and variables of URIs as strings. Such strings are
 * converted to numbers, booleans, null and arrays of one item, but not to objects.
 *
 * @param what `Arguments of a prompt`
 */
export function checkTextArguments(what: string, { wire }: CompiledSchema, report: ReportError): void {
  for (const [name, schemas] of collectMembers(wire).properties) {
    if (schemas.some(takesText)) continue
    report(
      'bad-schema',
      'input',
      `has '${name}', which no client can send. ${what} are sent as strings. They are converted to numbers, booleans and ` +
        'arrays of one item, but not to objects. Give each part a separate name, or take a string and parse it',
    )
  }
}

/** Whether a string can be converted to a value of the schema. True if the answer is unknown, for example for a `$ref`. */
function takesText(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema !== false
  const { type, anyOf, oneOf, allOf } = schema
  const isOfText = type === undefined || [type].flat().some((one) => isMadeOfText(one, schema))
  return isOfText && someTakeText(anyOf) && someTakeText(oneOf) && (!Array.isArray(allOf) || allOf.every(takesText))
}

function someTakeText(alternatives: unknown): boolean {
  return !Array.isArray(alternatives) || alternatives.some(takesText)
}

function isMadeOfText(type: unknown, { items, prefixItems, minItems = 0 }: JsonObject): boolean {
  if (type !== 'array') return scalars.includes(type)
  return prefixItems === undefined && takesText(items) && (minItems as number) <= 1
}
