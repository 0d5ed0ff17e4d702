import { inspect, types } from 'node:util'
import { shorten } from './protocol-error.js'

/** Characters of what was thrown. */
const maxLength = 1000

/** What a handler threw, as an error that can be looked at: it can be anything, also what throws when it is touched. */
export function toError(thrown: unknown): Error {
  try {
    // An error of another realm, such as the context in which a runner of tests runs them, has another class.
    if (!(thrown instanceof Error || types.isNativeError(thrown)))
      return new Error(`a value that is not an Error was thrown: ${describe(thrown)}`)
    // Looked at here, where it may still fail.
    return typeof thrown.message === 'string' ? thrown : new Error('an error without a message was thrown')
  } catch {
    return new Error('a value that cannot be described was thrown')
  }
}

/** In one line, and not all of what is large: `{ code: 1 }`, which as a text would be `[object Object]`. */
function describe(thrown: unknown): string {
  if (typeof thrown === 'string') return shorten(thrown, maxLength)
  return shorten(
    inspect(thrown, { depth: 1, breakLength: Infinity, maxArrayLength: 10, maxStringLength: 200 }),
    maxLength,
  )
}
