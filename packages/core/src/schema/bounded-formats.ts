import type { Ajv, Format as AjvFormat } from 'ajv'
import {
  checkOfBase64,
  checkOfDateTime,
  checkOfHostname,
  checkOfIdnEmail,
  type IsFormat,
  ifNotTooLong,
  ifShort,
} from './format-checks.js'
import { checkOfAjvRegex, checkOfRegex } from './regex-checks.js'
import { Format } from './typebox.js'
import { checkOfAjvUrl, checkOfIri, checkOfUri, checkOfUrl } from './url-checks.js'

// The libraries check strings of any length, in some formats in more than linear time: `regex` and `url` take minutes
// for a string of megabytes.

const shortFormats = 'date time iso-time duration uuid ipv4 ipv6 email'.split(' ')
const longFormats = 'uri-template json-pointer json-pointer-uri-fragment relative-json-pointer'.split(' ')

type Bound = (check: IsFormat) => IsFormat

/** Replacements of TypeBox's checks by format. Each gets the original check. */
const bounded: ReadonlyMap<string, Bound> = new Map<string, Bound>([
  ...shortFormats.map((name) => [name, ifShort] as const),
  ...longFormats.map((name) => [name, ifNotTooLong] as const),
  ['date-time', checkOfDateTime],
  ['iso-date-time', checkOfDateTime],
  ['regex', checkOfRegex],
  ['idn-email', checkOfIdnEmail],
  ['hostname', checkOfHostname],
  ['idn-hostname', checkOfHostname],
  ['uri', checkOfUri],
  ['uri-reference', checkOfUri],
  ['iri', checkOfIri],
  ['iri-reference', checkOfIri],
  ['url', checkOfUrl],
  ['byte', checkOfBase64],
])

const boundedOfAjv: ReadonlyMap<string, Bound> = new Map([
  ...bounded,
  // ASCII only, with an optional trailing dot (root domain).
  ['hostname', ifShort],
  ['regex', checkOfAjvRegex],
  ['url', checkOfAjvUrl],
])

/** Bounds the formats of TypeBox for the whole process: TypeBox has a single registry. */
export function boundTypeBoxFormats(): void {
  for (const [name, bound] of bounded) {
    const check = Format.Get(name)
    if (check !== undefined) Format.Set(name, bound(check))
  }
}

export function boundAjvFormats(ajv: Ajv): void {
  for (const [name, bound] of boundedOfAjv) {
    const format = ajv.formats[name]
    if (format !== undefined) ajv.addFormat(name, boundAjvFormat(format, bound))
  }
}

/** Bounds one format. Ajv's formats are strings, expressions or functions, or also have an order (`formatMinimum`). */
function boundAjvFormat(format: AjvFormat, bound: Bound): AjvFormat {
  if (format instanceof RegExp) return bound((text) => format.test(text))
  if (typeof format === 'function') return bound(format)
  if (typeof format !== 'object' || !('validate' in format)) return format
  const { validate } = format
  if (validate instanceof RegExp) return { ...format, validate: bound((text) => validate.test(text)) } as AjvFormat
  return { ...format, validate: bound(validate as IsFormat) } as AjvFormat
}
