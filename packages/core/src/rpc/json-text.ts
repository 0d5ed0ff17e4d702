// What there is in the text of JSON that nobody has parsed.

export const quote = 0x22
export const colon = 0x3a
const backslash = 0x5c

/** Clearing the bit in which they differ takes '{' for '['. */
export function isOpening(code: number): boolean {
  return (code & 0xdf) === 0x5b
}

/** The same takes '}' for ']'. */
export function isClosing(code: number): boolean {
  return (code & 0xdf) === 0x5d
}

/** The index of the quote that closes the string. */
export function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === quote) return index
    index += code === backslash ? 2 : 1
  }
  return index
}

export function afterBlanks(text: string, start: number): number {
  let index = start
  while (isBlank(text.charCodeAt(index))) index++
  return index
}

/** JSON's own, and no others. `NaN`, at the end of the text, is none. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
