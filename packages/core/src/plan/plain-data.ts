import { UnfitResult } from '../errors/call-errors.js'
import type { JsonObject } from '../rpc/messages.js'

/** JSON text of what a handler returned. @throws UnfitResult for what JSON cannot express. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined
  if (json === undefined) throw new UnfitResult(`The result is ${typeof value}, which JSON cannot express`)
  return json
}

/** What a handler returned as plain data: getters read once, `toJSON` applied. */
export function toPlain(value: unknown): unknown {
  return JSON.parse(toJson(value))
}

/**
 * A copy of a plain object that has nothing but texts, numbers and booleans: it is what its JSON says, and takes a
 * tenth of reading that back. `null` for everything else, and for more than `maxKeys` of them.
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

/** JSON has neither NaN nor the infinities. */
function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}
