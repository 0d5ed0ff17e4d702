import { type CompiledSchema, SchemaError } from './compiled-schema.js'
import { convertTexts } from './convert-texts.js'
import { compileDefaults } from './defaults.js'
import { checkDialect, dialectOf } from './dialects.js'
import { boundTypeBoxFormats } from './formats.js'
import type { JsonObject } from './json.js'
import { withLocalReferences } from './local-references.js'
import { withMaxWork } from './max-work.js'
import type { Parse } from './parse.js'
import { allSchemas, changeParts } from './subschemas.js'
import { Clone, DecodeUnsafe, EncodeUnsafe, Format, HasCodec, type TSchema } from './typebox.js'
import { checkPattern, createValidator } from './validator.js'
import { toWireSchema } from './wire-schema.js'

boundTypeBoxFormats()

/**
 * Use of a schema. `input`: fills in defaults, and decodes with codecs. `output`: fills in no defaults, and encodes with codecs. Of
 * a Standard Schema, `wire` describes the values before (`input`) or after (`output`) its transformations.
 */
export type SchemaDirection = 'input' | 'output'

/** Checks a TypeBox schema. Its validator is compiled for the first value, and then runs in nanoseconds. */
export function compileTypeBox(schema: TSchema, direction: SchemaDirection = 'input'): CompiledSchema {
  const { schema: written, foreignTypes } = toWireSchema(schema)
  if (foreignTypes.length > 0) {
    throw new SchemaError(`has the type ${foreignTypes.join(', ')}, which no JSON value has. Use a type of JSON`)
  }
  toJson(written)
  rejectFlags(schema as JsonObject)
  rejectMisspeltFormats(written)
  const compiled = compileWire(written, direction)
  return HasCodec(schema) ? withCodecs(compiled, schema, direction) : compiled
}

/** Checks a plain JSON Schema, and compiles it for the first value. Its `$schema` names the dialect; the default is 2020-12. */
export function compileJsonSchema(schema: JsonObject, direction: SchemaDirection = 'input'): CompiledSchema {
  checkDialect(schema)
  // The schema is copied: later changes to the application's object must not make the published schema differ from the validator.
  return compileWire(JSON.parse(toJson(schema)) as JsonObject, direction)
}

/** Compiles a schema that is JSON. Its refinements, which JSON does not have, are hidden members. */
export function compileWire(written: JsonObject, direction: SchemaDirection): CompiledSchema {
  const { ignored } = dialectOf(written)
  const { wire, local } = withLocalReferences(written, !ignored.includes('$dynamicRef'))
  const validator = createValidator(withoutKeywords(local, ignored))
  return withMaxWork(
    {
      wire,
      check: validator.check,
      errors: validator.errors,
      applyDefaults: direction === 'input' ? compileDefaults(local, validator) : null,
      convert: (texts) => convertTexts(local, texts),
      parse: null,
    },
    validator.isRecursive,
  )
}

function withoutKeywords(schema: JsonObject, ignored: readonly string[]): JsonObject {
  if (ignored.length === 0) return schema
  const isMeant = (part: JsonObject): boolean => ignored.some((keyword) => keyword in part)
  return changeParts(schema, isMeant, (copy) => {
    for (const keyword of ignored) delete copy[keyword]
    return copy
  })
}

/** Decodes arguments, and encodes results. The encoded result is checked before it is sent. */
function withCodecs(compiled: CompiledSchema, schema: TSchema, direction: SchemaDirection): CompiledSchema {
  // TypeBox decodes and encodes in place.
  if (direction === 'output') {
    return { ...compiled, parse: (value) => ({ value: EncodeUnsafe({}, schema, Clone(value)) }) }
  }
  const parse: Parse = (value) => {
    const copy = Clone(value)
    const complete = compiled.applyDefaults === null ? copy : compiled.applyDefaults(copy)
    if (!compiled.check(complete)) return { errors: compiled.errors(complete) }
    return { value: DecodeUnsafe({}, schema, complete) }
  }
  return { ...compiled, parse }
}

/**
 * Rejects values that JSON would drop or change. TypeBox accepts a limit of `NaN`, for example, which readers of the published
 * schema would reject.
 *
 * @returns The schema as JSON.
 * @throws SchemaError
 */
function toJson(schema: JsonObject): string {
  const json = JSON.stringify(schema, rejectNumbers)
  for (const { default: value } of allSchemas(schema)) {
    if (value !== undefined) JSON.stringify(value, rejectInDefault)
  }
  return json
}

function rejectNumbers(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') {
    throw new SchemaError(`has the bigint ${value}n as ${key}, which JSON cannot express. Write the number ${value}`)
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new SchemaError(`has ${value} as ${key}, which JSON cannot express. Write another number, or leave it out`)
  }
  return value
}

function rejectInDefault(_key: string, value: unknown): unknown {
  if (typeof value !== 'function' && typeof value !== 'symbol') return value
  throw new SchemaError(`has a default with a ${typeof value}, which JSON cannot express. Write the value itself`)
}

/**
 * Rejects patterns with flags. TypeBox accepts a RegExp as a pattern. In JSON Schema, a pattern cannot have flags: validators
 * always use the flag `u`.
 */
function rejectFlags(schema: JsonObject): void {
  for (const { pattern } of allSchemas(schema)) {
    if (!(pattern instanceof RegExp)) continue
    if (/[^u]/.test(pattern.flags)) {
      throw new SchemaError(`has the pattern ${pattern}, whose flags JSON Schema does not support. Remove the flags`)
    }
    checkPattern(pattern.source)
  }
}

/**
 * Rejects misspelled formats. TypeBox ignores unknown formats, which allows custom formats. A misspelled format would therefore
 * check nothing.
 */
function rejectMisspeltFormats(wire: JsonObject): void {
  for (const { format } of allSchemas(wire)) {
    if (typeof format !== 'string' || Format.Has(format)) continue
    const meant = Format.Entries().find(([name]) => lettersOf(name) === lettersOf(format))
    if (meant === undefined) continue
    throw new SchemaError(`has the format '${format}', which checks nothing. Write '${meant[0]}'`)
  }
}

/** Normalizes a format for comparison: `dateTime` and `date_time` equal `date-time`. */
function lettersOf(format: string): string {
  return format.toLowerCase().replaceAll(/[-_ ]/g, '')
}
