/**
 * Runs what nobody waits for. The guard of the store has logged what goes wrong, and the next request finds out for
 * itself.
 *
 * @returns `null` when all is done.
 */
export function inBackground(run: () => void | Promise<void>): Promise<void> | null {
  try {
    const running = run()
    return running instanceof Promise ? running.catch(() => undefined) : null
  } catch {
    return null
  }
}
