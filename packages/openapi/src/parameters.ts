import { isJsonObject, type JsonObject } from '@toolwright/core'
import type { Documents, LoadedDocument } from './documents.js'
import { DocumentError } from './errors.js'
import { listAt, ownMember, textAt } from './json.js'
import type { FoundOperation } from './operation.js'
import type { Style } from './styles.js'

export type Place = 'path' | 'query' | 'header' | 'cookie'

export interface Encoding {
  readonly style: Style
  readonly explode: boolean
  readonly allowReserved: boolean
}

export interface Parameter extends Encoding {
  readonly name: string
  readonly place: Place
  readonly isRequired: boolean
  readonly description: string
  readonly schema: unknown
  /** Whether the value is written as JSON, because the parameter has `content` instead of a `schema`. */
  readonly isJsonText: boolean
  readonly raw: JsonObject
  readonly document: LoadedDocument
}

const styles: Readonly<Record<Place, readonly Style[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/**
 * Headers that no argument sets. The specification tells to ignore the first three; the others belong to the connection, or to
 * the credentials.
 */
const ownHeaders = new Set(
  [
    'accept',
    'content-type',
    'authorization',
    'host',
    'content-length',
    'transfer-encoding',
    'connection',
    'keep-alive',
  ].concat(
    ['upgrade', 'te', 'trailer', 'expect', 'cookie', 'proxy-authorization', 'proxy-connection', 'forwarded', 'via'],
    ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
  ),
)

/** Reads the parameters of the path and of the operation. @throws NotLoaded, DocumentError */
export function readParameters(operation: FoundOperation, documents: Documents): Parameter[] {
  const byPlace = new Map<string, Parameter>()
  for (const given of [...listAt(operation.pathItem, 'parameters'), ...listAt(operation.raw, 'parameters')]) {
    const { value, document } = documents.follow(given, operation.document, 'parameters')
    if (!isJsonObject(value)) throw new DocumentError('one of its parameters is no object')
    const parameter = readParameter(value, document, documents)
    if (parameter.place === 'header' && ownHeaders.has(parameter.name.toLowerCase())) continue
    byPlace.set(`${parameter.place} ${parameter.name}`, parameter)
  }
  return [...byPlace.values()]
}

function readParameter(raw: JsonObject, document: LoadedDocument, documents: Documents): Parameter {
  const name = textAt(raw, 'name')
  const place = textAt(raw, 'in')
  if (name === undefined || place === undefined || !Object.hasOwn(styles, place)) {
    throw new DocumentError(
      `its parameter '${name ?? ''}' is in '${place ?? ''}'. A parameter needs a name and a place`,
    )
  }
  const allowed = styles[place as Place]
  const style = (textAt(raw, 'style') ?? allowed[0]) as Style
  if (!allowed.includes(style)) {
    throw new DocumentError(`its parameter '${name}' has the style '${style}', which does not exist in '${place}'`)
  }
  const content = ownMember(raw, 'content')
  const media = isJsonObject(content) ? Object.entries(content)[0] : undefined
  if (media !== undefined && !isJsonType(media[0])) {
    throw new DocumentError(`its parameter '${name}' is written as ${media[0]}, which is not supported`)
  }
  const described = documents.follow(media === undefined ? { ...raw, $ref: undefined } : media[1], document, name).value
  return {
    name,
    place: place as Place,
    style,
    explode: typeof raw['explode'] === 'boolean' ? raw['explode'] : style === 'form' || style === 'deepObject',
    allowReserved: raw['allowReserved'] === true,
    isRequired: place === 'path' || raw['required'] === true,
    description: textAt(raw, 'description') ?? '',
    schema: isJsonObject(described) ? (ownMember(described, 'schema') ?? {}) : {},
    isJsonText: media !== undefined,
    raw,
    document,
  }
}

export function isJsonType(type: string): boolean {
  return /^(?:application\/json|[^/]+\/[^;]*\+json)\s*(?:;|$)/i.test(type.trim())
}
