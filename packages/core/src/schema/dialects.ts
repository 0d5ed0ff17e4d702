import type { JsonObject } from '../rpc/messages.js'
import { once } from '../util/once.js'
import { SchemaError } from './compiled-schema.js'
import { describeErrors } from './describe-errors.js'
import { Explainer } from './explain.js'
import { withOwnChecks } from './keywords.js'
import { resolveReferences, withLocalReferences } from './references.js'
import { allSchemas, changeParts } from './subschemas.js'
import { compileCheck, Meta } from './typebox.js'
import type { Validator } from './validator.js'

interface Dialect {
  /** Whether the dialect supports `$dynamicRef`. Older dialects ignore this keyword. */
  readonly hasDynamicReferences: boolean
  /** Keywords of newer dialects, which TypeBox checks in all schemas. */
  readonly ignored: readonly string[]
  /** Checks schemas. */
  readonly validator: () => Pick<Validator, 'check' | 'errors'>
}

const defaultDialect = 'https://json-schema.org/draft/2020-12/schema'
const draft07 = 'http://json-schema.org/draft-07/schema'

const dialects: ReadonlyMap<unknown, Dialect> = new Map([
  [
    defaultDialect,
    {
      hasDynamicReferences: true,
      ignored: [],
      validator: once(() => createMetaValidator(defaultDialect, Meta[defaultDialect])),
    },
  ],
  [
    draft07,
    {
      hasDynamicReferences: false,
      ignored: [
        '$dynamicRef',
        '$recursiveRef',
        'dependentRequired',
        'dependentSchemas',
        'maxContains',
        'minContains',
        'prefixItems',
        'unevaluatedItems',
        'unevaluatedProperties',
      ],
      validator: once(() => createMetaValidator(draft07, Meta[`${draft07}#`])),
    },
  ],
])

export function dialectOf({ $schema = defaultDialect }: JsonObject): Dialect {
  const dialect = dialects.get(typeof $schema === 'string' ? $schema.replace(/#$/, '') : $schema)
  if (dialect === undefined) {
    const supported = [...dialects.keys()].join(' or ')
    throw new SchemaError(`is written in the dialect ${JSON.stringify($schema)}. Use ${supported}`)
  }
  return dialect
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
  const { root, targets } = withOwnChecks(resolveReferences(local))
  const explainer = once(() => new Explainer({ root, targets }, local))
  return { check: compileCheck(root, targets), errors: (value) => explainer().errorsOf(value) }
}
