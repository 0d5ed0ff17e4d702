import type { JsonObject } from '@toolwright/core'
import type { Answer } from '@toolwright/core/transport'

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: JsonObject
}

export interface Response {
  /** The text before the result or error: it contains the id, which may have too many digits for a number. */
  readonly head: string
  readonly kind: 'result' | 'error'
  readonly json: string
}

// The server writes `jsonrpc`, `id` and then the result. Quotes in an id are escaped, so the quoted name cannot be part
// of an id.
const parts = /^(\{"jsonrpc":"2\.0",(?:"id":.*?,)?)"(result|error)":/s

export function readResponse({ body }: Answer): Response | null {
  const text = body?.toString() ?? ''
  const match = parts.exec(text)
  if (match === null) return null
  const [start, head, kind] = match as unknown as readonly [string, string, Response['kind']]
  return { head, kind, json: text.slice(start.length, -1) }
}

/** Maximum length of the start of an error response, up to its member `error`: an id has at most 256 characters. */
const longestHead = 2000

/** Whether the answer is an error. Reads only the beginning of the answer. */
export function isError({ body }: Answer): boolean {
  if (body === null) return false
  const start = typeof body === 'string' ? body.slice(0, longestHead) : body.toString('utf8', 0, longestHead)
  return parts.exec(start)?.[2] === 'error'
}

export function withResult(answer: Answer, response: Response, result: unknown): Answer {
  return withJson(answer, response, JSON.stringify(result))
}

export function withJson(answer: Answer, { head }: Response, json: string): Answer {
  return { ...answer, body: `${head}"result":${json}}` }
}

export function withError(answer: Answer, { head }: Response, error: RpcError): Answer {
  return { ...answer, body: `${head}"error":${JSON.stringify(error)}}` }
}
