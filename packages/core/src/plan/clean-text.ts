/**
 * What no reader of a text sees and a model may obey, or a terminal may execute: control characters but tab and line
 * breaks, and Unicode tag characters, which spell ASCII invisibly. Halves of characters are mended besides.
 */
// oxlint-disable-next-line no-control-regex
const unclean = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]|[\u{e0000}-\u{e007f}]/u

/** The three flags that are spelt with tag characters; those of no other flag have a picture. */
const flags =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u

// oxlint-disable-next-line no-control-regex
const removed = new RegExp(
  `(${flags.source})|[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]|[\\u{e0000}-\\u{e007f}]`,
  'gu',
)

/** The same in JSON as `JSON.stringify` writes it, where most of it is escaped. It may suspect text that is clean. */
// oxlint-disable-next-line no-control-regex
const uncleanJson = /\\[bfu]|[\x7f-\x9f]|\udb40[\udc00-\udc7f]/

/** The text as it may leave. Most text is clean, and comes back as it is. */
export function cleanText(text: string): string {
  return unclean.test(text) ? text.toWellFormed().replace(removed, '$1') : text
}

/** The same for every text in a JSON text, names of members included. */
export function cleanJson(json: string): string {
  return uncleanJson.test(json) ? JSON.stringify(cleanValue(JSON.parse(json))) : json
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cleanValue)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [cleanText(name), cleanValue(member)]))
}
