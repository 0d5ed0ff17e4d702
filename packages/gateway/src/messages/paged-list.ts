import type { JsonObject } from '@toolwright/core'
import { ForwardedExchange } from '@toolwright/core/extension'
import { decodeCursor, encodeCursor } from '@toolwright/core/host'
import { type Answer, type Exchange } from '@toolwright/core/transport'
import { type Response, readResponse, withError, withResult } from './response.js'

const lists: Readonly<Record<string, readonly [member: string, key: string]>> = {
  'tools/list': ['tools', 'name'],
  'prompts/list': ['prompts', 'name'],
  'resources/list': ['resources', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'uriTemplate'],
}

const maxPageSize = 1000

/** Prefix of cursors for pages of a size that the client chose. The server's own cursors have no such prefix. */
const prefix = 'page.'

export function isPaged(method: string, { pageSize, cursor }: JsonObject): boolean {
  if (!Object.hasOwn(lists, method)) return false
  return isPageSize(pageSize) || (typeof cursor === 'string' && cursor.startsWith(prefix))
}

/**
 * Answers a list request with pages of the size that the client names. Reads pages of the server until the client's
 * page is complete.
 */
export function receivePaged(
  exchange: Exchange,
  next: (exchange: Exchange) => void,
  message: { readonly id: unknown; readonly method: string; readonly params: JsonObject },
): void {
  const { pageSize, cursor, ...params } = message.params
  const [member, key] = lists[message.method] as readonly [string, string]
  const size = isPageSize(pageSize) ? Math.min(pageSize, maxPageSize) : maxPageSize
  const after = readCursor(message.method, cursor)
  if (after === undefined) {
    const first = { ...message, jsonrpc: '2.0', params: {} }
    next(new ListPart(exchange, first, (answer) => rejectCursor(exchange, answer)))
    return
  }
  const entries: JsonObject[] = []
  const read = (serverCursor: unknown): void => {
    const part = { ...message, jsonrpc: '2.0', params: { ...params, cursor: serverCursor } }
    next(new ListPart(exchange, part, receive))
  }
  const receive = (answer: Answer): void => {
    const response = readResponse(answer)
    if (response === null || response.kind === 'error') {
      exchange.respond(answer)
      return
    }
    const { nextCursor, ...result } = JSON.parse(response.json) as JsonObject
    entries.push(...(result[member] as readonly JsonObject[]))
    const hasMore = typeof nextCursor === 'string' && nextCursor !== ''
    if (hasMore && entries.length <= size) read(nextCursor)
    else
      exchange.respond(
        withResult(answer, response, { ...result, ...pageOf(entries, [member, key, message.method], size) }),
      )
  }
  // The server's cursors also contain the key after which the page begins.
  read(after === null ? cursor : encodeCursor(message.method, after))
}

class ListPart extends ForwardedExchange {
  constructor(
    original: Exchange,
    message: object,
    private readonly receive: (answer: Answer) => void,
  ) {
    super(original, { message })
  }

  protected override sendAnswer(answer: Answer): void {
    // Saves the session that was found, so that the next part need not find it again.
    this.original.peer = this.peer
    this.receive(answer)
  }
}

function pageOf(
  entries: readonly JsonObject[],
  [member, key, method]: readonly [member: string, key: string, method: string],
  size: number,
): JsonObject {
  const page = entries.slice(0, size)
  if (entries.length <= size) return { [member]: page }
  return { [member]: page, nextCursor: writeCursor(method, String(page.at(-1)?.[key])) }
}

function writeCursor(method: string, key: string): string {
  return `${prefix}${encodeCursor(method, key)}`
}

/** @returns The key after which the page begins; `null` without such a cursor, `undefined` for a malformed cursor. */
function readCursor(method: string, cursor: unknown): string | null | undefined {
  if (typeof cursor !== 'string' || !cursor.startsWith(prefix)) return null
  return decodeCursor(method, cursor.slice(prefix.length)) ?? undefined
}

/** Rejects the cursor as the server does, after the server has checked the rest of the request. */
function rejectCursor(exchange: Exchange, answer: Answer): void {
  const response: Response | null = readResponse(answer)
  if (response === null || response.kind === 'error') exchange.respond(answer)
  else {
    const message = 'Invalid params: unknown cursor. Start again without a cursor'
    exchange.respond(withError(answer, response, { code: -32602, message }))
  }
}

function isPageSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
}
