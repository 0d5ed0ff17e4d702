import { UnfitResult } from '../errors/call-errors.js'
import type { JsonObject } from '../rpc/messages.js'

export function toJson(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined
  if (json === undefined) throw new UnfitResult(`The result is ${typeof value}, which JSON cannot express`)
  return json
}

const decoder = new TextDecoder('utf-8', { fatal: true })

export function textOfBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new UnfitResult(
      'The result has bytes that are not valid UTF-8. Return image(…), audio(…) or embeddedResource(…)',
    )
  }
}

/** Converts a returned value to plain data: getters are read once, and `toJSON` is applied. */
export function toPlain(value: unknown): unknown {
  return JSON.parse(toJson(value))
}

/**
 * Copies a plain object that has only strings, numbers and booleans. The result equals a JSON round trip, in a tenth of the time.
 * Returns `null` for other values, and for objects with more than `maxKeys` members.
 */
export function copyOfScalars(value: unknown, maxKeys = Infinity): JsonObject | null {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return null
  const copy: JsonObject = { ...value }
  let keys = 0
  for (const key in copy) {
    keys++
    if (keys > maxKeys || !isScalar(copy[key])) return null
  }
  return copy
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}
