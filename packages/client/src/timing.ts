export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  return abortable(waited, signal).finally(() => clearTimeout(timer))
}

/** Waits for a promise, but not longer than the given time. Never rejects. */
export async function atMost(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([promise.catch(() => undefined), late])
  clearTimeout(timer)
}

/** Waits for a promise until the signal aborts. @throws The reason of the signal. */
export function abortable<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
