/**
 * For each byte on the wire: its position in the text of the GUID. .NET writes the first three groups of a GUID in
 * little-endian order.
 */
const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15] as const

export const guidLength = order.length

const bare = /^[\da-f]{32}$/i
const dashed = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Encodes a GUID in the layout of .NET: 16 bytes. Accepts GUIDs with or without dashes, and in braces or parentheses.
 * Any other id becomes 16 zero bytes.
 */
export function guidToBytes(id: string): Uint8Array {
  const bytes = new Uint8Array(guidLength)
  const hex = hexOf(id)
  if (hex === null) return bytes
  for (const [index, position] of order.entries()) {
    bytes[index] = Number.parseInt(hex.slice(position * 2, position * 2 + 2), 16)
  }
  return bytes
}

function hexOf(id: string): string | null {
  const isEnclosed = /^(?:\{.*\}|\(.*\))$/.test(id)
  const text = isEnclosed ? id.slice(1, -1) : id
  if (dashed.test(text)) return text.replaceAll('-', '')
  return bare.test(text) && !isEnclosed ? text : null
}

/** Decodes a GUID from the layout of .NET, as lower-case text with dashes. */
export function bytesToGuid(bytes: Uint8Array): string {
  const hex: string[] = []
  for (const [index, position] of order.entries()) {
    hex[position] = (bytes[index] as number).toString(16).padStart(2, '0')
  }
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Returns a string that identifies 16 bytes, for maps. */
export function guidKey(bytes: Uint8Array): string {
  let key = ''
  for (let index = 0; index < guidLength; index++) key += String.fromCharCode(bytes[index] as number)
  return key
}

/** Key of all ids that are not GUIDs: all bytes are zero. */
export const zeroKey = guidKey(new Uint8Array(guidLength))

/** Creates a random GUID. Unlike `crypto.randomUUID`, this also works in pages without TLS. */
export function randomGuid(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(guidLength))
  // Sets version 4 and the variant. On the wire, the byte with the version is the eighth byte.
  bytes[7] = ((bytes[7] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytesToGuid(bytes)
}
