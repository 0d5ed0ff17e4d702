/** Ignores the result of a store operation. The store client has logged an error, and the next request detects the failure. */
export function inBackground(operation: Promise<unknown>): void {
  operation.catch(() => undefined)
}
