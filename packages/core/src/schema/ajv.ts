import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { SchemaError } from './compiled-schema.js'
import { addFormats } from './formats.js'
import { atReference } from './json-pointer.js'
import { boundAjvPatterns, replaceKeywords } from './keywords.js'
import { takeStep } from './max-work.js'
import { withBoundedRecursion } from './recursive-unions.js'
import { hasEndlessReference } from './references.js'
import { allSchemas } from './subschemas.js'

type JsonSchemaValidator = Ajv | Ajv2020

// Ajv checks hand-written JSON Schema: unlike TypeBox, it validates the schema against its dialect, and reports unknown
// references. With `ownProperties`, an inherited "toString" is not treated as a property.
const ajvOptions = {
  strict: false,
  ownProperties: true,
  logger: false,
} as const

const defaultDialect = 'https://json-schema.org/draft/2020-12/schema'

interface Dialect {
  /** Whether the dialect supports `$dynamicRef`. Older dialects ignore this keyword. */
  readonly hasDynamicReferences: boolean
  /** Creates a validator that stops at the first error. */
  readonly checker: () => JsonSchemaValidator
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
    // Does not validate schemas again: the checker has already validated them.
    explainer: once(() =>
      boundAjvPatterns(complete(create({ ...ajvOptions, allErrors: true, validateSchema: false }))),
    ),
  }
}

/** Keyword that counts a step of Ajv's check. Applications must not use this keyword. */
const stepKeyword = 'toolwright:step'

export function dialectOf({ $schema = defaultDialect }: JsonObject): Dialect {
  const dialect = typeof $schema === 'string' ? dialects.get($schema.replace(/#$/, '')) : undefined
  if (dialect === undefined) {
    const supported = [...dialects.keys()].join(' or ')
    throw new SchemaError(`is written in the dialect ${JSON.stringify($schema)}. Use ${supported}`)
  }
  return dialect
}

export function compileWith(ajv: JsonSchemaValidator, schema: JsonObject): ValidateFunction {
  try {
    // This option is set only if needed: with the option, Ajv enters all branches of each union to record evaluated properties.
    ajv.opts.unevaluated = allSchemas(schema).some(
      (part) => 'unevaluatedProperties' in part || 'unevaluatedItems' in part,
    )
    return ajv.compile(withBoundedRecursion(schema, { [stepKeyword]: true }) ?? schema)
  } catch (error) {
    if (!(error instanceof Ajv.MissingRefError)) throw error
    throw new SchemaError(
      `refers to ${error.missingRef}, which is not part of the schema. Add that schema under $defs: schemas are not fetched`,
    )
  } finally {
    // Removes all schemas except the dialects. Otherwise Ajv would retain the schemas of removed tools.
    ajv.removeSchema()
  }
}

function complete<Instance extends JsonSchemaValidator>(ajv: Instance): Instance {
  addFormats(ajv)
  replaceKeywords(ajv)
  ajv.addKeyword({ keyword: stepKeyword, compile: () => takeStep })
  return ajv
}

export function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= create())
}

/**
 * Compiles a schema when the first value is checked. Boot checks schemas without compiling their validators, because Ajv takes
 * milliseconds for a schema of twenty properties, and most tools of a large server are never called.
 *
 * @throws SchemaError at once for a mistake.
 */
export function compileLater(ajv: () => JsonSchemaValidator, schema: JsonObject): () => ValidateFunction {
  const compile = once(() => compileWith(ajv(), schema))
  checkPatterns(schema)
  if (hasEndlessReference(schema)) {
    throw new SchemaError('has a $ref that refers to itself without descending into the value. Remove it')
  }
  if (!canCompile(schema)) compile()
  return compile
}

/** Whether Ajv compiles a schema that matches its dialect. False if only Ajv can tell. */
function canCompile(root: JsonObject): boolean {
  return allSchemas(root).every(
    (part) =>
      !uncertainKeywords.some((keyword) => keyword in part) &&
      (part['$ref'] === undefined || isResolved(root, part['$ref'])),
  )
}

function isResolved(root: JsonObject, reference: unknown): boolean {
  return typeof reference === 'string' && atReference(root, reference) !== undefined
}

/** Keywords that Ajv rejects in some schemas. */
const uncertainKeywords = [
  '$async',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$id',
  '$recursiveAnchor',
  '$recursiveRef',
  '$vocabulary',
  'id',
  'nullable',
  stepKeyword,
]

/** @throws The syntax error of an invalid pattern. */
function checkPatterns(schema: JsonObject): void {
  for (const { pattern, patternProperties } of allSchemas(schema)) {
    const names = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
    for (const each of typeof pattern === 'string' ? [pattern, ...names] : names) new RegExp(each, 'u').test('')
  }
}
