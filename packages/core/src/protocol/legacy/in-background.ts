/**
 * Runs without awaiting. Errors are ignored here: the store guard has logged them, and the next request detects them.
 *
 * @returns `null` if it has finished.
 */
export function inBackground(run: () => void | Promise<void>): Promise<void> | null {
  try {
    const running = run()
    return running instanceof Promise ? running.catch(() => undefined) : null
  } catch {
    return null
  }
}
