import { isJsonObject } from '@toolwright/core'
import { type Body, type FormField } from './body.js'
import { RequestError } from './errors.js'
import { toObject } from './json.js'
import { encodeMultipart, type FormPart } from './multipart.js'
import type { Parameter } from './parameters.js'
import { isUnchanged, requireSafeValue } from './path.js'
import type { Argument, OperationPlan } from './plan-operation.js'
import { encode, headerText, isAbsent, pathText, queryPairs, requireOneLine } from './styles.js'

/** A request to the API, without credentials. */
export interface ApiRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

/** The URL that the path of an operation is appended to. */
export interface Base {
  readonly origin: string
  /** Without a slash at the end. */
  readonly path: string
}

/** Builds the request of a call. @throws RequestError for arguments that lead to another place, or that have no form. */
export function buildRequest(plan: OperationPlan, base: Base, given: Readonly<Record<string, unknown>>): ApiRequest {
  const present = plan.arguments.flatMap((argument) => {
    const value = Object.hasOwn(given, argument.key) ? given[argument.key] : undefined
    return value === undefined ? [] : [{ ...argument, value }]
  })
  const headers: Record<string, string> = {}
  const query: string[] = []
  const cookies: string[] = []
  for (const { key, parameter, value } of present) {
    if (parameter === null || parameter.place === 'path' || isAbsent(value)) continue
    const written = parameter.isJsonText ? JSON.stringify(value) : value
    if (parameter.place === 'query') query.push(...queryPairs(parameter.name, written, parameter))
    else if (parameter.place === 'cookie') cookies.push(...queryPairs(parameter.name, written, parameter))
    else headers[parameter.name.toLowerCase()] = headerOf(key, written, parameter)
  }
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ')
  const { contentType, body } = plan.body === null ? noBody : encodeBody(plan.body, present)
  if (contentType !== null) headers['content-type'] = contentType
  return { method: plan.operation.method, url: urlOf(plan, base, present, query), headers, body }
}

interface Present extends Argument {
  readonly value: unknown
}

function headerOf(key: string, value: unknown, parameter: Parameter): string {
  const text = headerText(value, parameter)
  requireOneLine(key, text)
  if (/[^\x20-\xff]/.test(text)) throw new RequestError(`'${key}' has characters that a header cannot have. Use ASCII`)
  return text
}

function urlOf(plan: OperationPlan, base: Base, present: readonly Present[], query: readonly string[]): URL {
  const pathname =
    base.path + plan.parts.map((part) => ('text' in part ? part.text : segmentOf(part.parameter, present))).join('')
  const search = query.length > 0 ? `?${query.join('&')}` : ''
  const url = new URL(`${base.origin}${pathname}${search}`)
  if (!isUnchanged(url, base.origin, pathname)) {
    throw new RequestError('The arguments lead to another path. Remove what is not a plain value')
  }
  return url
}

function segmentOf(name: string, present: readonly Present[]): string {
  const argument = present.find(({ parameter }) => parameter?.place === 'path' && parameter.name === name)
  const parameter = argument?.parameter
  if (argument === undefined || !parameter || isAbsent(argument.value))
    throw new RequestError(`'${name}' is missing. It is part of the path`)
  const { key, value } = argument
  for (const text of textsOf(value)) requireSafeValue(key, text)
  const written = pathText(name, parameter.isJsonText ? JSON.stringify(value) : value, parameter)
  requireOneLine(key, decodeURIComponent(written))
  return written
}

/** Returns all texts that a value of a path consists of. An empty list or object is an empty text. */
function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)]
  const entries = Object.entries(value).filter(([, member]) => !isAbsent(member))
  if (entries.length === 0) return ['']
  return Array.isArray(value)
    ? entries.flatMap(([, member]) => textsOf(member))
    : entries.flatMap(([name, member]) => [name, ...textsOf(member)])
}

interface Encoded {
  readonly contentType: string | null
  readonly body: string | Uint8Array | null
}

const noBody: Encoded = { contentType: null, body: null }

function encodeBody(body: Body, present: readonly Present[]): Encoded {
  const whole = present.find(({ name }) => name === null)
  const fields = present.filter(({ name, parameter }) => parameter === null && name !== null)
  if (whole === undefined && fields.length === 0 && !body.isRequired) return noBody
  const members = fields.map(({ name, key, value }) => ({ name: name as string, key, value }))
  const { contentType } = body
  if (body.kind === 'bytes') return { contentType, body: bytesOf('body', whole?.value) }
  if (body.kind === 'text') return { contentType, body: typeof whole?.value === 'string' ? whole.value : '' }
  if (body.kind === 'form') return { contentType, body: encodeForm(body, members) }
  if (body.kind === 'multipart') return encodeMultipart(members.flatMap((member) => partsOf(member, body.form)))
  const value = whole === undefined ? toObject(members.map(({ name, value: member }) => [name, member])) : whole.value
  return { contentType, body: JSON.stringify(value) }
}

interface Member {
  readonly name: string
  readonly key: string
  readonly value: unknown
}

function encodeForm({ form }: Body, members: readonly Member[]): string {
  const pairs = members.flatMap(({ name, value }) => {
    const field = form.get(name) as FormField
    if (isAbsent(value)) return []
    if (field.hasStyle) return queryPairs(name, value, field)
    // Without a style, a part of a form is written by its default media type: objects are JSON.
    return [value]
      .flat()
      .map((item) => `${encode(name)}=${encode(isScalar(item) ? String(item) : JSON.stringify(item))}`)
  })
  return pairs.join('&')
}

function partsOf({ name, key, value }: Member, form: Body['form']): FormPart[] {
  const { isFile, contentType } = form.get(name) as FormField
  const items = [value].flat().filter((item) => !isAbsent(item))
  if (isFile) return items.map((item) => filePart(name, key, item, contentType))
  return items.map((item) => {
    const content = isScalar(item) ? String(item) : JSON.stringify(item)
    return { name, content, contentType: contentType ?? (isScalar(item) ? null : 'application/json'), fileName: null }
  })
}

function filePart(name: string, key: string, value: unknown, contentType: string | null): FormPart {
  const { text, data, name: fileName, type } = isJsonObject(value) ? value : {}
  if ((typeof text === 'string') === (typeof data === 'string')) {
    throw new RequestError(`'${key}' is a file. Give either its 'text', or its bytes as base64 in 'data'`)
  }
  const content = typeof text === 'string' ? text : bytesOf(`${key}.data`, data)
  const given = typeof type === 'string' && type !== '' ? type : null
  if (given !== null && !/^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w.-]+=[\w.+-]+)*$/.test(given)) {
    throw new RequestError(`'${key}.type' is no media type. Give one such as 'text/plain'`)
  }
  const fallback = typeof text === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream'
  const shown = typeof fileName === 'string' && fileName !== '' ? fileName : name
  return { name, content, contentType: given ?? contentType ?? fallback, fileName: shown.toWellFormed() }
}

function bytesOf(key: string, value: unknown): Uint8Array {
  const text = typeof value === 'string' ? value.replace(/\s/g, '') : ''
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw new RequestError(`'${key}' is not base64. Give the bytes as base64`)
  return Buffer.from(text, 'base64')
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}
