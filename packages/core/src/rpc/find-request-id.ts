import { afterBlanks, colon, endOfString, isClosing, isOpening, quote } from './json-text.js'
import { type ExactId, isRequestId } from './messages.js'

/**
 * Finds the id of a request that was rejected before it was parsed: the client waits for an error with this id. Returns
 * `undefined` for an unreadable id, and for text that is not a request.
 */
export function findRequestId(text: string): ExactId | undefined {
  const { lastId, hasMethod } = findMembers(text)
  // Responses are ignored: the server chose their ids, and the client can have a request with the same id.
  return hasMethod && lastId !== null ? readId(text, lastId) : undefined
}

/** Matches an `id` directly before the final brace of the message. */
const idAtEnd = /(?<!\\)"id"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)\s*\}\s*$/

/**
 * Finds the id of a long request, from its head and its tail. Most clients write the method near the start, and the id near the
 * start or at the end.
 */
export function findIdAtEnds(head: string, tail: string): ExactId | undefined {
  const { lastId, hasMethod } = findMembers(head)
  if (!hasMethod) return undefined
  const last = idAtEnd.exec(tail)
  if (last !== null) return readId(tail, last.index)
  return lastId === null ? undefined : readId(head, lastId)
}

function findMembers(text: string): { readonly lastId: number | null; readonly hasMethod: boolean } {
  let lastId: number | null = null
  let hasMethod = false
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isOpening(code)) depth++
    else if (isClosing(code)) depth--
    else if (code === quote) {
      // Of duplicate members, the last is used, as in `JSON.parse`. Only the position is recorded, because reading every id would
      // take seconds.
      if (depth === 1 && isMember(text, index, '"id"')) lastId = index
      else if (depth === 1 && isMember(text, index, '"method"')) hasMethod = true
      index = endOfString(text, index)
    }
  }
  return { lastId, hasMethod }
}

function isMember(text: string, start: number, name: string): boolean {
  return text.startsWith(name, start) && text.charCodeAt(afterBlanks(text, start + name.length)) === colon
}

const maxIdText = 2000

/** Reads the id. A delimiter must follow a number, because a truncated number would be another id. */
function readId(text: string, member: number): ExactId | undefined {
  const start = afterBlanks(text, text.indexOf(':', member) + 1)
  const value = text.slice(start, start + maxIdText)
  const json = value.startsWith('"')
    ? value.slice(0, endOfString(value, 0) + 1)
    : (/^[^\s,}]*(?=[\s,}])/.exec(value)?.[0] ?? '')
  try {
    const id: unknown = JSON.parse(json)
    if (!isRequestId(id)) return undefined
    return typeof id === 'number' && !Number.isSafeInteger(id) && /^-?\d+$/.test(json) ? BigInt(json) : id
  } catch {
    return undefined
  }
}
