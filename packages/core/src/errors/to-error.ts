/** What a handler threw, as an error that can be looked at: it can be anything, also what throws when it is touched. */
export function toError(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return new Error(`a value that is no Error was thrown: ${String(thrown)}`)
    // Looked at here, where it may still fail.
    return typeof thrown.message === 'string' ? thrown : new Error('an error without a message was thrown')
  } catch {
    return new Error('a value that cannot be described was thrown')
  }
}
