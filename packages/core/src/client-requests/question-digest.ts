import { createHash } from 'node:crypto'
import { toSortedJson } from '../rpc/sorted-json.js'
import type { InputRequest } from './client-request.js'

/** Identifies the content of a question: an answer counts only for the question that the client was asked. */
export function digestOfQuestion(request: InputRequest): string {
  // Written as JSON first: members may be undefined, or have a `toJSON`.
  const wire: unknown = JSON.parse(JSON.stringify(request))
  return createHash('sha256').update(toSortedJson(wire)).digest('base64url')
}
