import { charset, lookup } from 'mime-types'

/** The content of a file for clients: a string for text, else bytes. */
export interface FileContent {
  readonly content: string | Uint8Array
  readonly mimeType: string
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const structured = /[+/](?:json|xml|yaml)$/

/** Decodes a file. A string must encode to the same bytes again, because clients compare it with a digest of the bytes. */
export function readContent(name: string, bytes: Uint8Array): FileContent {
  const type = lookup(name) || null
  const text = decodeText(bytes)
  const isTextType = type !== null && (charset(type) === 'UTF-8' || structured.test(type))
  // Extensions are ambiguous: `.ts` is TypeScript, but its registered media type is a video.
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
