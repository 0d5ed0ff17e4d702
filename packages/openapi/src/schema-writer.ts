import { isJsonObject, type JsonObject } from '@toolwright/core'
import { cleanText } from './clean-text.js'
import { Definitions, type Schema } from './definitions.js'
import type { Detail } from './detail.js'
import type { Documents, LoadedDocument } from './documents.js'
import { DocumentError } from './errors.js'
import { listAt, objectAt, ownMember, textAt, toObject } from './json.js'
import { isNumber, isPattern, listKeywords, objectKeywords, plainKeywords, schemaKeywords, types } from './keywords.js'
import type { Dialect } from './parse-document.js'
import { subtypesOf } from './subtypes.js'

/** `request`: values that the model writes. `response`: values that the API returns. */
export type Direction = 'request' | 'response'

const maxDepth = 100
const onlyForRequests = new Set(['format', 'pattern'])

interface WriterOptions {
  readonly documents: Documents
  readonly dialect: Dialect
  readonly detail: Detail
}

export class TooLarge extends DocumentError {}

/**
 * Writes schemas of a document as JSON Schema of draft 2020-12. Only schemas that are used are written.
 *
 * Schemas of responses have no descriptions, formats and patterns: they only describe the structure. APIs often return values that
 * do not match their own formats.
 */
export class SchemaWriter {
  readonly mends = new Set<string>()
  readonly documents: Documents
  readonly dialect: Dialect
  readonly detail: Detail
  readonly #definitions = new Definitions()
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
    if (!isJsonObject(schema)) return {}
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

  finish(schema: Record<string, unknown>): Record<string, unknown> {
    return this.#definitions.addTo(schema)
  }

  #writeReference(reference: string, schema: JsonObject, document: LoadedDocument): Schema {
    const { key, value, document: home } = this.documents.follow(schema, document, reference)
    const written = this.#definitions.refer(key, () => this.#writeType(value, home, key))
    // 3.0 ignores all members besides `$ref`, but a description does no harm.
    const besides = this.dialect === '3.0' ? { description: schema['description'] } : { ...schema, $ref: undefined }
    const others = this.#writeObject(besides, document)
    return Object.keys(others).length === 0 ? written : { ...(others as object), ...written }
  }

  /** Writes a named schema: if a discriminator names its subtypes, one of the subtypes. */
  #writeType(value: unknown, document: LoadedDocument, key: string): Schema {
    const subtypes = isJsonObject(value) ? subtypesOf({ value, document, key }, this.documents) : []
    if (subtypes.length === 0) return this.write(value, document)
    return { oneOf: subtypes.map((subtype) => this.#writeSubtype(subtype, key)) }
  }

  /** A subtype contains its base in `allOf`. There, the base stands for itself, and not for one of its subtypes. */
  #writeSubtype({ property, value: name, schema }: ReturnType<typeof subtypesOf>[number], base: string): Schema {
    const { allOf, ...own } = schema.value
    const bases = Array.isArray(allOf) ? (allOf as unknown[]) : []
    const written = bases.map((part) => {
      const located = this.documents.follow(part, schema.document, '')
      return located.key === base && isJsonObject(located.value)
        ? this.#writeObject(located.value, located.document)
        : this.write(part, schema.document)
    })
    const isBase = schema.key === base
    const others = isBase ? this.#writeObject(schema.value, schema.document) : this.#writeObject(own, schema.document)
    const tag = { properties: toObject([[property, { const: name }]]), required: [property] }
    return { type: 'object', allOf: [...(isBase ? [] : written), others, tag].filter((part) => !isEmpty(part)) }
  }

  #writeObject(schema: JsonObject, document: LoadedDocument): Schema {
    const written: Record<string, unknown> = {}
    this.#writeTypes(schema, written)
    this.#copyKeywords(schema, written)
    for (const name of schemaKeywords) {
      const value = ownMember(schema, name)
      if (Array.isArray(value) && name === 'items')
        written['prefixItems'] = value.map((item) => this.write(item, document))
      else if (value !== undefined) written[name] = this.write(value, document)
    }
    for (const name of listKeywords) {
      const value = listAt(schema, name)
      if (value.length > 0) written[name] = value.map((part) => this.write(part, document))
    }
    for (const name of objectKeywords) {
      const value = ownMember(schema, name)
      if (isJsonObject(value)) written[name] = this.#writeNamed(name, value, document)
    }
    // Some vendors of models reject all tools for one list without items.
    if (this.direction === 'request' && [written['type']].flat().includes('array') && !('prefixItems' in written))
      written['items'] ??= {}
    this.#writeRequired(schema, written, document)
    this.#writeAdditional(schema, written, document)
    const dependent = ownMember(schema, 'dependentRequired')
    if (isJsonObject(dependent)) written['dependentRequired'] = dependent
    return this.#withNull(schema, written)
  }

  #writeTypes(schema: JsonObject, written: Record<string, unknown>): void {
    const given = ownMember(schema, 'type')
    if (given === undefined) return
    const known = [given].flat().filter((type) => types.includes(type as string))
    if (known.length < [given].flat().length) this.mends.add(`unknown type ${JSON.stringify(given)} removed`)
    if (known.length === 1) [written['type']] = known
    else if (known.length > 1) written['type'] = [...new Set(known)]
  }

  #copyKeywords(schema: JsonObject, written: Record<string, unknown>): void {
    const isRequest = this.direction === 'request'
    for (const [name, value] of Object.entries(schema)) {
      const accepts = plainKeywords.get(name)
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

  #describe(schema: JsonObject, written: Record<string, unknown>): void {
    const notes = [cleanText(ownMember(schema, 'description'), this.detail.parameterLength)]
    const fallback = ownMember(schema, 'default')
    // As a keyword, the default would be sent for an argument that the model left out, for example in a PATCH.
    if (isShort(fallback)) notes.push(`Default: ${JSON.stringify(fallback)}.`)
    if (schema['deprecated'] === true) notes.push('Deprecated.')
    const description = notes.filter((note) => note !== '').join(' ')
    if (description !== '') written['description'] = description
  }

  #writeEnum(schema: JsonObject, written: Record<string, unknown>): void {
    const given = ownMember(schema, 'enum')
    if (!Array.isArray(given) || given.length === 0) return
    const seen = new Map((given as unknown[]).map((value) => [JSON.stringify(value), value]))
    if (seen.size < given.length) this.mends.add('duplicate enum values removed')
    if (isNullable(schema, this.dialect)) seen.set('null', null)
    written['enum'] = [...seen.values()]
  }

  #writeNamed(keyword: string, schemas: JsonObject, document: LoadedDocument): Record<string, unknown> {
    const entries = Object.entries(schemas).filter(([name, schema]) => {
      if (keyword === 'properties') return !this.isHidden(schema, document)
      if (keyword !== 'patternProperties' || isPattern(name)) return true
      this.mends.add('invalid patternProperties removed')
      return false
    })
    return toObject(entries.map(([name, schema]) => [name, this.write(schema, document)]))
  }

  /** Whether a property exists only in the other direction. */
  isHidden(schema: unknown, document: LoadedDocument): boolean {
    if (!isJsonObject(schema)) return false
    const flag = this.direction === 'request' ? 'readOnly' : 'writeOnly'
    if (schema[flag] === true) return true
    const { value } = this.documents.follow(schema, document, '')
    if (isJsonObject(value) && value[flag] === true) return true
    const [only, ...others] = isJsonObject(value) ? listAt(value, 'allOf') : []
    return others.length === 0 && isJsonObject(only) && only !== schema && this.#isReferenceTo(only, flag, document)
  }

  #isReferenceTo(schema: JsonObject, flag: string, document: LoadedDocument): boolean {
    const { value } = this.documents.follow(schema, document, '')
    return isJsonObject(value) && value[flag] === true
  }

  #writeRequired(schema: JsonObject, written: Record<string, unknown>, document: LoadedDocument): void {
    const given = ownMember(schema, 'required')
    if (!Array.isArray(given)) return
    const properties = objectAt(schema, 'properties')
    const names = [...new Set((given as unknown[]).filter((name) => typeof name === 'string'))]
    const kept = names.filter((name) => !this.isHidden(ownMember(properties, name), document))
    if (kept.length > 0) written['required'] = kept
  }

  #writeAdditional(schema: JsonObject, written: Record<string, unknown>, document: LoadedDocument): void {
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
  #withNull(schema: JsonObject, written: Record<string, unknown>): Schema {
    if (!isNullable(schema, this.dialect)) return written
    const { type } = written
    if (type !== undefined) {
      written['type'] = [...new Set([type, 'null'].flat())]
      return written
    }
    const isCombined = listKeywords.some((name) => name in written)
    if (!isCombined) return written
    const { description, ...rest } = written
    const { anyOf } = rest
    if (Array.isArray(anyOf) && Object.keys(rest).length === 1)
      return { ...written, anyOf: [...anyOf, { type: 'null' }] }
    return { ...(description === undefined ? {} : { description }), anyOf: [rest, { type: 'null' }] }
  }
}

const exclusive = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const

function isNullable(schema: JsonObject, dialect: Dialect): boolean {
  return dialect === '3.0' && schema['nullable'] === true
}

function isEmpty(schema: Schema): boolean {
  return typeof schema === 'object' && Object.keys(schema).length === 0
}

function isShort(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || value === null) && JSON.stringify(value).length <= 80
}
