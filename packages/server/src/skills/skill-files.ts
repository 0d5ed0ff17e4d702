import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { charset, lookup } from 'mime-types'
import type { SkillPath } from './list-files.js'

/** The file is read only one time, so that its content always matches the listed digest. */
export interface LoadedFile {
  readonly uri: string
  readonly digest: string
  readonly size: number
  readonly path: string
  /** A string for text, bytes for other files. */
  readonly content: string | Uint8Array
  readonly mimeType: string
}

export class SkillFiles {
  readonly #byPath = new Map<string, LoadedFile>()
  #bytes = 0

  constructor(private readonly maxBytes: number) {}

  /** @throws Error when the file cannot be read, or exceeds the limit. */
  load({ path, segments }: SkillPath): LoadedFile {
    const known = this.#byPath.get(path)
    if (known !== undefined) return known
    const bytes = this.#read(path)
    this.#bytes += bytes.length
    const file: LoadedFile = {
      path,
      uri: `skill://${segments.map(encodeURIComponent).join('/')}`,
      digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      size: bytes.length,
      ...readContent(basename(path), bytes),
    }
    this.#byPath.set(path, file)
    return file
  }

  #read(path: string): Buffer {
    // `O_NOFOLLOW` rejects a file that was replaced by a link after the folder was listed.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      const stat = fstatSync(file)
      if (!stat.isFile()) throw new Error(`${path} is not a file`)
      if (this.#bytes + stat.size > this.maxBytes) {
        throw new Error(`all skills together have more than ${this.maxBytes} bytes: raise limits.maxSkillBytes`)
      }
      const bytes = readFileSync(file)
      if (bytes.length !== stat.size) throw new Error(`${path} changed while it was read`)
      return bytes
    } finally {
      closeSync(file)
    }
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const structured = /[+/](?:json|xml|yaml)$/

/**
 * Decodes a file. The content is only a string if it encodes to the same bytes again, because clients compare a digest of the
 * bytes.
 */
function readContent(name: string, bytes: Uint8Array): Pick<LoadedFile, 'content' | 'mimeType'> {
  const type = lookup(name) || null
  const text = decodeText(bytes)
  const isTextType = type !== null && (charset(type) === 'UTF-8' || structured.test(type))
  // File extensions are ambiguous: `.ts` is TypeScript, but its registered media type is a video.
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
