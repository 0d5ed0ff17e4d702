import { createHash } from 'node:crypto'
import { toSortedJson } from '../rpc/sorted-json.js'
import type { InputRequest } from './client-request.js'

/** Digest of a request's content. An answer is only accepted for the exact request that the client was sent. */
export function digestOfQuestion(request: InputRequest): string {
  // Serialized first, because members may be `undefined` or have a `toJSON` method.
  const wire: unknown = JSON.parse(JSON.stringify(request))
  return createHash('sha256').update(toSortedJson(wire)).digest('base64url')
}
