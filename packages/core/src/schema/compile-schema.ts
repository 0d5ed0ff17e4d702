import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { JsonObject } from '../rpc/messages.js'
import { boundAjvFormats, boundTypeBoxFormats } from './bounded-formats.js'
import { boundAjvPatterns, withBoundedPatterns } from './bounded-patterns.js'
import { maxSteps, takeStep, withMaxSteps, withSteps } from './check-steps.js'
import type { CompiledSchema } from './compiled-schema.js'
import { convertTexts } from './convert-texts.js'
import { compileDefaults } from './defaults.js'
import type { ValidationError } from './describe-errors.js'
import { hasEndlessReference } from './endless-reference.js'
import { withMaxEffort } from './format-effort.js'
import { checkIsJson } from './is-json.js'
import { withLocalReferences } from './local-references.js'
import { collectMembers } from './members.js'
import { withOwnChecks } from './own-checks.js'
import { replaceKeywords } from './own-keywords.js'
import { findRecursion } from './recursion.js'
import { withBoundedRecursion } from './recursive-unions.js'
import { SchemaError } from './schema-error.js'
import { allSchemas } from './subschemas.js'
import { compileCheck, Errors, Format, type TSchema, Type } from './typebox.js'
import { isLargerThan } from './value-size.js'
import { toWireSchema } from './wire-schema.js'

boundTypeBoxFormats()

/** Whether a schema is for input, with defaults that are filled in, or for output. */
export type SchemaDirection = 'input' | 'output'

/** Compiles a TypeBox schema. Takes some 30 microseconds; the validator then runs in nanoseconds. */
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
  const firstError = once(() => compileWith(dialect.checker(), local))
  // Ajv detects dangling and circular references, which TypeBox accepts.
  if (allSchemas(local).some((part) => '$ref' in part)) firstError()
  const checked = withOwnChecks(schema)
  const bounded = withBoundedRecursion(checked, typeBoxStep)
  const check = compileCheck(bounded ?? checked)
  const explained = withBoundedPatterns(checked)
  const fill = direction === 'input' ? compileDefaults(local) : null
  // TypeBox visits every part to collect errors, which takes microseconds for each, and compares equal items of an
  // array with each other: too slow for arguments of the maximum size.
  const errors = (value: unknown): readonly ValidationError[] =>
    isLargerThan(maxExplained, value) ? errorsOf(firstError(), value) : Errors(explained, value)
  return withMaxWork(
    {
      wire,
      check,
      errors: bounded === null ? errors : explainRecursive(local, firstError),
      applyDefaults: fill === null ? null : (value) => (fill(value), value),
      convert: takesStringsOnly(local) ? null : (texts) => convertTexts(checked, texts),
    },
    bounded === null ? null : maxSteps.ofTypeBox,
  )
}

/** A schema that counts a step of TypeBox's check. */
const typeBoxStep = Type.Refine(Type.Unknown(), takeStep) as object as JsonObject

/** @param steps Limit for a recursive schema; `null` for other schemas. */
function withMaxWork(schema: CompiledSchema, steps: number | null): CompiledSchema {
  return withMaxEffort(steps === null ? schema : withMaxSteps(schema, steps))
}

/**
 * Collects all errors within a number of steps, otherwise only the first error. Uses Ajv, which only enters one branch
 * of a bounded union, whereas TypeBox enters all.
 */
function explainRecursive(schema: JsonObject, firstError: () => ValidateFunction): CompiledSchema['errors'] {
  // Compiled at boot: Ajv takes tens of milliseconds for the first schema.
  const allErrorsIn = compileWith(dialectOf(schema).explainer(), schema)
  return (value) => {
    const all = isLargerThan(maxListed, value)
      ? undefined
      : withSteps(maxExplainedSteps, () => allErrorsOf(allErrorsIn, firstError(), value))
    // Omits `if` errors: each level of a union adds one that only repeats that the inner parts are invalid.
    return (all ?? errorsOf(firstError(), value)).filter(({ keyword }) => keyword !== 'if')
  }
}

/**
 * Rejects patterns with flags. TypeBox accepts a RegExp as a pattern, but patterns in JSON Schema have no flags, and
 * are read with the flag `u`.
 */
function rejectFlags(schema: JsonObject): void {
  for (const { pattern } of allSchemas(schema)) {
    if (!(pattern instanceof RegExp)) continue
    if (/[^u]/.test(pattern.flags)) {
      throw new SchemaError(`has the pattern ${pattern}, whose flags JSON Schema does not have. Write it without them`)
    }
    // Throws if the pattern is invalid with that flag.
    new RegExp(pattern.source, 'u').test('')
  }
}

/**
 * Rejects misspelled formats. TypeBox ignores unknown formats, so that a custom format is possible, but a misspelled
 * format would check nothing.
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

/** Maximum number of parts of a value for which all errors are collected, rather than only the first. */
const maxExplained = 1000

/** The same limit for Ajv, which has no limit on errors: in an array of unions it finds hundreds per item. */
const maxListed = 100

/** Maximum number of recursive references followed to collect all errors: Ajv allocates objects at each. */
const maxExplainedSteps = 1000

function errorsOf(validate: ValidateFunction, value: unknown): readonly ValidationError[] {
  return validate(value) ? [] : (validate.errors ?? [])
}

/**
 * Collects all errors. Returns only the first where Ajv fails to collect all: it throws for `additionalProperties`
 * behind an `if` together with `patternProperties`.
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

type JsonSchemaValidator = Ajv | Ajv2020

// Ajv rather than TypeBox for hand-written JSON Schema: it validates the schema against its dialect, and reports
// unknown references, both of which TypeBox ignores. `ownProperties`: an inherited "toString" does not count as a
// property.
const ajvOptions = {
  strict: false,
  ownProperties: true,
  logger: false,
} as const

const defaultDialect = 'https://json-schema.org/draft/2020-12/schema'

interface Dialect {
  /** Whether the dialect has `$dynamicRef`. Older dialects ignore it. */
  readonly hasDynamicReferences: boolean
  /** Creates a validator that stops at the first error. */
  readonly checker: () => JsonSchemaValidator
  /** Creates a validator that collects all errors. */
  readonly explainer: () => JsonSchemaValidator
}

const dialects: ReadonlyMap<string, Dialect> = new Map([
  [defaultDialect, createDialect(true, (options) => new Ajv2020(options))],
  ['http://json-schema.org/draft-07/schema', createDialect(false, (options) => new Ajv(options))],
])

function createDialect(hasDynamicReferences: boolean, create: (options: Options) => JsonSchemaValidator): Dialect {
  return {
    hasDynamicReferences,
    checker: once(() => complete(create(ajvOptions))),
    // Does not validate schemas: the checker has already done so.
    explainer: once(() =>
      boundAjvPatterns(complete(create({ ...ajvOptions, allErrors: true, validateSchema: false }))),
    ),
  }
}

/** Keyword that counts a step of Ajv's check. Not for use in schemas. */
const stepKeyword = 'toolwright:step'

/** Compiles a plain JSON Schema of the dialect in its `$schema`. Default: 2020-12. */
export function compileJsonSchema(schema: JsonObject, direction: SchemaDirection = 'input'): CompiledSchema {
  const { checker, explainer, hasDynamicReferences } = dialectOf(schema)
  const ajv = checker()
  if (ajv.validateSchema(schema) !== true) {
    throw new SchemaError(`is not valid JSON Schema: ${ajv.errorsText(ajv.errors, { dataVar: 'schema' })}`)
  }
  checkIsJson(schema)
  // A copy: later changes to the application's object must not make the published schema differ from the validator.
  const written = JSON.parse(JSON.stringify(schema)) as JsonObject
  const { wire, local } = withLocalReferences(written, hasDynamicReferences)
  const validate = compileWith(ajv, local)
  const fill = direction === 'input' ? compileDefaults(local) : null
  const explain = once(() => compileWith(explainer(), local))
  const errors = (value: unknown): readonly ValidationError[] =>
    isLargerThan(maxListed, value) ? errorsOf(validate, value) : allErrorsOf(explain(), validate, value)
  const isRecursive = findRecursion(local) !== null
  return withMaxWork(
    {
      wire,
      check: (value) => validate(value),
      errors: isRecursive ? explainRecursive(local, () => validate) : errors,
      applyDefaults: fill === null ? null : (value) => (fill(value), value),
      convert: null,
    },
    isRecursive ? maxSteps.ofAjv : null,
  )
}

function dialectOf({ $schema = defaultDialect }: JsonObject): Dialect {
  const dialect = typeof $schema === 'string' ? dialects.get($schema.replace(/#$/, '')) : undefined
  if (dialect === undefined) {
    const supported = [...dialects.keys()].join(' or ')
    throw new SchemaError(`is written in the dialect ${JSON.stringify($schema)}. Use ${supported}`)
  }
  return dialect
}

function compileWith(ajv: JsonSchemaValidator, schema: JsonObject): ValidateFunction {
  if (hasEndlessReference(schema)) {
    throw new SchemaError('has a reference that leads back to itself without going into the value. Take it out')
  }
  try {
    // Only where needed: with this option, Ajv enters all branches of each union to record evaluated properties.
    ajv.opts.unevaluated = allSchemas(schema).some(
      (part) => 'unevaluatedProperties' in part || 'unevaluatedItems' in part,
    )
    return ajv.compile(withBoundedRecursion(schema, { [stepKeyword]: true }) ?? schema)
  } catch (error) {
    throw diagnosticOf(error)
  } finally {
    // Removes all schemas except the dialects. Otherwise Ajv would retain the schemas of removed tools.
    ajv.removeSchema()
  }
}

function diagnosticOf(error: unknown): unknown {
  if (error instanceof Ajv.MissingRefError) {
    return new SchemaError(
      `refers to ${error.missingRef}, which is not in it. Put that under $defs: nothing is fetched`,
    )
  }
  return error
}

function complete<Instance extends JsonSchemaValidator>(ajv: Instance): Instance {
  addFormats.default(ajv)
  boundAjvFormats(ajv)
  replaceKeywords(ajv)
  ajv.addKeyword({ keyword: stepKeyword, compile: () => takeStep })
  return ajv
}

function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= create())
}

function takesStringsOnly(schema: JsonObject): boolean {
  const { properties } = collectMembers(schema)
  return [...properties.values()].flat().every(({ type }) => type === 'string')
}
