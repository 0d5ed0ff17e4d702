import { type Infer, type StandardSchema, Type } from '@toolwright/core'
import { fromTexts } from '@toolwright/core/extension'
import { Diagnostics, describeValue } from '@toolwright/core/options'
import {
  type CompiledSchema,
  collectMembers,
  compileStandard,
  compileTypeBox,
  describeErrors,
  isStandardSchema,
  namesIn,
  SchemaError,
  type TObject,
  type ValidationError,
} from '@toolwright/schema'

/** Variables by name, like `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads configuration from environment variables. Each property of the schema names a variable. Numbers and booleans are
 * converted, and lists are split at commas. Empty variables are treated as missing, and empty list items are ignored. Variables
 * that are not in the schema are ignored. To load a file, run `node --env-file=.env`.
 *
 * @param schema A TypeBox schema, or a Standard Schema that is not asynchronous.
 * @param environment Default: `process.env`.
 * @returns The configuration, frozen, with the defaults of the schema.
 * @throws BootError that lists every missing or invalid variable. The error contains no values, because values can be secrets.
 */
export function loadConfig<Schema extends TObject | StandardSchema>(
  schema: Schema,
  environment: Environment = process.env,
): Readonly<Infer<Schema>> {
  const config = isStandardSchema(schema) ? parseStandard(schema, environment) : readTypeBox(schema, environment)
  return Object.freeze(config) as Readonly<Infer<Schema>>
}

function readTypeBox(schema: TObject, environment: Environment): unknown {
  checkIsSchema(schema)
  const compiled = compileTypeBox(schema)
  const { properties } = schema
  const config = fromTexts(compiled, readVariables(properties, environment)) as Readonly<Record<string, unknown>>
  if (!compiled.check(config)) reportErrors(properties, errorsOf(schema, compiled, config))
  if (compiled.parse === null) return config
  const parsed = compiled.parse(config) as { readonly value: unknown }
  return parsed.value
}
type Properties = Readonly<Record<string, unknown>>

function parseStandard(schema: StandardSchema, environment: Environment): unknown {
  const compiled = compileListed(schema)
  const members = [...collectMembers(compiled.wire).properties].map(([name, [first]]) => [name, first] as const)
  const properties: Properties = Object.fromEntries(members)
  const texts = readVariables(properties, environment)
  const config = fromTexts(compiled, texts) as Readonly<Record<string, unknown>>
  const parsed = compiled.parse?.(config)
  if (parsed !== undefined && parsed !== null && 'then' in parsed) {
    // The outcome is not needed, and its rejection must not end the process.
    Promise.resolve(parsed).catch(() => undefined)
    return failWith(
      'bad-schema',
      'loadConfig: the schema is asynchronous, and loadConfig does not wait. Use a synchronous schema.',
    )
  }
  if (parsed?.errors !== undefined) {
    reportErrors(
      properties,
      parsed.errors.map((error) => withoutValues(error, config, texts, compiled)),
    )
  }
  return (parsed as { readonly value: unknown }).value
}

/** @throws BootError for a schema that cannot be listed, or that describes no object */
function compileListed(schema: StandardSchema): CompiledSchema {
  try {
    const compiled = compileStandard(schema)
    if (collectMembers(compiled.wire).properties.size > 0) return compiled
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return failWith('bad-schema', `loadConfig: the schema ${error.message}.`)
  }
  return failWith(
    'bad-schema',
    'loadConfig: the schema has no properties. Give an object with a property for each variable.',
  )
}

function failWith(code: 'bad-schema', message: string): never {
  const diagnostics = new Diagnostics()
  diagnostics.add(code, message)
  diagnostics.throwIfAny()
  throw new Error(message)
}

/**
 * Describes an error without the value of its variable, which the message of a library can contain. Uses the error of the listed
 * schema if there is one. Otherwise, removes the value from the message.
 */
function withoutValues(
  error: ValidationError,
  config: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, unknown>>,
  compiled: CompiledSchema,
): ValidationError {
  const name = error.instancePath.split('/')[1] ?? ''
  if (!Object.hasOwn(config, name) && collectMembers(compiled.wire).properties.has(name)) {
    return { ...error, keyword: 'required', params: { requiredProperties: [name] } }
  }
  const errors = compiled.check(config) ? [] : compiled.errors(config)
  const listed = errors.find(({ instancePath }) => instancePath === error.instancePath)
  if (listed !== undefined) return listed
  const values = [name === '' ? Object.values(texts) : texts[name]].flat(2).map(String)
  return { ...error, params: { path: '' }, message: `is invalid: ${hideValues(error.message ?? '', values)}` }
}

/** Removes values from a message: as written, without spaces around, as JSON, and as numbers, in any case. */
function hideValues(message: string, values: readonly string[]): string {
  const forms = values.flatMap((value) => [value, value.trim(), JSON.stringify(value).slice(1, -1), `${Number(value)}`])
  return forms
    .filter((form) => form !== '' && form !== 'NaN')
    .reduce((hidden, form) => hidden.replaceAll(patternOf(form), '…'), message)
}

/** Matches a value. Short values are only matched as whole words, because they can be part of any word. */
function patternOf(value: string): RegExp {
  const escaped = value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return new RegExp(value.length > 3 ? escaped : `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'giu')
}

/** Checks at run time, because untyped code can pass strings, or properties without `Type.Object`. */
function checkIsSchema(schema: unknown): void {
  const { properties } = (schema ?? {}) as { readonly properties?: unknown }
  if (typeof properties === 'object' && properties !== null) return
  const diagnostics = new Diagnostics()
  const fix = 'Give Type.Object({ … }), with a property for each variable.'
  diagnostics.add('bad-schema', `loadConfig: the schema is ${describeValue(schema)}. ${fix}`)
  diagnostics.throwIfAny()
}

function readVariables(properties: Properties, environment: Environment): Record<string, unknown> {
  const variables = Object.keys(properties).map((name) => {
    const text = environment[name] ?? ''
    return [name, isList(properties[name]) ? readList(text) : text] as const
  })
  return Object.fromEntries(variables.filter(([, value]) => value.length > 0))
}

/** Splits a list at commas. Ignores empty items, which are often left after an edit: `a.example.com,`. */
function readList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '')
}

function isList(schema: unknown): boolean {
  return (schema as { readonly type?: unknown } | undefined)?.type === 'array'
}

/**
 * Validates each variable separately, because validation of the whole object stops at the first errors. If all variables are
 * valid, checks rules about several variables, for example that at least one of two is set.
 */
function errorsOf(
  schema: TObject,
  compiled: CompiledSchema,
  config: Readonly<Record<string, unknown>>,
): readonly ValidationError[] {
  const { properties, $defs = {} } = schema as TObject & { readonly $defs?: object }
  const errors = Object.entries(properties).flatMap(([name, property]) => {
    const own = Object.hasOwn(config, name) ? { [name]: config[name] } : {}
    return compileTypeBox(Type.Object({ [name]: property }, { $defs })).errors(own)
  })
  return errors.length > 0 ? errors : compiled.errors(config)
}

function reportErrors(properties: Properties, found: readonly ValidationError[]): void {
  const diagnostics = new Diagnostics()
  const errors = found.flatMap(withAlternatives)
  const missing = errors.flatMap((error) => (error.keyword === 'required' ? namesIn(error) : []))
  for (const name of missing) {
    diagnostics.add('bad-environment', `The environment variable ${name} is not set${describe(properties, name)}.`)
  }
  for (const name of Object.keys(properties).filter((property) => !missing.includes(property))) {
    const own = errors.filter(({ instancePath }) => instancePath.split('/')[1] === name)
    if (own.length === 0) continue
    diagnostics.add(
      'bad-environment',
      `The environment variable ${name} ${expectedBy(own)}${describe(properties, name)}.`,
    )
  }
  // No error names a variable: all errors are about rules for several variables.
  if (diagnostics.count === 0) {
    diagnostics.add('bad-environment', `The environment ${errors.map(expectedByOne).join(' and ')}.`)
  }
  diagnostics.throwIfAny()
}

function withAlternatives(error: ValidationError): readonly ValidationError[] {
  const { branches = [] } = error.params as { readonly branches?: readonly (readonly ValidationError[])[] }
  return branches.length === 0 ? [error] : branches.flat().flatMap(withAlternatives)
}

/** Describes the expected value. Leaves out the actual value, which can be a secret. */
function expectedBy(errors: readonly ValidationError[]): string {
  const constants = errors.filter(({ keyword }) => keyword === 'const')
  const others = errors.filter(({ keyword }) => keyword !== 'const')
  return [...new Set([...describeConstants(constants), ...others.map(expectedByOne)])].join(' or ')
}

function describeConstants(constants: readonly ValidationError[]): readonly string[] {
  const [first] = constants
  if (first === undefined) return []
  const values = constants.map(({ params }) =>
    JSON.stringify((params as { readonly allowedValue?: unknown }).allowedValue),
  )
  const all = [...new Set(values)]
  return [`${whereOf(first)}must be ${all.length > 1 ? 'one of ' : ''}${all.join(', ')}`]
}

function expectedByOne(error: ValidationError): string {
  const { type } = error.params as { readonly type?: unknown }
  if (type === 'object') return 'is a string, but the schema expects an object: use a separate variable for each part'
  const said = describeErrors([{ ...error, instancePath: '' }], undefined, '').replace(/, got .*$/, '')
  const words = type === 'boolean' ? 'must be true or false, or 1 or 0' : said.trim()
  return `${whereOf(error)}${words}`
}

/**
 * Returns the beginning of a message about an item of a list; `''` for other errors. An error in an item has a longer path than
 * an error in a variable.
 */
function whereOf({ instancePath }: ValidationError): string {
  return instancePath.split('/').length > 2 ? 'has an item that ' : ''
}

function describe(properties: Properties, name: string): string {
  const { description } = (properties[name] ?? {}) as { readonly description?: string }
  return description === undefined ? '' : ` (${description})`
}
