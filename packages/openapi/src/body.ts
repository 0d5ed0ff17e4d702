import { isJsonObject, type JsonObject } from '@toolwright/core'
import type { Documents, LoadedDocument, Located } from './documents.js'
import { DocumentError } from './errors.js'
import { type BodyField, flattenBody, isFile, isTextType, itemsOf } from './flat-body.js'
import { objectAt, ownMember, textAt } from './json.js'
import type { FoundOperation } from './operation.js'
import { type Encoding, isJsonType } from './parameters.js'
import type { Style } from './styles.js'

export interface FormField extends Encoding {
  /** Whether the field is a file, or a list of files. */
  readonly isFile: boolean
  /** Media type of the part; `null`: the type depends on the value. */
  readonly contentType: string | null
  /** Whether the style of the field is given. Otherwise, objects are sent as JSON. */
  readonly hasStyle: boolean
}

export type BodyKind = 'json' | 'form' | 'multipart' | 'bytes' | 'text'

export interface Body {
  readonly kind: BodyKind
  readonly contentType: string
  readonly isRequired: boolean
  readonly description: string
  readonly schema: Located
  /** Properties that become arguments; `null`: the whole body is the argument `body`. */
  readonly fields: readonly BodyField[] | null
  /** For forms, by the name of the property. */
  readonly form: ReadonlyMap<string, FormField>
}

/** Kinds of bodies, the preferred one first. */
const preferred: readonly BodyKind[] = ['json', 'form', 'multipart', 'bytes', 'text']

/** Reads the body of an operation; `null`: it has none. @throws NotLoaded, DocumentError */
export function readBody(operation: FoundOperation, documents: Documents): Body | null {
  const given = ownMember(operation.raw, 'requestBody')
  // The specification leaves the body of GET undefined, and `fetch` rejects it.
  if (given === undefined || operation.method === 'GET') return null
  const { value, document } = documents.follow(given, operation.document, 'requestBody')
  const content = isJsonObject(value) ? objectAt(value, 'content') : {}
  const media = Object.entries(content).flatMap(([type, raw]) => {
    const read = documents.follow(raw, document, type)
    if (!isJsonObject(read.value)) return []
    const schema: Located = {
      value: ownMember(read.value, 'schema') ?? {},
      document: read.document,
      key: `${type}/schema`,
    }
    const kind = kindOf(type, schema, documents)
    return kind === null ? [] : [{ type, raw: read.value, schema, kind }]
  })
  const [best] = media.toSorted((a, b) => preferred.indexOf(a.kind) - preferred.indexOf(b.kind))
  if (best === undefined) {
    const types = Object.keys(content)
    if (types.length === 0) return null
    throw new DocumentError(`its body is ${types.join(' or ')}, which a model cannot write`)
  }
  const body = readMedia(best, value as JsonObject, operation, documents)
  // Some documents give every operation an empty form.
  return body.fields?.length === 0 && !body.isRequired ? null : body
}

interface Media {
  readonly type: string
  readonly raw: JsonObject
  readonly schema: Located
  readonly kind: BodyKind
}

function readMedia(
  { type, raw, schema, kind }: Media,
  body: JsonObject,
  operation: FoundOperation,
  documents: Documents,
): Body {
  const fields = kind === 'bytes' || kind === 'text' ? null : flattenBody(schema, documents)
  const isForm = kind === 'form' || kind === 'multipart'
  if (isForm && fields === null) {
    throw new DocumentError(`its body is ${type} without properties, so its fields are unknown`)
  }
  const hasRequired = fields?.some(({ isRequired }) => isRequired) ?? false
  return {
    kind,
    contentType: concreteType(type, kind),
    // Many documents forget `required`, whose default is false. A body with required properties is optional only if they say so.
    isRequired: typeof body['required'] === 'boolean' ? body['required'] : hasRequired && operation.method !== 'DELETE',
    description: textAt(body, 'description') ?? '',
    schema,
    fields,
    form: new Map(
      isForm
        ? (fields ?? []).map((field) => [field.name, readField(field, kind, raw, schema.document, documents)])
        : [],
    ),
  }
}

function readField(
  field: BodyField,
  kind: BodyKind,
  media: JsonObject,
  document: LoadedDocument,
  documents: Documents,
): FormField {
  const given = documents.follow(ownMember(objectAt(media, 'encoding'), field.name) ?? {}, document, field.name).value
  const encoding = isJsonObject(given) ? given : {}
  const style = (textAt(encoding, 'style') ?? 'form') as Style
  const contentType = textAt(encoding, 'contentType')?.split(',')[0]?.trim()
  const items = itemsOf(field.schema, documents)
  return {
    style,
    explode:
      typeof encoding['explode'] === 'boolean' ? encoding['explode'] : style === 'form' || style === 'deepObject',
    allowReserved: encoding['allowReserved'] === true,
    hasStyle: 'style' in encoding || 'explode' in encoding || 'allowReserved' in encoding,
    isFile: kind === 'multipart' && isFile(items ?? field.schema, contentType, documents),
    contentType: contentType === undefined || contentType.includes('*') ? null : contentType,
  }
}

function kindOf(type: string, schema: Located, documents: Documents): BodyKind | null {
  const media = (type.split(';')[0] as string).trim().toLowerCase()
  if (isJsonType(media)) return 'json'
  if (media === 'application/x-www-form-urlencoded') return 'form'
  if (media === 'multipart/form-data') return 'multipart'
  const { value } = documents.follow(schema.value, schema.document, schema.key)
  const isText = isJsonObject(value) && value['type'] === 'string'
  const isBinary = isFile(schema, media, documents)
  if (media === '*/*') return isBinary ? 'bytes' : isText ? 'text' : 'json'
  if (media.startsWith('multipart/')) return null
  if (isTextType(media)) return isText || media === 'text/plain' ? 'text' : null
  return isBinary || isText || (isJsonObject(value) && value['type'] === undefined) ? 'bytes' : null
}

function concreteType(type: string, kind: BodyKind): string {
  if (!type.includes('*')) return type
  return {
    json: 'application/json',
    text: 'text/plain',
    bytes: 'application/octet-stream',
    form: type,
    multipart: type,
  }[kind]
}
