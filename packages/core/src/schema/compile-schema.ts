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
import { SchemaError } from './schema-problem.js'
import { allSchemas } from './subschemas.js'
import { compileCheck, Errors, Format, type TSchema, Type } from './typebox.js'
import { isLargerThan } from './value-size.js'
import { toWireSchema } from './wire-schema.js'

boundTypeBoxFormats()

/** Whether a schema is for what comes in, of which defaults are filled in, or for what goes out. */
export type SchemaDirection = 'input' | 'output'

/** Compiles a TypeBox schema. Takes some 30 microseconds; the validator then runs in nanoseconds. */
export function compileTypeBox(schema: TSchema, direction: SchemaDirection = 'input'): CompiledSchema {
  const { schema: written, foreignTypes } = toWireSchema(schema)
  if (foreignTypes.length > 0) {
    throw new SchemaError(`has the type ${foreignTypes.join(', ')}, which no JSON value has. Use a type of JSON`)
  }
  checkIsJson(written)
  refuseFlags(schema as JsonObject)
  const dialect = dialectOf(written)
  const { wire, local } = withLocalReferences(written, dialect.hasDynamicReferences)
  refuseMisspeltFormats(wire)
  const firstError = once(() => compileWith(dialect.checker(), local))
  // TypeBox lets any reference pass, also one that leads nowhere or round in a circle.
  if (allSchemas(local).some((part) => '$ref' in part)) firstError()
  const checked = withOwnChecks(schema)
  const bounded = withBoundedRecursion(checked, typeBoxStep)
  const check = compileCheck(bounded ?? checked)
  const explained = withBoundedPatterns(checked)
  const fill = direction === 'input' ? compileDefaults(local) : null
  // TypeBox explains by visiting every part, in microseconds each, and compares equal items of a list with each other:
  // too long for the arguments that a message can hold.
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

/** Counts a step of TypeBox's check. */
const typeBoxStep = Type.Refine(Type.Unknown(), takeStep) as object as JsonObject

/** @param steps For a schema that recurses; `null` for others. */
function withMaxWork(schema: CompiledSchema, steps: number | null): CompiledSchema {
  return withMaxEffort(steps === null ? schema : withMaxSteps(schema, steps))
}

/** Looks for all errors within some steps, and else for the first. Ajv, unlike TypeBox, goes into one branch of a bounded union. */
function explainRecursive(schema: JsonObject, firstError: () => ValidateFunction): CompiledSchema['errors'] {
  // Compiled at boot: Ajv takes tens of milliseconds for the first schema.
  const allErrorsIn = compileWith(dialectOf(schema).explainer(), schema)
  return (value) => {
    const all = isLargerThan(maxListed, value)
      ? undefined
      : withSteps(maxExplainedSteps, () => allErrorsOf(allErrorsIn, firstError(), value))
    // Each level of a union has one that says that the inner ones do not fit.
    return (all ?? errorsOf(firstError(), value)).filter(({ keyword }) => keyword !== 'if')
  }
}

/** TypeBox takes a RegExp for a pattern. In JSON Schema it has no flags, and is read as with the flag u. */
function refuseFlags(schema: JsonObject): void {
  for (const { pattern } of allSchemas(schema)) {
    if (!(pattern instanceof RegExp)) continue
    if (/[^u]/.test(pattern.flags)) {
      throw new SchemaError(`has the pattern ${pattern}, whose flags JSON Schema does not have. Write it without them`)
    }
    // Throws where it is none with that flag.
    new RegExp(pattern.source, 'u').test('')
  }
}

/** A format that TypeBox does not know checks nothing: good for one of the author's own, but not for a misspelt one. */
function refuseMisspeltFormats(wire: JsonObject): void {
  for (const { format } of allSchemas(wire)) {
    if (typeof format !== 'string' || Format.Has(format)) continue
    const meant = Format.Entries().find(([name]) => lettersOf(name) === lettersOf(format))
    if (meant === undefined) continue
    throw new SchemaError(`has the format '${format}', which checks nothing. Write '${meant[0]}'`)
  }
}

/** `dateTime` and `date_time` have those of `date-time`. */
function lettersOf(format: string): string {
  return format.toLowerCase().replaceAll(/[-_ ]/g, '')
}

/** Parts of a value up to which all of its faults are looked for, and not only the first. */
const maxExplained = 1000

/** The same for Ajv, which does not end after some: in a list of unions it finds hundreds for each item. */
const maxListed = 100

/** Recursive references that are followed to look for all faults of a value: Ajv makes objects at each. */
const maxExplainedSteps = 1000

function errorsOf(validate: ValidateFunction, value: unknown): readonly ValidationError[] {
  return validate(value) ? [] : (validate.errors ?? [])
}

/** Looking for all faults, Ajv throws where `additionalProperties` behind an `if` stand beside `patternProperties`. */
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

// Ajv rather than TypeBox for hand-written JSON Schema: it checks the schema itself against its dialect and reports
// unknown references, both of which TypeBox lets pass in silence. `ownProperties`: "toString" is not a present member.
const ajvOptions = {
  strict: false,
  ownProperties: true,
  logger: false,
} as const

const defaultDialect = 'https://json-schema.org/draft/2020-12/schema'

interface Dialect {
  /** Whether it has `$dynamicRef`; older dialects pass over it. */
  readonly hasDynamicReferences: boolean
  /** Stops at the first fault. */
  readonly checker: () => JsonSchemaValidator
  /** Finds all faults. */
  readonly explainer: () => JsonSchemaValidator
}

/** By the `$schema` that hand-written schemas may name. */
const dialects: ReadonlyMap<string, Dialect> = new Map([
  [defaultDialect, createDialect(true, (options) => new Ajv2020(options))],
  ['http://json-schema.org/draft-07/schema', createDialect(false, (options) => new Ajv(options))],
])

function createDialect(hasDynamicReferences: boolean, create: (options: Options) => JsonSchemaValidator): Dialect {
  return {
    hasDynamicReferences,
    checker: once(() => complete(create(ajvOptions))),
    // Its schemas have passed the checker.
    explainer: once(() =>
      boundAjvPatterns(complete(create({ ...ajvOptions, allErrors: true, validateSchema: false }))),
    ),
  }
}

/** Counts a step of Ajv's check. Not to be found in schemas. */
const stepKeyword = 'toolwright:step'

/** Compiles a plain JSON Schema, of the dialect that its `$schema` names (2020-12 when it names none). */
export function compileJsonSchema(schema: JsonObject, direction: SchemaDirection = 'input'): CompiledSchema {
  const { checker, explainer, hasDynamicReferences } = dialectOf(schema)
  const ajv = checker()
  if (ajv.validateSchema(schema) !== true) {
    throw new SchemaError(`is not valid JSON Schema: ${ajv.errorsText(ajv.errors, { dataVar: 'schema' })}`)
  }
  checkIsJson(schema)
  // A copy: what the application does to its own object later must not part the list from the validator.
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
    // Else Ajv goes into all branches of each union, to note what they evaluate.
    ajv.opts.unevaluated = allSchemas(schema).some(
      (part) => 'unevaluatedProperties' in part || 'unevaluatedItems' in part,
    )
    return ajv.compile(withBoundedRecursion(schema, { [stepKeyword]: true }) ?? schema)
  } catch (error) {
    throw diagnosticOf(error)
  } finally {
    // Forgets all but the dialects: Ajv would keep the schemas of removed tools.
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
