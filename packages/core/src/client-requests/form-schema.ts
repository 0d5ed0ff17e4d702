import {
  type CompiledSchema,
  compileStandard,
  compileTypeBox,
  isStandardSchema,
  SchemaError,
  type StandardSchema,
  type TObject,
} from '@toolwright/schema'
import { type AnyModelClass, type Infer, isModelClass } from '../model.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { InvalidClientRequest } from './client-request.js'

/** Schema of a form: an object of strings, numbers, booleans and choices of strings. */
export type FormSchema = TObject | AnyModelClass | StandardSchema

export type FormContent<Schema> = Schema extends AnyModelClass ? InstanceType<Schema> : Infer<Schema>

export interface Form {
  readonly wire: JsonObject
  readonly compiled: CompiledSchema
}

const forms = new WeakMap<object, Form>()

/**
 * Compiles the schema of a form. Spec: client/elicitation, "Requested Schema".
 *
 * @throws InvalidClientRequest that names the unsupported property, or the reason why the schema cannot be listed.
 */
export function compileForm(schema: FormSchema): Form {
  // Untyped handlers written for the official SDK pass `requestedSchema` instead of `schema`.
  if ((schema as unknown) === undefined) {
    throw new InvalidClientRequest('A form needs a schema: context.elicit({ message: …, schema: Type.Object({ … }) }).')
  }
  const known = forms.get(schema)
  if (known !== undefined) return known
  const compiled = compile(schema)
  const form: Form = { wire: toForm(compiled.wire), compiled }
  forms.set(schema, form)
  return form
}

function compile(schema: FormSchema): CompiledSchema {
  if (!isStandardSchema(schema)) return compileTypeBox(isModelClass(schema) ? schema.schema : schema)
  try {
    return compileStandard(schema)
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    throw new InvalidClientRequest(`The schema of a form ${error.message}.`)
  }
}

function toForm({ type, properties, required }: JsonObject): JsonObject {
  if (type !== 'object') throw new InvalidClientRequest('The schema of a form must be an object: Type.Object({ … }).')
  const fields = Object.entries((properties ?? {}) as JsonObject).map(([name, schema]) => {
    const field = toField(schema)
    if (field !== null) return [name, field] as const
    throw new InvalidClientRequest(
      `A form cannot ask for '${name}'. Use Type.String, Type.Number, Type.Integer, Type.Boolean, ` +
        'a choice of strings (Type.Enum, or Type.Union of Type.Literal) or an array of such a choice.',
    )
  })
  return { type, properties: Object.fromEntries(fields), ...(required === undefined ? {} : { required }) }
}

const commonKeywords = ['title', 'description', 'default']

const ownKeywords: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['string', ['minLength', 'maxLength', 'format']],
  ['number', ['minimum', 'maximum']],
  ['integer', ['minimum', 'maximum']],
  ['boolean', []],
])

const formats = new Set<unknown>([undefined, 'email', 'uri', 'date', 'date-time'])

function toField(schema: unknown): JsonObject | null {
  if (!isJsonObject(schema)) return null
  const choice = toChoice(schema, 'oneOf')
  if (choice !== null) {
    const keywords = 'enum' in choice ? [...commonKeywords, 'enumNames'] : commonKeywords
    return { type: 'string', ...pick(schema, keywords), ...choice }
  }
  const { type, format, pattern } = schema
  if (type === 'array') return toMultipleChoice(schema)
  // Libraries write a pattern beside a format. The pattern is left out, because forms have no patterns.
  const isPatternOnly = pattern !== undefined && format === undefined
  if (type === 'string' && (isPatternOnly || !formats.has(format))) return null
  const keywords = ownKeywords.get(type)
  return keywords === undefined ? null : pick(schema, ['type', ...commonKeywords, ...keywords])
}

function toMultipleChoice(schema: JsonObject): JsonObject | null {
  const choice = isJsonObject(schema['items']) ? toChoice(schema['items'], 'anyOf') : null
  if (choice === null) return null
  const items = 'enum' in choice ? { type: 'string', ...choice } : choice
  return { ...pick(schema, ['type', ...commonKeywords, 'minItems', 'maxItems']), items }
}

/** Encodes a choice of strings, given as `enum`, `const`, `anyOf` or `oneOf`. The result has titles if any option has a title. */
function toChoice(schema: JsonObject, titledKeyword: 'oneOf' | 'anyOf'): JsonObject | null {
  if (isListOf(schema['enum'], (value) => typeof value === 'string')) return { enum: schema['enum'] }
  const options = schema['const'] === undefined ? (schema['anyOf'] ?? schema['oneOf']) : [schema]
  if (!isListOf(options, (option) => isJsonObject(option) && typeof option['const'] === 'string')) return null
  const literals = options as readonly { readonly const: string; readonly title?: unknown }[]
  if (literals.every(({ title }) => typeof title !== 'string')) return { enum: literals.map((option) => option.const) }
  const titled = literals.map((option) => ({
    const: option.const,
    title: typeof option.title === 'string' ? option.title : option.const,
  }))
  return { [titledKeyword]: titled }
}

function isListOf(value: unknown, test: (entry: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(test)
}

function pick(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(
    keywords.filter((keyword) => schema[keyword] !== undefined).map((keyword) => [keyword, schema[keyword]]),
  )
}
