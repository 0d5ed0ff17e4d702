export interface ErrorLog {
  error(fields: object, message: string): void
}

/**
 * Logs an error. Never throws, even if the error cannot be read or the log fails: the client must get an answer.
 *
 * @param message Message without a full stop. It is logged even if the error itself cannot be logged.
 */
export function logFailure(log: ErrorLog, error: unknown, fields: object, message: string): void {
  try {
    log.error({ err: error, ...fields }, message)
  } catch {
    // The log reads all members of an error, and a getter can throw.
    tryLog(() => log.error(fields, `${message} with an error that cannot be logged`))
  }
}

/** Writes to a log. Never throws, even if the log fails. */
export function tryLog(write: () => void): void {
  try {
    write()
  } catch {
    // The log itself failed, so its error cannot be reported.
  }
}
