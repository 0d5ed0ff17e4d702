import type { ValidateFunction } from 'ajv'
import type { JsonObject } from '../rpc/messages.js'
import { compileLater, compileWith, dialectOf, once } from './ajv.js'
import { type CompiledSchema, SchemaError } from './compiled-schema.js'
import { convertTexts } from './convert-texts.js'
import { compileDefaults } from './defaults.js'
import type { ValidationError } from './describe-errors.js'
import { boundTypeBoxFormats } from './formats.js'
import { withBoundedPatterns, withOwnChecks } from './keywords.js'
import { countParts, maxSteps, takeStep, withMaxWork, withSteps } from './max-work.js'
import { collectMembers } from './members.js'
import type { Parse } from './parse.js'
import { withBoundedRecursion } from './recursive-unions.js'
import { findRecursion, withLocalReferences } from './references.js'
import { allSchemas } from './subschemas.js'
import {
  Clone,
  compileCheck,
  DecodeUnsafe,
  EncodeUnsafe,
  Errors,
  Format,
  HasCodec,
  type TSchema,
  Type,
} from './typebox.js'
import { toWireSchema } from './wire-schema.js'

boundTypeBoxFormats()

/** Whether a schema checks input or output. Defaults are only filled in for input. */
export type SchemaDirection = 'input' | 'output'

/** Checks a TypeBox schema. Its validator is compiled for the first value, and then runs in nanoseconds. */
export function compileTypeBox(schema: TSchema, direction: SchemaDirection = 'input'): CompiledSchema {
  const { schema: written, foreignTypes } = toWireSchema(schema)
  if (foreignTypes.length > 0) {
    throw new SchemaError(`has the type ${foreignTypes.join(', ')}, which no JSON value has. Use a type of JSON`)
  }
  checkIsJson(written)
  rejectFlags(schema as JsonObject)
  const dialect = dialectOf(written)
  const { wire, local } = withLocalReferences(written, dialect.hasDynamicReferences)
  rejectMisspeltFormats(wire)
  // Also rejects dangling and circular references, which TypeBox accepts.
  const firstError = compileLater(dialect.checker, local)
  const checked = withOwnChecks(schema)
  const bounded = withBoundedRecursion(checked, typeBoxStep)
  const compiled = once(() => compileCheck(bounded ?? checked))
  const explained = once(() => withBoundedPatterns(checked))
  // TypeBox is too slow to collect the errors of large arguments. TypeBox spends microseconds on each part, and compares all
  // pairs of equal items in an array.
  const errors = (value: unknown): readonly ValidationError[] =>
    countParts(value) > maxExplained ? errorsOf(firstError(), value) : Errors(explained(), value)
  const compiledSchema = withMaxWork(
    {
      wire,
      check: (value) => compiled()(value),
      errors: bounded === null ? errors : explainRecursive(local, firstError),
      applyDefaults: direction === 'input' ? compileDefaults(local) : null,
      convert: takesStringsOnly(local) ? null : (texts) => convertTexts(checked, texts),
      parse: null,
    },
    bounded === null ? null : maxSteps.ofTypeBox,
  )
  return HasCodec(schema) ? withCodecs(compiledSchema, schema, direction) : compiledSchema
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

const typeBoxStep = Type.Refine(Type.Unknown(), takeStep) as object as JsonObject

/**
 * Collects all errors, or only the first error if this takes too many steps. Uses Ajv, which only enters one branch of a union
 * that `withBoundedRecursion` has rewritten. TypeBox would enter all branches.
 */
function explainRecursive(schema: JsonObject, firstError: () => ValidateFunction): CompiledSchema['errors'] {
  const explain = once(() => compileWith(dialectOf(schema).explainer(), schema))
  return (value) => {
    const all =
      countParts(value) > maxListed
        ? undefined
        : withSteps(maxExplainedSteps, () => allErrorsOf(explain(), firstError(), value))
    // Omits errors of `if`. Each level of a union adds such an error, which only repeats that the inner parts are invalid.
    return (all ?? errorsOf(firstError(), value)).filter(({ keyword }) => keyword !== 'if')
  }
}

/**
 * Rejects values that JSON would drop or change. TypeBox accepts a limit of `NaN`, for example, and clients would then reject the
 * whole list of tools.
 *
 * @throws SchemaError
 */
function checkIsJson(schema: JsonObject): void {
  JSON.stringify(schema, rejectNumbers)
  for (const part of allSchemas(schema)) JSON.stringify(part['default'], rejectInDefault)
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
    // Throws if the pattern is invalid with the flag `u`.
    new RegExp(pattern.source, 'u').test('')
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

/**
 * Maximum number of parts of a value for which TypeBox collects all errors. For larger values, only the first error is reported.
 */
const maxExplained = 1000

/**
 * Maximum number of parts of a value for which Ajv collects all errors. The limit is low, because Ajv finds hundreds of errors
 * per item in an array of unions.
 */
const maxListed = 100

/** Maximum number of recursive references that Ajv follows to collect all errors. Ajv allocates objects for each reference. */
const maxExplainedSteps = 1000

function errorsOf(validate: ValidateFunction, value: unknown): readonly ValidationError[] {
  return validate(value) ? [] : (validate.errors ?? [])
}

/**
 * Collects all errors, or only the first error if Ajv throws. Ajv throws for some schemas with `if`, `additionalProperties` and
 * `patternProperties`.
 */
function allErrorsOf(
  explain: ValidateFunction,
  validate: ValidateFunction,
  value: unknown,
): readonly ValidationError[] {
  try {
    return errorsOf(explain, value)
  } catch {
    return errorsOf(validate, value)
  }
}

/** Checks a plain JSON Schema, and compiles it for the first value. Its `$schema` names the dialect; the default is 2020-12. */
export function compileJsonSchema(schema: JsonObject, direction: SchemaDirection = 'input'): CompiledSchema {
  const { checker, explainer, hasDynamicReferences } = dialectOf(schema)
  const ajv = checker()
  if (ajv.validateSchema(schema) !== true) {
    throw new SchemaError(`is not valid JSON Schema: ${ajv.errorsText(ajv.errors, { dataVar: 'schema' })}`)
  }
  checkIsJson(schema)
  // The schema is copied: later changes to the application's object must not make the published schema differ from the validator.
  const written = JSON.parse(JSON.stringify(schema)) as JsonObject
  const { wire, local } = withLocalReferences(written, hasDynamicReferences)
  const validate = compileLater(checker, local)
  const explain = once(() => compileWith(explainer(), local))
  const errors = (value: unknown): readonly ValidationError[] =>
    countParts(value) > maxListed
      ? errorsOf(validate(), value)
      : (errorsOfUnions(value) ?? allErrorsOf(explain(), validate(), value))
  const errorsOfUnions = explainWithTypeBox(local)
  const isRecursive = findRecursion(local) !== null
  return withMaxWork(
    {
      wire,
      check: (value) => validate()(value),
      errors: isRecursive ? explainRecursive(local, validate) : errors,
      applyDefaults: direction === 'input' ? compileDefaults(local) : null,
      convert: null,
      parse: null,
    },
    isRecursive ? maxSteps.ofAjv : null,
  )
}

/**
 * Collects the errors of a JSON Schema with unions. TypeBox's errors name the branch of a union, also behind references, and those
 * of Ajv do not.
 *
 * @returns A function that returns `undefined` if TypeBox finds no error.
 */
function explainWithTypeBox(schema: JsonObject): (value: unknown) => readonly ValidationError[] | undefined {
  if (!allSchemas(schema).some((part) => 'anyOf' in part || 'oneOf' in part)) return () => undefined
  const explained = once(() => withBoundedPatterns(withOwnChecks(schema)))
  return (value) => {
    try {
      const errors = Errors(explained(), value)
      return errors.length === 0 ? undefined : errors
    } catch {
      return undefined
    }
  }
}

function takesStringsOnly(schema: JsonObject): boolean {
  const { properties } = collectMembers(schema)
  return [...properties.values()].flat().every(({ type }) => type === 'string')
}
