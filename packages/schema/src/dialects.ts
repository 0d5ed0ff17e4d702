import { SchemaError } from './compiled-schema.js'
import { describeErrors } from './describe-errors.js'
import { Explainer } from './explain.js'
import type { JsonObject } from './json.js'
import { withOwnChecks } from './keywords.js'
import { withLocalReferences } from './local-references.js'
import { once } from './once.js'
import { resolveReferences } from './resolve-references.js'
import { allSchemas, changeParts } from './subschemas.js'
import { compileCheck, Meta } from './typebox.js'
import type { Validator } from './validator.js'

interface Dialect {
  /** Keywords of newer dialects, which TypeBox checks in all schemas. */
  readonly ignored: readonly string[]
  readonly validator: () => Pick<Validator, 'check' | 'errors'>
}

const defaultDialect = 'https://json-schema.org/draft/2020-12/schema'
const draft07 = 'http://json-schema.org/draft-07/schema'

const newerKeywords = (
  '$dynamicRef $recursiveRef dependentRequired dependentSchemas maxContains minContains prefixItems ' +
  'unevaluatedItems unevaluatedProperties'
).split(' ')

const dialects: ReadonlyMap<string, Dialect> = new Map([
  [defaultDialect, createDialect(defaultDialect, Meta[defaultDialect], [])],
  [draft07, createDialect(draft07, Meta[`${draft07}#`], newerKeywords)],
])

function createDialect(name: string, meta: object, ignored: readonly string[]): Dialect {
  return { ignored, validator: once(() => createMetaValidator(name, meta)) }
}

function find($schema: unknown): Dialect | undefined {
  return dialects.get(String($schema).replace(/#$/, ''))
}

export function hasDialect({ $schema }: JsonObject): boolean {
  return find($schema) !== undefined
}

export function dialectOf({ $schema = defaultDialect }: JsonObject): Dialect {
  const dialect = find($schema)
  if (dialect !== undefined) return dialect
  const supported = [...dialects.keys()].join(' or ')
  throw new SchemaError(`is written in the dialect ${JSON.stringify($schema)}. Use ${supported}`)
}

/** @throws SchemaError for a schema that is invalid in its dialect. */
export function checkDialect(schema: JsonObject): void {
  const { check, errors } = dialectOf(schema).validator()
  if (!check(schema)) {
    throw new SchemaError(`is not valid JSON Schema: ${describeErrors(errors(schema), schema, 'the schema')}`)
  }
  if (allSchemas(schema).some(({ nullable, type }) => nullable !== undefined && type === undefined)) {
    throw new SchemaError('has nullable without a type, which allows nothing. Add the type')
  }
}

/**
 * Creates the validator of a metaschema. Formats in schemas are not checked. A metaschema refers dynamically to the metaschemas that
 * extend it, which do not exist here.
 */
function createMetaValidator(name: string, meta: object): ReturnType<Dialect['validator']> {
  const schema = changeParts(
    meta as JsonObject,
    () => true,
    ({ $dynamicRef, $dynamicAnchor: _anchor, format: _format, ...part }) =>
      $dynamicRef === undefined ? part : { ...part, $ref: name },
  )
  const { local } = withLocalReferences(schema, false)
  const resolved = withOwnChecks(resolveReferences(local))
  const explainer = once(() => new Explainer(resolved, local))
  return { check: compileCheck(resolved.root, resolved.targets), errors: (value) => explainer().errorsOf(value) }
}
