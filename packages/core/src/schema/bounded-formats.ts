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

// The libraries check texts of any length, some of them in time that grows faster than the text: `regex` and `url` take
// minutes for one of megabytes.

const shortFormats = 'date time iso-time duration uuid ipv4 ipv6 email'.split(' ')
const longFormats = 'uri-template json-pointer json-pointer-uri-fragment relative-json-pointer'.split(' ')

type Bound = (check: IsFormat) => IsFormat

/** How a format of TypeBox is checked instead, given its own way. */
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
  // Of ASCII only, and the dot of the root at the end.
  ['hostname', ifShort],
  ['regex', checkOfAjvRegex],
  ['url', checkOfAjvUrl],
])

/** For all of the process: TypeBox has one registry. */
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

/** Some are texts or expressions, some functions, and some have an order as well (`formatMinimum`). */
function boundAjvFormat(format: AjvFormat, bound: Bound): AjvFormat {
  if (format instanceof RegExp) return bound((text) => format.test(text))
  if (typeof format === 'function') return bound(format)
  if (typeof format !== 'object' || !('validate' in format)) return format
  const { validate } = format
  if (validate instanceof RegExp) return { ...format, validate: bound((text) => validate.test(text)) } as AjvFormat
  return { ...format, validate: bound(validate as IsFormat) } as AjvFormat
}
