import type { BootDiagnosticCode } from '../../errors/boot-error.js'
import { describeValue } from '../../errors/describe-value.js'
import { type Diagnostics, describeThrown } from '../../errors/diagnostics.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import { compileJsonSchema, compileTypeBox, type SchemaDirection } from '../../schema/compile-schema.js'
import type { CompiledSchema } from '../../schema/compiled-schema.js'
import { withOptionalDefaults } from '../../schema/defaults.js'
import { isOfObjects } from '../../schema/members.js'
import { isModelClass } from '../../schema/model.js'
import { SchemaError } from '../../schema/schema-problem.js'

/** Reports a fault that completes "the input schema …". */
export type ReportError = (code: BootDiagnosticCode, direction: SchemaDirection, fault: string, cause?: unknown) => void

/** @param origin `CalculatorTools.add` */
export function reportFor(origin: string, diagnostics: Diagnostics): ReportError {
  return (code, direction, fault, cause) => diagnostics.add(code, `${origin}: the ${direction} schema ${fault}.`, cause)
}

/** The options that can name a schema. */
export interface SchemaOptions {
  readonly input?: unknown
  readonly output?: unknown
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
}

/** Compiles the schema that options name for a direction; `undefined` when there is none, or none that can be used. */
export function compileGivenSchema(
  options: SchemaOptions,
  direction: SchemaDirection,
  report: ReportError,
): CompiledSchema | undefined {
  const raw = options[`${direction}Schema`]
  const given = options[direction]
  try {
    if (raw !== undefined) return listedFor(direction, compileRaw(raw, direction))
    if (given !== undefined) return listedFor(direction, compileGiven(given, direction))
  } catch (error) {
    if (error instanceof SchemaError) report('bad-schema', direction, error.message)
    // Such as the syntax error of a `pattern`.
    else report('bad-schema', direction, `cannot be used: ${describeThrown(error)}`, error)
  }
  return undefined
}

/** The root of arguments says that they are an object, and members that are filled in need not be sent. */
function listedFor(direction: SchemaDirection, compiled: CompiledSchema): CompiledSchema {
  if (direction === 'output') return compiled
  const wire = withOptionalDefaults(compiled.wire)
  return { ...compiled, wire: wire['type'] === 'object' ? wire : { type: 'object', ...wire } }
}

function compileRaw(schema: unknown, direction: SchemaDirection): CompiledSchema {
  if (!isJsonObject(schema)) throw new SchemaError(`is ${describeValue(schema)}. Give ${direction}Schema a JSON object`)
  if (isOfLibrary(schema)) {
    throw new SchemaError('is of a library. Convert it to JSON Schema: for Zod, z.toJSONSchema(schema) does')
  }
  const { type } = schema
  if (direction === 'input' && type !== 'object') {
    const found = type === undefined ? 'no type' : `the type ${JSON.stringify(type)}`
    throw new SchemaError(`has ${found} at its root. Arguments are an object: write "type": "object"`)
  }
  return compileJsonSchema(schema, direction)
}

function compileGiven(given: unknown, direction: SchemaDirection): CompiledSchema {
  if (isModelClass(given)) return compileTypeBox(given.schema, direction)
  if (isOlderTypeBox(given)) {
    throw new SchemaError("is made with @sinclair/typebox. Make it with the Type of 'toolwright' or of 'typebox'")
  }
  if (!isTypeBox(given)) {
    throw new SchemaError(
      `is ${describeValue(given)}. Give a TypeBox schema or a Model class, or plain JSON Schema as ${direction}Schema`,
    )
  }
  const compiled = compileTypeBox(given, direction)
  if (direction === 'input' && !isOfObjects(compiled.wire)) {
    const kind = (given as { readonly '~kind'?: string })['~kind'] ?? 'Unsafe'
    const found = groups.has(kind) ? ', and not all values of it are objects' : ''
    throw new SchemaError(`is a Type.${kind}${found}. Arguments are an object: give a Type.Object({ … })`)
  }
  return compiled
}

/** Kinds that can be made of objects. */
const groups = new Set(['Union', 'Intersect', 'Cyclic', 'Unsafe'])

/**
 * An instance of a class, or an object with functions. As JSON it would lose what it checks, and often still be a schema
 * that allows everything.
 */
function isOfLibrary(schema: JsonObject): boolean {
  const prototype = Object.getPrototypeOf(schema)
  // An object of another realm is plain as well, with an `Object.prototype` of its own.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return !isPlain || Object.values(schema).some((value) => typeof value === 'function')
}

/** TypeBox marks what it makes; a look-alike JSON Schema has no mark. */
function isTypeBox(value: unknown): value is object {
  return typeof value === 'object' && value !== null && ('~kind' in value || '~unsafe' in value)
}

/** TypeBox before 1.0 has another name, and marks what it makes in another way. */
function isOlderTypeBox(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.for('TypeBox.Kind') in value
}

/** For a feature without input: listed as a closed empty object, as the spec recommends. */
export const noArguments: CompiledSchema = Object.freeze({
  wire: Object.freeze({ type: 'object', additionalProperties: false }),
  check: (value: unknown) => Object.keys(value as object).length === 0,
  errors: (value: unknown) => [
    {
      keyword: 'additionalProperties',
      instancePath: '',
      params: { additionalProperties: Object.keys(value as object).slice(0, 8) },
      message: 'must be empty, because none are taken',
    },
  ],
  applyDefaults: null,
  convert: null,
})
