// Scans JSON text without parsing it.

export const quote = 0x22
export const colon = 0x3a
const backslash = 0x5c

/** Whether the code is `[` or `{`. The mask clears the only bit in which the two codes differ. */
export function isOpening(code: number): boolean {
  return (code & 0xdf) === 0x5b
}

/** Whether the code is `]` or `}`. The mask clears the only bit in which the two codes differ. */
export function isClosing(code: number): boolean {
  return (code & 0xdf) === 0x5d
}

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

/** Whether the code is JSON whitespace. False for `NaN`, the code at the end of the text. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
