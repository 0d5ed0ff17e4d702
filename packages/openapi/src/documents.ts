import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isJsonObject, type JsonObject } from '@toolwright/core'
import { DocumentError, NotLoaded } from './errors.js'
import { ownMember } from './json.js'
import { parseDocument } from './parse-document.js'

/** A loaded document: the document of the option, or another document that it refers to. */
export interface LoadedDocument {
  /** The file or the URL; `null` for an object. References are resolved against it. */
  readonly url: URL | null
  /** For messages: the path, the URL, or `the document`. */
  readonly label: string
  readonly root: JsonObject
}

/** A value of a document, and the document that its references are relative to. */
export interface Located<Value = unknown> {
  readonly value: Value
  readonly document: LoadedDocument
  /** Unique among all values that references name: the document and the JSON pointer. */
  readonly key: string
}

export type Download = (url: URL) => Promise<string>

const maxDocumentBytes = 64 * 1024 * 1024
const maxDocuments = 200
const maxReferences = 64

/** The documents of one API. Documents that the first document refers to are loaded when an operation needs them. */
export class Documents {
  readonly #loaded = new Map<string, LoadedDocument>()

  private constructor(
    readonly main: LoadedDocument,
    readonly download: Download | null,
  ) {
    if (main.url !== null) this.#loaded.set(main.url.href, main)
  }

  /**
   * @param given A path, a URL or an object.
   * @param download `null`: documents from the network are rejected.
   */
  static async open(given: string | URL | object, download: Download | null): Promise<Documents> {
    const url = urlOf(given)
    if (url === null) {
      if (!isJsonObject(given))
        throw new DocumentError('The document is no JSON object. Give an object, a path or a URL.')
      return new Documents({ url: null, label: 'the document', root: given }, download)
    }
    return new Documents(await load(url, download), download)
  }

  get isRemote(): boolean {
    return this.main.url !== null && this.main.url.protocol !== 'file:'
  }

  /** Follows a chain of `$ref`. @throws NotLoaded, DocumentError */
  follow(value: unknown, document: LoadedDocument, key: string): Located {
    let located: Located = { value, document, key }
    for (let steps = 0; steps < maxReferences; steps++) {
      const reference = isJsonObject(located.value) ? ownMember(located.value, '$ref') : undefined
      if (typeof reference !== 'string') return located
      located = this.resolve(reference, located.document)
    }
    throw new DocumentError(`its references form a circle at '${located.key}'`)
  }

  /** Returns the value that a `$ref` names. @throws NotLoaded, DocumentError */
  resolve(reference: string, from: LoadedDocument): Located {
    const [address, fragment] = splitOnce(reference, '#')
    const document = address === '' ? from : this.#documentOf(address, reference, from)
    let value: unknown = document.root
    for (const part of pointerOf(fragment, reference)) {
      const next = isJsonObject(value)
        ? ownMember(value, part)
        : Array.isArray(value)
          ? (value as unknown[])[Number(part)]
          : undefined
      if (next === undefined) throw new DocumentError(`its $ref '${reference}' names nothing: '${part}' does not exist`)
      value = next
    }
    return { value, document, key: `${document.url?.href ?? ''}#${fragment}` }
  }

  #documentOf(address: string, reference: string, from: LoadedDocument): LoadedDocument {
    if (from.url === null) {
      throw new DocumentError(
        `its $ref '${reference}' names another document, but the document was given as an object. Give its path`,
      )
    }
    if (!URL.canParse(address, from.url.href)) throw new DocumentError(`its $ref '${reference}' is no valid URL`)
    const url = new URL(address, from.url)
    const loaded = this.#loaded.get(url.href)
    if (loaded === undefined) throw new NotLoaded(url.href)
    return loaded
  }

  /**
   * Loads a document that the first document refers to: below the folder of the first document, or at its origin.
   *
   * @throws DocumentError
   */
  async load(href: string): Promise<void> {
    const url = new URL(href)
    const main = this.main.url as URL
    if (this.#loaded.size >= maxDocuments) throw new DocumentError(`it refers to more than ${maxDocuments} documents`)
    if (url.protocol !== 'file:' && url.origin !== main.origin) {
      throw new DocumentError(`its $ref '${href}' names another origin. Only ${mainOrigin(main)} is read`)
    }
    if (url.protocol === 'file:') await requireBelow(url, main)
    this.#loaded.set(href, await load(url, this.download))
  }
}

function mainOrigin(main: URL): string {
  return main.protocol === 'file:' ? 'the folder of the document' : main.origin
}

async function requireBelow(url: URL, main: URL): Promise<void> {
  if (main.protocol !== 'file:')
    throw new DocumentError(`its $ref '${url.href}' names a file. Only ${main.origin} is read`)
  // Symbolic links are followed first: a link inside the folder can name a file outside of it.
  const folder = dirname(await realpath(fileURLToPath(main)))
  const path = await realpath(fileURLToPath(url)).catch(() => {
    throw new DocumentError(`its $ref '${relative(folder, fileURLToPath(url))}' names no file`)
  })
  if (path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return
  throw new DocumentError(`its $ref names a file outside the folder of the document: '${relative(folder, path)}'`)
}

function urlOf(given: string | URL | object): URL | null {
  if (given instanceof URL) return given
  if (typeof given !== 'string') return null
  return /^https?:\/\//i.test(given) ? new URL(given) : pathToFileURL(resolve(given))
}

async function load(url: URL, download: Download | null): Promise<LoadedDocument> {
  const isFile = url.protocol === 'file:'
  const label = isFile ? fileURLToPath(url) : url.href
  if (!isFile && url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new DocumentError(`'${label}' is neither a file nor an http: or https: URL. Give a path or a URL.`)
  }
  if (!isFile && download === null) {
    throw new DocumentError(`'${label}' is read from the network, which is not allowed. Set allowRemote: true.`)
  }
  const text = isFile ? await readBounded(url, label) : await (download as Download)(url)
  return { url, label, root: await parseDocument(text, label) }
}

async function readBounded(url: URL, label: string): Promise<string> {
  try {
    const { size } = await stat(url)
    if (size > maxDocumentBytes) throw new DocumentError(`'${label}' has more than ${maxDocumentBytes} bytes.`)
    return await readFile(url, 'utf8')
  } catch (error) {
    if (error instanceof DocumentError) throw error
    throw new DocumentError(`'${label}' cannot be read: ${(error as Error).message}. Give the path of a readable file.`)
  }
}

/** @throws DocumentError for an anchor, which no place in the document has. */
function pointerOf(fragment: string, reference: string): string[] {
  if (fragment === '') return []
  let decoded: string
  try {
    decoded = decodeURIComponent(fragment)
  } catch {
    throw new DocumentError(`its $ref '${reference}' is not percent-encoded correctly`)
  }
  if (!decoded.startsWith('/'))
    throw new DocumentError(`its $ref '${reference}' is no JSON pointer, such as '#/components/…'`)
  return decoded
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
