import { isJsonObject } from '@toolwright/core'
import { RequestError } from './errors.js'
import type { Encoding } from './parameters.js'

export type Style = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** Percent-encodes all characters but the unreserved ones of RFC 3986. */
export function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, hexOf)
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** Encodes all characters but unreserved ones and those reserved ones that cannot end a part of a query. */
function encodeReserved(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/%(?:3A|2F|3F|40|24|2C|3B)/g, decodeURIComponent)
}

/** Writes a value as text. Objects and arrays within values have no style: they are written as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** Whether a value leaves a parameter out. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

export function pathText(name: string, value: unknown, { style, explode }: Encoding): string {
  const parts = partsOf(value, encode)
  if (style === 'simple') return joined(parts, ',', explode)
  if (style === 'label') return `.${joined(parts, explode ? '.' : ',', explode)}`
  const key = encode(name)
  if (parts.kind === 'object' && explode) return parts.pairs.map(([member, text]) => `;${member}=${text}`).join('')
  if (parts.kind === 'array' && explode) return parts.items.map((text) => `;${key}=${text}`).join('')
  const text = joined(parts, ',', false)
  return text === '' ? `;${key}` : `;${key}=${text}`
}

/** Writes the value of a header: `simple`, without percent-encoding. */
export function headerText(value: unknown, { explode }: Pick<Encoding, 'explode'>): string {
  return joined(partsOf(value, String), ',', explode)
}

/** Writes a value as `name=value`, once or several times: in a query, a form, or a cookie. */
export function queryPairs(name: string, value: unknown, { style, explode, allowReserved }: Encoding): string[] {
  const encoding = allowReserved ? encodeReserved : encode
  const key = encode(name)
  if (style === 'deepObject' && typeof value === 'object' && value !== null) return deepPairs(key, value, encoding)
  const parts = partsOf(value, encoding)
  if (parts.kind === 'text') return [`${key}=${parts.text}`]
  if (explode && style !== 'deepObject') {
    if (parts.kind === 'object') return parts.pairs.map(([member, text]) => `${member}=${text}`)
    return parts.items.map((text) => `${key}=${text}`)
  }
  const text = joined(parts, separators[style] ?? ',', false)
  return text === '' ? [] : [`${key}=${text}`]
}

const separators: Readonly<Partial<Record<Style, string>>> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

/** `filter[a][b]=c`. The specification leaves nested values open: the names of Rack, PHP and `qs` are used. */
function deepPairs(key: string, value: object, encoding: (text: string) => string): string[] {
  return Object.entries(value).flatMap(([member, inner]: [string, unknown]) => {
    if (inner === undefined) return []
    const name = `${key}%5B${encode(member)}%5D`
    if (typeof inner === 'object' && inner !== null) return deepPairs(name, inner, encoding)
    return [`${name}=${inner === null ? '' : encoding(textOf(inner))}`]
  })
}

type Parts =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly string[] }
  | { readonly kind: 'object'; readonly pairs: readonly (readonly [string, string])[] }

function partsOf(value: unknown, encoding: (text: string) => string): Parts {
  if (Array.isArray(value)) {
    return { kind: 'array', items: value.filter((item) => !isAbsent(item)).map((item) => encoding(textOf(item))) }
  }
  if (!isJsonObject(value)) return { kind: 'text', text: encoding(textOf(value)) }
  const present = Object.entries(value).filter(([, member]) => !isAbsent(member))
  return { kind: 'object', pairs: present.map(([name, member]) => [encoding(name), encoding(textOf(member))]) }
}

function joined(parts: Parts, separator: string, explode: boolean): string {
  if (parts.kind === 'text') return parts.text
  if (parts.kind === 'array') return parts.items.join(separator)
  return parts.pairs.map(([name, text]) => (explode ? `${name}=${text}` : `${name}${separator}${text}`)).join(separator)
}

// oxlint-disable-next-line no-control-regex
const controls = /[\x00-\x1f\x7f]/

export function requireOneLine(key: string, text: string): void {
  if (controls.test(text)) throw new RequestError(`'${key}' contains a line break or a control character. Remove it`)
}
