import { MessageTooLarge } from '../errors/protocol-error.js'
import { afterBlanks, colon, endOfString, isClosing, isOpening, quote } from './json-text.js'

/** How much a message may hold: what takes long to parse and to check is not its bytes, but its parts. */
export interface JsonBounds {
  /** Levels of nested objects and arrays. */
  readonly maxDepth: number
  /** Members of all objects together. */
  readonly maxKeys: number
  /** Items of all arrays together. */
  readonly maxItems: number
}

/**
 * Refuses JSON that holds more than it may. Comes before the parse: one pass here protects that and every walk after it.
 * Text that is no JSON may pass; whatever there is of JSON in it is within the bounds then.
 *
 * @throws MessageTooLarge
 */
export function checkBounds(text: string, bounds: JsonBounds): void {
  // Most messages are short and have few brackets: that takes a seventh of measuring them.
  if (mayBeDeeper(text, bounds.maxDepth) || mayHaveMore(text, bounds)) measure(text, bounds)
}

/** No text is deeper than it has opening brackets. */
function mayBeDeeper(text: string, maxDepth: number): boolean {
  let brackets = 0
  for (const bracket of ['{', '[']) {
    for (let index = text.indexOf(bracket); index !== -1; index = text.indexOf(bracket, index + 1)) {
      brackets++
      if (brackets > maxDepth) return true
    }
  }
  return false
}

/** The shortest member is `"":0`, the shortest item a digit, and something stands before each. */
function mayHaveMore(text: string, { maxKeys, maxItems }: JsonBounds): boolean {
  if (text.length > 5 * maxKeys && count(text, ':', maxKeys) > maxKeys) return true
  return text.length > 2 * maxItems && count(text, ',', maxItems) + count(text, '[', maxItems) > maxItems
}

/** Stops when there are more than `limit`. */
function count(text: string, character: string, limit: number): number {
  let found = 0
  for (
    let index = text.indexOf(character);
    index !== -1 && found <= limit;
    index = text.indexOf(character, index + 1)
  ) {
    found++
  }
  return found
}

const comma = 0x2c

function measure(text: string, { maxDepth, maxKeys, maxItems }: JsonBounds): void {
  let depth = 0
  let keys = 0
  // Members and items: one before each comma, and one before the end of what is not empty.
  let parts = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (code === comma) parts++
    else if (code === colon) keys++
    else if (isOpening(code)) {
      depth++
      if (depth > maxDepth) throw refused(`JSON nested deeper than ${maxDepth} levels`)
      if (!isClosing(text.charCodeAt(afterBlanks(text, index + 1)))) parts++
    } else if (isClosing(code)) depth--
  }
  if (keys > maxKeys) throw refused(`the objects of a message have at most ${maxKeys} keys together`)
  if (parts - keys > maxItems) throw refused(`the arrays of a message have at most ${maxItems} items together`)
}

function refused(reason: string): MessageTooLarge {
  return new MessageTooLarge(`Invalid Request: ${reason}`)
}
