import { createHash } from 'node:crypto'

/**
 * Encodes a cursor: the key of the last entry of a page. Servers store no cursors, so any node can serve the next page.
 *
 * @param list Name of the list. Cursors of other lists are rejected.
 */
export function encodeCursor(list: string, key: string): string {
  const checksum = createHash('sha256').update(`${list}\n${key}`).digest('hex').slice(0, checksumLength)
  return Buffer.from(checksum + key).toString('base64url')
}

/** Returns the key in a cursor; `null` for a value that is not a cursor of this list. */
export function decodeCursor(list: string, cursor: unknown): string | null {
  if (typeof cursor !== 'string' || cursor.length > maxCursorLength) return null
  const key = Buffer.from(cursor, 'base64url').toString('utf8').slice(checksumLength)
  return cursor === encodeCursor(list, key) ? key : null
}

const checksumLength = 12

/**
 * Maximum length of a cursor in characters: long cursors take long to decode. The names and URIs in cursors are expected to be
 * shorter.
 */
const maxCursorLength = 64 * 1024
