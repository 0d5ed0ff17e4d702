import { isJsonObject, type JsonObject } from '@toolwright/core'
import type { Documents, LoadedDocument } from './documents.js'
import { DocumentError, NotLoaded } from './errors.js'
import { listAt, ownMember, textAt } from './json.js'

/** An operation of the document, as `include`, `rename`, `rules` and `auth` see it. */
export interface OpenApiOperation {
  /** The `operationId`; `null` if the document has none. */
  readonly id: string | null
  /** In upper case: `GET`. */
  readonly method: string
  /** The path as the document writes it: `/orders/{id}`. */
  readonly path: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  /** Members of the operation that begin with `x-`, such as `x-mcp`. */
  readonly extensions: Readonly<Record<string, unknown>>
}

export interface FoundOperation extends OpenApiOperation {
  readonly raw: JsonObject
  readonly pathItem: JsonObject
  readonly document: LoadedDocument
}

export function originOf({ method, path }: Pick<OpenApiOperation, 'method' | 'path'>): string {
  return `${method} ${path}`
}

const served = ['get', 'put', 'post', 'delete', 'patch']
/** Methods whose answers have nothing for a model. */
const unserved = ['head', 'options', 'trace']

/** Lists the operations of the document. @param leaveOut Reports an operation that cannot become a tool. */
export async function findOperations(
  documents: Documents,
  leaveOut: (origin: string, reason: string) => void,
): Promise<FoundOperation[]> {
  const paths = ownMember(documents.main.root, 'paths')
  const found: FoundOperation[] = []
  for (const [path, given] of Object.entries(isJsonObject(paths) ? paths : {})) {
    if (path.startsWith('x-')) continue
    try {
      const { value, document } = await loading(documents, () => documents.follow(given, documents.main, path))
      if (!isJsonObject(value)) throw new DocumentError('its path is no object')
      for (const method of [...served, ...unserved]) {
        const raw = ownMember(value, method)
        if (!isJsonObject(raw)) continue
        const operation = readOperation(method.toUpperCase(), path, raw, value, document)
        if (served.includes(method)) found.push(operation)
        else leaveOut(originOf(operation), `${operation.method} operations are no tools`)
      }
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error
      leaveOut(path, error.message)
    }
  }
  return found
}

function readOperation(
  method: string,
  path: string,
  raw: JsonObject,
  pathItem: JsonObject,
  document: LoadedDocument,
): FoundOperation {
  return {
    id: textAt(raw, 'operationId') ?? null,
    method,
    path,
    tags: listAt(raw, 'tags').filter((tag) => typeof tag === 'string'),
    summary: textAt(raw, 'summary') ?? textAt(pathItem, 'summary') ?? '',
    description: textAt(raw, 'description') ?? textAt(pathItem, 'description') ?? '',
    deprecated: raw['deprecated'] === true,
    extensions: Object.fromEntries(Object.entries(raw).filter(([name]) => name.startsWith('x-'))),
    raw,
    pathItem,
    document,
  }
}

/** Runs `read` again after each document that it needs is loaded. */
export async function loading<Result>(documents: Documents, read: () => Result): Promise<Result> {
  while (true) {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof NotLoaded)) throw error
      await documents.load(error.url)
    }
  }
}
