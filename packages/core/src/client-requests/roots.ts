import { isJsonObject, type JsonObject, withoutNulls } from '../rpc/messages.js'
import { type ClientRequest, type ClientRequestOptions, InvalidClientAnswer } from './client-request.js'

/** A folder or file that the user allows servers to work in. Spec: client/roots. */
export interface Root {
  /** URI of the folder or file: `file:///…`. */
  readonly uri: string
  readonly name?: string
  readonly _meta?: JsonObject
}

export function createRootsRequest({ key }: ClientRequestOptions): ClientRequest<readonly Root[]> {
  return { request: { method: 'roots/list', params: {} }, key, read: readRoots }
}

function readRoots(answer: unknown): readonly Root[] {
  const roots = findRoots(answer)
  if (roots !== null) return roots
  throw new InvalidClientAnswer('"roots" must be a list of objects with a "uri"')
}

export function isRootsAnswer(answer: unknown): boolean {
  return findRoots(answer) !== null
}

function findRoots(answer: unknown): readonly Root[] | null {
  const roots = isJsonObject(answer) ? answer['roots'] : undefined
  if (!Array.isArray(roots)) return null
  const present = roots.map((root: unknown) => (isJsonObject(root) ? withoutNulls(root) : root))
  return present.every(isRoot) ? present : null
}

function isRoot(value: unknown): value is Root {
  if (!isJsonObject(value)) return false
  return typeof value['uri'] === 'string' && (value['name'] === undefined || typeof value['name'] === 'string')
}
