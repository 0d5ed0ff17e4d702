import { charset, lookup } from 'mime-types'

/** What clients get of a file: text where it is text, to the byte. */
export interface FileContent {
  readonly content: string | Uint8Array
  readonly mimeType: string
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const structured = /[+/](?:json|xml|yaml)$/

/** Clients compare what they read with a digest of the bytes, so text has to become the same bytes again. */
export function readContent(name: string, bytes: Uint8Array): FileContent {
  const type = lookup(name) || null
  const text = decodeText(bytes)
  const isTextType = type !== null && (charset(type) === 'UTF-8' || structured.test(type))
  // An extension can mislead: `.ts` is TypeScript here, and a video elsewhere.
  if (text !== null) return { content: text, mimeType: isTextType ? type : 'text/plain' }
  return { content: bytes, mimeType: type === null || isTextType ? 'application/octet-stream' : type }
}

function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}
