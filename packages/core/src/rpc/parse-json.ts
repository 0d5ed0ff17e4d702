import { isUtf8 } from 'node:buffer'
import { safeParse } from 'secure-json-parse'
import { ProtocolError } from '../errors/protocol-error.js'

/**
 * Reads one JSON value from the wire, refusing what later code should never see: invalid UTF-8, nesting beyond
 * `maxDepth`, and `__proto__` or `constructor.prototype` keys (as Fastify's own parser does).
 *
 * @throws ProtocolError -32700 (not JSON) or -32600 (JSON that is refused).
 */
export function parseJson(bytes: Buffer, maxDepth: number): unknown {
  const text = bytes.toString('utf8')
  // Bytes that are not UTF-8 become U+FFFD, which a client may also have sent: only then the bytes need another look.
  if (text.includes('\uFFFD') && !isUtf8(bytes)) {
    throw new ProtocolError('parseError', 'Parse error: the message is not valid UTF-8')
  }
  return parseJsonText(text, maxDepth)
}

/** The same for text that is already decoded. */
export function parseJsonText(text: string, maxDepth: number): unknown {
  // Before the parse: one cheap pass here protects every recursive walk that comes after it.
  if (mayBeDeeperThan(text, maxDepth) && isDeeperThan(text, maxDepth)) {
    throw new ProtocolError('invalidRequest', `Invalid Request: JSON nested deeper than ${maxDepth} levels`)
  }
  const value = parse(text)
  if (value === undefined) throw new ProtocolError('parseError', 'Parse error: the message is not valid JSON')
  // `safeParse` answers null for a poisoned key as well as for the text "null"; neither is a message.
  if (value === null) {
    throw new ProtocolError('invalidRequest', 'Invalid Request: a message is a JSON object without "__proto__" keys')
  }
  return value
}

/** The check for poisoned keys is a seventh of a small parse, and few texts have what they can be spelt with. */
function parse(text: string): unknown {
  if (maySpellPoison(text)) return safeParse(text)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Letters can be spelt with `\u` too. What begins with a byte order mark is the library's to read as well. */
function maySpellPoison(text: string): boolean {
  return text.includes('\\u') || text.includes('__proto__') || text.includes('constructor') || text.startsWith('\uFEFF')
}

/** No text is deeper than it has opening brackets. Most messages have few: counting them takes a seventh of the scan. */
function mayBeDeeperThan(text: string, maxDepth: number): boolean {
  let brackets = 0
  for (const bracket of ['{', '[']) {
    for (let index = text.indexOf(bracket); index !== -1; index = text.indexOf(bracket, index + 1)) {
      brackets++
      if (brackets > maxDepth) return true
    }
  }
  return false
}

const quote = 0x22
const backslash = 0x5c

function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    // Clearing the bit in which they differ takes '{' for '[' and '}' for ']'.
    else if ((code & 0xdf) === 0x5b) {
      depth++
      if (depth > maxDepth) return true
    } else if ((code & 0xdf) === 0x5d) depth--
  }
  return false
}

function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === quote) return index
    index += code === backslash ? 2 : 1
  }
  return index
}
