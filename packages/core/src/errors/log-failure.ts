/** The part of a logger that is used here. */
export interface ErrorLog {
  error(fields: object, message: string): void
}

/**
 * Logs an error, whatever it is made of, and whatever the log does: neither is worth the answer that waits.
 *
 * @param message Without its full stop; it is said when the error itself cannot be logged.
 */
export function logFailure(log: ErrorLog, error: unknown, fields: object, message: string): void {
  try {
    log.error({ err: error, ...fields }, message)
  } catch {
    // The log reads every member of an error, and a getter can throw.
    tryLog(() => log.error(fields, `${message} with an error that cannot be logged`))
  }
}

/** Writes to a log, whatever that does: no line is worth the answer that waits. */
export function tryLog(write: () => void): void {
  try {
    write()
  } catch {
    // There is nobody left to tell.
  }
}
