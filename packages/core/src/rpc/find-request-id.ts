import { afterBlanks, colon, endOfString, isClosing, isOpening, quote } from './json-text.js'
import { type ExactId, isRequestId } from './messages.js'

/**
 * The id of a request that is refused before it is parsed, in its text: its client waits for an answer with that id.
 * `undefined` where it cannot be read, and for what is no request.
 */
export function findRequestId(text: string): ExactId | undefined {
  const { lastId, hasMethod } = findMembers(text)
  // The id of an answer is one of the server's own: the client may have a request with the same.
  return hasMethod && lastId !== null ? readId(text, lastId) : undefined
}

/** What can only be the last member of a whole message: the brace behind it is the last one. */
const idAtEnd = /(?<!\\)"id"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)\s*\}\s*$/

/** The same for a request whose middle nobody kept: most clients write its id first or last, and its method first. */
export function findIdAtEnds(head: string, tail: string): ExactId | undefined {
  const { lastId, hasMethod } = findMembers(head)
  if (!hasMethod) return undefined
  const last = idAtEnd.exec(tail)
  if (last !== null) return readId(tail, last.index)
  return lastId === null ? undefined : readId(head, lastId)
}

/** Of the outermost object: where its last `id` begins, and whether it has a `method`. */
function findMembers(text: string): { readonly lastId: number | null; readonly hasMethod: boolean } {
  let lastId: number | null = null
  let hasMethod = false
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isOpening(code)) depth++
    else if (isClosing(code)) depth--
    else if (code === quote) {
      // Of several members with one name the last counts, as for whoever parses it. Reading each would take seconds.
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

/** Ids are short: as many characters hold any, with all of them escaped. */
const maxIdText = 2000

/** A number only with what ends it: half of one is another one. */
function readId(text: string, member: number): ExactId | undefined {
  const start = afterBlanks(text, text.indexOf(':', member) + 1)
  const value = text.slice(start, start + maxIdText)
  const json = value.startsWith('"')
    ? value.slice(0, endOfString(value, 0) + 1)
    : /^[^\s,}]*(?=[\s,}])/.exec(value)?.[0]
  try {
    const id: unknown = JSON.parse(json ?? '')
    if (!isRequestId(id)) return undefined
    return typeof id === 'number' && !Number.isSafeInteger(id) && /^-?\d+$/.test(json ?? '') ? BigInt(json ?? '') : id
  } catch {
    return undefined
  }
}
