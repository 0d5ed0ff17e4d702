import { inspect, types } from 'node:util'
import { shorten } from '@toolwright/schema'

const maxLength = 1000

/** Converts a thrown value to an error that can be read safely: code can throw any value, even with throwing getters. */
export function toError(thrown: unknown): Error {
  try {
    // `isNativeError` accepts errors of another realm, such as the VM context of a test runner: such errors are not instances of
    // this `Error`.
    if (!(thrown instanceof Error || types.isNativeError(thrown)))
      return new Error(`a value that is not an Error was thrown: ${describe(thrown)}`)
    // The message is read inside this `try`, because its getter can throw.
    return typeof thrown.message === 'string' ? thrown : new Error('an error without a message was thrown')
  } catch {
    return new Error('a value that cannot be described was thrown')
  }
}

function describe(thrown: unknown): string {
  const options = { depth: 1, breakLength: Infinity, maxArrayLength: 10, maxStringLength: 200 }
  return shorten(typeof thrown === 'string' ? thrown : inspect(thrown, options), maxLength)
}
