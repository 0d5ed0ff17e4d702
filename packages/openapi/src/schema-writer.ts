import { cleanText } from './clean-text.js'
import type { Detail } from './detail.js'
import type { Documents, LoadedDocument } from './documents.js'
import { DocumentError } from './errors.js'
import { isJson, type Json, listAt, objectAt, ownMember, textAt, toObject } from './json.js'
import type { Dialect } from './parse-document.js'
import { subtypesOf } from './subtypes.js'

/** A JSON Schema of draft 2020-12. */
export type Schema = Record<string, unknown> | boolean

/** `request`: values that the model writes. `response`: values that the API returns. */
export type Direction = 'request' | 'response'

/** A schema of the document that other schemas refer to. */
interface Definition {
  readonly name: string
  schema: Schema
  uses: number
  isRecursive: boolean
}

const maxDepth = 100
/** Schemas of at most this many characters are written out where they are used. */
const maxInlined = 160

type Check = (value: unknown) => boolean
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0
const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isPattern: Check = (value) => typeof value === 'string' && compiles(value)

/** Keywords that are copied, and the values that JSON Schema allows. */
const copied: ReadonlyMap<string, Check> = new Map(
  Object.entries<Check>({
    const: () => true,
    format: isText,
    contentEncoding: isText,
    contentMediaType: isText,
    multipleOf: (value) => isNumber(value) && (value as number) > 0,
    minimum: isNumber,
    maximum: isNumber,
    exclusiveMinimum: isNumber,
    exclusiveMaximum: isNumber,
    minLength: isCount,
    maxLength: isCount,
    minItems: isCount,
    maxItems: isCount,
    minContains: isCount,
    maxContains: isCount,
    minProperties: isCount,
    maxProperties: isCount,
    uniqueItems: isFlag,
    pattern: isPattern,
  }),
)

const onlyForRequests = new Set(['format', 'pattern'])

/** Keywords whose value is one schema. */
const single = [
  'items',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]
/** Keywords whose value is a list of schemas. */
const several = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
/** Keywords whose value is an object of schemas. */
const named = ['properties', 'patternProperties', 'dependentSchemas']

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

interface WriterOptions {
  readonly documents: Documents
  readonly dialect: Dialect
  readonly detail: Detail
}

/** A schema with more parts than the limit. */
export class TooLarge extends DocumentError {}

/**
 * Writes schemas of a document as JSON Schema of draft 2020-12. A schema that is used several times, or that contains itself,
 * becomes an entry of `$defs`. Only schemas that are used are written.
 *
 * Schemas of responses have no descriptions, formats and patterns: they only describe the structure. APIs often return values that
 * do not match their own formats.
 */
export class SchemaWriter {
  /** Mistakes of the document that were corrected. */
  readonly mends = new Set<string>()
  readonly documents: Documents
  readonly dialect: Dialect
  readonly detail: Detail
  readonly #definitions = new Map<string, Definition>()
  readonly #byName = new Map<string, Definition>()
  readonly #open = new Set<Definition>()
  #depth = 0
  #written = 0

  /** @param maxSchemas Number of schemas after which {@link TooLarge} is thrown. */
  constructor(
    { documents, dialect, detail }: WriterOptions,
    readonly direction: Direction,
    readonly maxSchemas: number,
  ) {
    this.documents = documents
    this.dialect = dialect
    this.detail = detail
  }

  /** @throws NotLoaded, DocumentError, TooLarge */
  write(schema: unknown, document: LoadedDocument): Schema {
    if (typeof schema === 'boolean') return schema
    if (!isJson(schema)) return {}
    if (++this.#written > this.maxSchemas)
      throw new TooLarge(`its schemas consist of more than ${this.maxSchemas} schemas`)
    if (++this.#depth > maxDepth) throw new DocumentError(`its schemas are nested more than ${maxDepth} levels deep`)
    try {
      const reference = textAt(schema, '$ref')
      return reference === undefined
        ? this.#writeObject(schema, document)
        : this.#writeReference(reference, schema, document)
    } finally {
      this.#depth--
    }
  }

  /** Adds the definitions that a schema uses. */
  finish(schema: Record<string, unknown>): Record<string, unknown> {
    const root = this.#inline(schema) as Record<string, unknown>
    const kept = [...this.#definitions.values()].filter((definition) => this.#isKept(definition))
    const used = namesUsed(root, new Map(kept.map((definition) => [definition.name, this.#inline(definition.schema)])))
    return used.length === 0 ? root : { ...root, $defs: toObject(used) }
  }

  #writeReference(reference: string, schema: Json, document: LoadedDocument): Schema {
    const { key, value, document: home } = this.documents.follow(schema, document, reference)
    const written = this.#define(key, value, home)
    // 3.0 ignores all members besides `$ref`, but a description does no harm.
    const besides = this.dialect === '3.0' ? { description: schema['description'] } : { ...schema, $ref: undefined }
    const others = this.#writeObject(besides, document)
    return Object.keys(others).length === 0 ? written : { ...(others as object), ...written }
  }

  #define(key: string, value: unknown, document: LoadedDocument): Record<string, unknown> {
    const known = this.#definitions.get(key)
    if (known !== undefined) {
      known.uses++
      if (this.#open.has(known)) known.isRecursive = true
      return { $ref: `#/$defs/${known.name}` }
    }
    const definition: Definition = { name: this.#nameOf(key), schema: true, uses: 1, isRecursive: false }
    this.#definitions.set(key, definition)
    this.#byName.set(definition.name, definition)
    this.#open.add(definition)
    definition.schema = this.#writeType(value, document, key)
    this.#open.delete(definition)
    return { $ref: `#/$defs/${definition.name}` }
  }

  /** Writes a named schema: if a discriminator names its subtypes, one of the subtypes. */
  #writeType(value: unknown, document: LoadedDocument, key: string): Schema {
    const subtypes = isJson(value) ? subtypesOf({ value, document, key }, this.documents) : []
    if (subtypes.length === 0) return this.write(value, document)
    return { oneOf: subtypes.map((subtype) => this.#writeSubtype(subtype, key)) }
  }

  /** A subtype contains its base in `allOf`. There, the base stands for itself, and not for one of its subtypes. */
  #writeSubtype({ property, value: name, schema }: ReturnType<typeof subtypesOf>[number], base: string): Schema {
    const { allOf, ...own } = schema.value
    const bases = Array.isArray(allOf) ? (allOf as unknown[]) : []
    const written = bases.map((part) => {
      const located = this.documents.follow(part, schema.document, '')
      return located.key === base && isJson(located.value)
        ? this.#writeObject(located.value, located.document)
        : this.write(part, schema.document)
    })
    const isBase = schema.key === base
    const others = isBase ? this.#writeObject(schema.value, schema.document) : this.#writeObject(own, schema.document)
    const tag = { properties: toObject([[property, { const: name }]]), required: [property] }
    return { type: 'object', allOf: [...(isBase ? [] : written), others, tag].filter((part) => !isEmpty(part)) }
  }

  #nameOf(key: string): string {
    const last = decodeURIComponent(key.slice(key.lastIndexOf('/') + 1))
    const base = last.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 60) || 'schema'
    let name = base
    for (let count = 2; this.#byName.has(name); count++) name = `${base}_${count}`
    return name
  }

  #writeObject(schema: Json, document: LoadedDocument): Schema {
    const written: Record<string, unknown> = {}
    this.#writeTypes(schema, written)
    this.#copyKeywords(schema, written)
    for (const name of single) {
      const value = ownMember(schema, name)
      if (Array.isArray(value) && name === 'items')
        written['prefixItems'] = value.map((item) => this.write(item, document))
      else if (value !== undefined) written[name] = this.write(value, document)
    }
    for (const name of several) {
      const value = listAt(schema, name)
      if (value.length > 0) written[name] = value.map((part) => this.write(part, document))
    }
    for (const name of named) {
      const value = ownMember(schema, name)
      if (isJson(value)) written[name] = this.#writeNamed(name, value, document)
    }
    this.#writeRequired(schema, written, document)
    this.#writeAdditional(schema, written, document)
    const dependent = ownMember(schema, 'dependentRequired')
    if (isJson(dependent)) written['dependentRequired'] = dependent
    return this.#withNull(schema, written)
  }

  #writeTypes(schema: Json, written: Record<string, unknown>): void {
    const given = ownMember(schema, 'type')
    if (given === undefined) return
    const known = [given].flat().filter((type) => types.includes(type as string))
    if (known.length < [given].flat().length) this.mends.add(`unknown type ${JSON.stringify(given)} removed`)
    if (known.length === 1) [written['type']] = known
    else if (known.length > 1) written['type'] = [...new Set(known)]
  }

  #copyKeywords(schema: Json, written: Record<string, unknown>): void {
    const isRequest = this.direction === 'request'
    for (const [name, value] of Object.entries(schema)) {
      const accepts = copied.get(name)
      if (accepts === undefined || value === undefined || (!isRequest && onlyForRequests.has(name))) continue
      if (accepts(value)) written[name] = value
      else if (typeof value !== 'boolean') this.mends.add(`invalid ${name} removed`)
    }
    const { format } = written
    if (format === 'byte' || format === 'binary') {
      delete written['format']
      written['contentEncoding'] = 'base64'
    }
    for (const [flag, limit] of exclusive) {
      if (schema[flag] !== true || !isNumber(schema[limit])) continue
      written[flag] = schema[limit]
      delete written[limit]
    }
    this.#writeEnum(schema, written)
    if (isRequest) this.#describe(schema, written)
  }

  #describe(schema: Json, written: Record<string, unknown>): void {
    const notes = [cleanText(ownMember(schema, 'description'), this.detail.parameterLength)]
    const fallback = ownMember(schema, 'default')
    // As a keyword, the default would be sent for an argument that the model left out, for example in a PATCH.
    if (isShort(fallback)) notes.push(`Default: ${JSON.stringify(fallback)}.`)
    if (schema['deprecated'] === true) notes.push('Deprecated.')
    const description = notes.filter((note) => note !== '').join(' ')
    if (description !== '') written['description'] = description
  }

  #writeEnum(schema: Json, written: Record<string, unknown>): void {
    const given = ownMember(schema, 'enum')
    if (!Array.isArray(given) || given.length === 0) return
    const seen = new Map((given as unknown[]).map((value) => [JSON.stringify(value), value]))
    if (seen.size < given.length) this.mends.add('duplicate enum values removed')
    if (isNullable(schema, this.dialect)) seen.set('null', null)
    written['enum'] = [...seen.values()]
  }

  #writeNamed(keyword: string, schemas: Json, document: LoadedDocument): Record<string, unknown> {
    const entries = Object.entries(schemas).filter(([name, schema]) => {
      if (keyword === 'properties') return !this.isHidden(schema, document)
      if (keyword !== 'patternProperties' || compiles(name)) return true
      this.mends.add('invalid patternProperties removed')
      return false
    })
    return toObject(entries.map(([name, schema]) => [name, this.write(schema, document)]))
  }

  /** Whether a property exists only in the other direction. */
  isHidden(schema: unknown, document: LoadedDocument): boolean {
    if (!isJson(schema)) return false
    const flag = this.direction === 'request' ? 'readOnly' : 'writeOnly'
    if (schema[flag] === true) return true
    const { value } = this.documents.follow(schema, document, '')
    if (isJson(value) && value[flag] === true) return true
    const [only, ...others] = isJson(value) ? listAt(value, 'allOf') : []
    return others.length === 0 && isJson(only) && only !== schema && this.#isReferenceTo(only, flag, document)
  }

  #isReferenceTo(schema: Json, flag: string, document: LoadedDocument): boolean {
    const { value } = this.documents.follow(schema, document, '')
    return isJson(value) && value[flag] === true
  }

  #writeRequired(schema: Json, written: Record<string, unknown>, document: LoadedDocument): void {
    const given = ownMember(schema, 'required')
    if (!Array.isArray(given)) return
    const properties = objectAt(schema, 'properties')
    const names = [...new Set((given as unknown[]).filter(isText) as string[])]
    const kept = names.filter((name) => !this.isHidden(ownMember(properties, name), document))
    if (kept.length > 0) written['required'] = kept
  }

  #writeAdditional(schema: Json, written: Record<string, unknown>, document: LoadedDocument): void {
    const value = ownMember(schema, 'additionalProperties')
    if (value === undefined || value === true) return
    if (value === false) {
      // Members that exist only in the other direction are still part of what an API returns.
      if (this.direction === 'request') written['additionalProperties'] = false
      return
    }
    const additional = this.write(value, document)
    if (!isEmpty(additional)) written['additionalProperties'] = additional
  }

  /** Writes `nullable` of 3.0 as the type `null`. */
  #withNull(schema: Json, written: Record<string, unknown>): Schema {
    if (!isNullable(schema, this.dialect)) return written
    const { type } = written
    if (type !== undefined) {
      written['type'] = [...new Set([type, 'null'].flat())]
      return written
    }
    const isCombined = several.some((name) => name in written)
    if (!isCombined) return written
    const { description, ...rest } = written
    const { anyOf } = rest
    if (Array.isArray(anyOf) && Object.keys(rest).length === 1)
      return { ...written, anyOf: [...anyOf, { type: 'null' }] }
    return { ...(description === undefined ? {} : { description }), anyOf: [rest, { type: 'null' }] }
  }

  #isKept({ isRecursive, uses, schema }: Definition): boolean {
    if (isRecursive) return true
    if (uses === 1) return false
    // References in a copied schema would be copied as well, and could double at each level.
    const text = JSON.stringify(schema)
    return text.length > maxInlined || text.includes('"$ref"')
  }

  /** Writes out references to definitions that are not kept. */
  #inline(schema: unknown): unknown {
    if (!isJson(schema)) return schema
    const reference = schema['$ref']
    const definition = typeof reference === 'string' ? this.#byName.get(reference.slice('#/$defs/'.length)) : undefined
    if (definition === undefined || this.#isKept(definition)) return mapParts(schema, (part) => this.#inline(part))
    const { $ref: _, ...besides } = schema
    const written = this.#inline(definition.schema)
    if (!isJson(written)) return besides
    const clashes = Object.keys(besides).some((name) => name in written && name !== 'description')
    const own = this.#inline(besides) as Json
    return clashes ? { allOf: [written, own] } : { ...written, ...own }
  }
}

const exclusive = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const

/** Replaces the schemas that a schema consists of. Other members can look like schemas, such as values of `const`. */
function mapParts(schema: Json, replace: (part: unknown) => unknown): Record<string, unknown> {
  const entries = Object.entries(schema).map(([name, member]): [string, unknown] => {
    if (named.includes(name) && isJson(member)) {
      return [name, toObject(Object.entries(member).map(([key, part]) => [key, replace(part)]))]
    }
    if (several.includes(name) && Array.isArray(member)) return [name, member.map(replace)]
    return single.includes(name) || name === 'additionalProperties' ? [name, replace(member)] : [name, member]
  })
  return toObject(entries)
}

function isNullable(schema: Json, dialect: Dialect): boolean {
  return dialect === '3.0' && schema['nullable'] === true
}

export function isEmpty(schema: Schema): boolean {
  return typeof schema === 'object' && Object.keys(schema).length === 0
}

function isShort(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || value === null) && JSON.stringify(value).length <= 80
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** Returns the definitions that a schema reaches. */
function namesUsed(root: unknown, definitions: ReadonlyMap<string, unknown>): [string, unknown][] {
  const used = new Map<string, unknown>()
  const visit = (part: unknown): unknown => {
    if (!isJson(part)) return part
    const reference = part['$ref']
    if (typeof reference === 'string') {
      const name = reference.slice('#/$defs/'.length)
      if (!used.has(name) && definitions.has(name)) {
        used.set(name, definitions.get(name))
        visit(definitions.get(name))
      }
    }
    return mapParts(part, visit)
  }
  visit(root)
  return [...used]
}
