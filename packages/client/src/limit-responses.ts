import type { FetchLike } from '@modelcontextprotocol/client'
import { oversized, tooLarge } from './errors.js'

/** Limits the bytes of each response: of its whole body, or of one event of an event stream. */
export function limitResponses(send: FetchLike, maxBytes: number): FetchLike {
  if (maxBytes === Infinity) return send
  return async (url, init) => {
    const response = await send(url, init)
    const { headers } = response
    // Most responses are short and declare their length. `fetch` rejects a body that is longer than declared.
    if (isShort(headers, maxBytes)) return response
    const { body } = response
    if (body === null) return response
    const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true
    const limited = body.pipeThrough(isEvents ? limitEvents(maxBytes, init?.body) : limitBytes(maxBytes))
    return new Response(limited, response)
  }
}

/** Whether the declared length is within the limit. The length of a compressed body says nothing about its content. */
function isShort(headers: Headers, maxBytes: number): boolean {
  const length = headers.get('content-length')
  return length !== null && Number(length) <= maxBytes && !headers.has('content-encoding')
}

function limitBytes(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      controller.enqueue(chunk)
    },
  })
}

const newline = 10
const carriageReturn = 13

function limitEvents(
  maxBytes: number,
  request: unknown,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  let last = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      const end = endOfEvents(chunk, last)
      last = chunk.at(-1) ?? last
      if (bytes + (end === 0 ? chunk.length : end) <= maxBytes) {
        bytes = end === 0 ? bytes + chunk.length : chunk.length - end
        controller.enqueue(chunk)
        return
      }
      const id = idOf(request)
      if (id === undefined) throw tooLarge(maxBytes)
      // The request gets an error as its response. After a broken stream, the official client would open the stream again.
      controller.enqueue(encodeError(id, maxBytes))
      controller.terminate()
    },
  })
}

/** Returns the position after the last empty line of a chunk, which ends an event; 0 for a chunk without an empty line. */
function endOfEvents(chunk: Uint8Array, last: number): number {
  for (let at = chunk.lastIndexOf(newline); at !== -1; at = at === 0 ? -1 : chunk.lastIndexOf(newline, at - 1)) {
    const before = at > 0 ? chunk[at - 1] : last
    const isEmpty = before === newline || (before === carriageReturn && at > 1 && chunk[at - 2] === newline)
    if (isEmpty) return at + 1
  }
  return 0
}

/** Returns the id of a request, from its body; `undefined` for streams that no request has opened. */
function idOf(request: unknown): unknown {
  return typeof request === 'string' ? (JSON.parse(request) as { readonly id?: unknown }).id : undefined
}

function encodeError(id: unknown, limit: number): Uint8Array<ArrayBuffer> {
  const { code, message, data } = oversized
  const response = { jsonrpc: '2.0', id, error: { code, message, data: { ...data, limit } } }
  // The empty lines end the event that is too large.
  return new TextEncoder().encode(`\n\ndata: ${JSON.stringify(response)}\n\n`)
}
