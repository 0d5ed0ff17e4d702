import { isAscii, isUtf8, transcode } from 'node:buffer'
import { safeParse } from 'secure-json-parse'
import { ProtocolError } from '../errors/protocol-error.js'
import { restoreIds } from './exact-ids.js'
import { checkBounds, type JsonBounds } from './json-bounds.js'

/**
 * Reads one JSON value from the wire, refusing what later code should never see: invalid UTF-8, more than the bounds
 * allow, and `__proto__` or `constructor.prototype` keys (as Fastify's own parser does).
 *
 * @throws ProtocolError -32700 (not JSON) or -32600 (JSON that is refused).
 */
export function parseJson(bytes: Buffer, bounds: JsonBounds): unknown {
  const text = bytes.length < longMessage ? bytes.toString('utf8') : decodeLong(bytes)
  // Bytes that are not UTF-8 become U+FFFD, which a client may also have sent: only then the bytes need another look.
  if (text.includes('\uFFFD') && !isUtf8(bytes)) {
    throw new ProtocolError('parseError', 'Parse error: the message is not valid UTF-8')
  }
  return parseJsonText(text, bounds)
}

/** The same for text that is already decoded. */
export function parseJsonText(text: string, bounds: JsonBounds): unknown {
  checkBounds(text, bounds)
  const value = parse(text)
  if (value === undefined) throw new ProtocolError('parseError', 'Parse error: the message is not valid JSON')
  // `safeParse` answers null for a poisoned key as well as for the text "null"; neither is a message.
  if (value === null) {
    throw new ProtocolError('invalidRequest', 'Invalid Request: a message is a JSON object without "__proto__" keys')
  }
  restoreIds(value, text)
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

/** Bytes from which on it pays to look at them before they are decoded. */
const longMessage = 32 * 1024

/** What is not ASCII, V8 decodes at some 150 MB/s: for a long message a third of its whole time. */
function decodeLong(bytes: Buffer): string {
  const isSlow = !isAscii(bytes) && isUtf8(bytes)
  return isSlow ? transcode(bytes, 'utf8', 'utf16le').toString('utf16le') : bytes.toString('utf8')
}
