import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { JsonObject } from '../rpc/messages.js'
import type { SchemaFault } from './describe-faults.js'
import { Compile, type TSchema } from './typebox.js'
import { toWireSchema } from './wire-schema.js'

/** A schema ready for use: the text that lists show and the validator that calls run. */
export interface CompiledSchema {
  readonly wire: JsonObject
  check(value: unknown): boolean
  /** What is wrong with a value that `check` refused. */
  faults(value: unknown): readonly SchemaFault[]
  /** Fills in `default` values in place; `null` when the schema has none. */
  readonly applyDefaults: ((value: unknown) => unknown) | null
  /** Turns strings into the numbers and booleans that the schema asks for; `null` when it asks for none. */
  readonly convert: ((value: unknown) => unknown) | null
}

/** Why a schema cannot be used. The text completes "The input schema of tool 'x' …". */
export class SchemaProblem extends Error {
  override readonly name = 'SchemaProblem'
}

/** Compiles a TypeBox schema. Takes some 30 microseconds; the validator then runs in nanoseconds. */
export function compileTypeBox(schema: TSchema): CompiledSchema {
  const { schema: wire, foreignKinds } = toWireSchema(schema)
  if (foreignKinds.length > 0) {
    throw new SchemaProblem(`uses ${foreignKinds.join(', ')}, which no JSON value can be. Use a JSON type instead`)
  }
  const validator = Compile(schema)
  return refuseEndless({
    wire,
    check: (value) => validator.Check(value),
    faults: (value) => validator.Errors(value),
    applyDefaults: hasDefault(wire) ? (value) => validator.Default(value) : null,
    convert: takesStringsOnly(wire) ? null : (value) => validator.Convert(value),
  })
}

type JsonSchemaValidator = Ajv | Ajv2020

// Ajv rather than TypeBox for hand-written JSON Schema: it checks the schema itself against its dialect and reports
// unknown references, both of which TypeBox lets pass in silence. `ownProperties`: "toString" is not a present member.
const ajvOptions = {
  strict: false,
  ownProperties: true,
  useDefaults: true,
  addUsedSchema: false,
  logger: false,
} as const

const dialects: Readonly<Record<string, () => JsonSchemaValidator>> = {
  'https://json-schema.org/draft/2020-12/schema': once(() => withFormats(new Ajv2020(ajvOptions))),
  'http://json-schema.org/draft-07/schema': once(() => withFormats(new Ajv(ajvOptions))),
}
const defaultDialect = 'https://json-schema.org/draft/2020-12/schema'

/** The `$schema` values that hand-written schemas may name. */
export const supportedDialects: readonly string[] = Object.keys(dialects)

/** Compiles a plain JSON Schema, of the dialect that its `$schema` names (2020-12 when it names none). */
export function compileJsonSchema(schema: JsonObject): CompiledSchema {
  const ajv = validatorFor(schema)
  if (ajv.validateSchema(schema) !== true) {
    throw new SchemaProblem(`is not valid JSON Schema: ${ajv.errorsText(ajv.errors, { dataVar: 'schema' })}`)
  }
  const validate = compileOnce(ajv, schema)
  return refuseEndless({
    wire: schema,
    check: (value) => validate(value),
    faults: (value) => (validate(value) ? [] : (validate.errors ?? [])),
    applyDefaults: null,
    convert: null,
  })
}

function validatorFor(schema: JsonObject): JsonSchemaValidator {
  const named = schema['$schema'] ?? defaultDialect
  const create = typeof named === 'string' ? dialects[named.replace(/#$/, '')] : undefined
  if (create === undefined) {
    throw new SchemaProblem(`names the dialect ${JSON.stringify(named)}. Use one of: ${supportedDialects.join(', ')}`)
  }
  return create()
}

function compileOnce(ajv: JsonSchemaValidator, schema: JsonObject) {
  try {
    return ajv.compile(schema)
  } catch (error) {
    throw new SchemaProblem(`cannot be used: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    // Or Ajv keeps every schema for ever, also of tools that were removed.
    ajv.removeSchema(schema)
  }
}

/** `{ "$ref": "#" }` compiles and then never ends. One trial finds it at boot instead of in the first call. */
function refuseEndless(compiled: CompiledSchema): CompiledSchema {
  try {
    compiled.check({})
  } catch (error) {
    if (error instanceof RangeError) throw new SchemaProblem('refers to itself without end. Remove the circular $ref')
    throw error
  }
  return compiled
}

function withFormats<Instance extends JsonSchemaValidator>(ajv: Instance): Instance {
  addFormats.default(ajv)
  return ajv
}

function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= create())
}

function takesStringsOnly(schema: JsonObject): boolean {
  const properties = Object.values((schema['properties'] ?? {}) as Record<string, JsonObject>)
  return properties.every(({ type }) => type === 'string')
}

function hasDefault(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return 'default' in schema || Object.values(schema).some(hasDefault)
}
