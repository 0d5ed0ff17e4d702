/**
 * What no reader of a text sees and a model may obey, or a terminal may execute: control characters but tab and line
 * breaks, and Unicode tag characters, which spell ASCII invisibly. Halves of characters are mended besides.
 */
// oxlint-disable-next-line no-control-regex
const unclean = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]|[\u{e0000}-\u{e007f}]/u

/** The three flags that are spelt with tag characters; those of no other flag have a picture. */
const flags =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u

const tags = new RegExp(`(${flags.source})|[\\u{e0000}-\\u{e007f}]`, 'gu')

/** The same in JSON as `JSON.stringify` writes it, where most of it is escaped. It may suspect text that is clean. */
// oxlint-disable-next-line no-control-regex
const uncleanJson = /\\[bfu]|[\x7f-\x9f]|\udb40[\udc00-\udc7f]/

/** The text as it may leave. Most text is clean, and comes back as it is. */
export function cleanText(text: string): string {
  return unclean.test(text) ? withoutControls(text.toWellFormed()).replace(tags, '$1') : text
}

/** By hand: for millions of them, `replace` takes ten times as long. */
function withoutControls(text: string): string {
  const width = /[\u0100-\uffff]/.test(text) ? 2 : 1
  const encoding = width === 1 ? 'latin1' : 'utf16le'
  const units = Buffer.from(text, encoding)
  let length = 0
  for (let index = 0; index < units.length; index += width) {
    const low = units[index] as number
    const high = width === 1 ? 0 : (units[index + 1] as number)
    if (high === 0 && isControl(low)) continue
    units[length] = low
    if (width === 2) units[length + 1] = high
    length += width
  }
  return length === units.length ? text : units.toString(encoding, 0, length)
}

function isControl(code: number): boolean {
  if (code < 0x20) return code !== 0x09 && code !== 0x0a && code !== 0x0d
  return code >= 0x7f && code <= 0x9f
}

/** What a JSON text says, every text in it clean, names of members included. `undefined` where it is clean already. */
export function cleanJson(json: string): unknown {
  return uncleanJson.test(json) ? cleanValue(JSON.parse(json)) : undefined
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cleanValue)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [cleanText(name), cleanValue(member)]))
}
