import { ClientError, type Failed, RequestTimeoutError } from './errors.js'

/** Longest delay of a timer in milliseconds, 24 days. A timer with a longer delay would fire at once. */
export const longestTimer = 2 ** 31 - 1

export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(milliseconds, longestTimer))
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

/** Waits for a promise within the limits of a request. @throws RequestTimeoutError, or the reason of the signal. */
export function within<Value>(promise: Promise<Value>, { what, timeoutMs, signal }: Failed): Promise<Value> {
  return new Promise((resolve, reject) => {
    const expire = (): void => reject(new RequestTimeoutError(what, timeoutMs))
    const timer = setTimeout(expire, toTimeout('timeoutMs', timeoutMs))
    void abortable(promise, signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

/**
 * Returns a number of milliseconds that timers accept. `Infinity` means no limit.
 *
 * @throws ClientError for a number that is not positive.
 */
export function toTimeout(name: string, milliseconds: number): number {
  if (milliseconds > 0) return Math.min(milliseconds, longestTimer)
  throw new ClientError(`'${name}' is ${milliseconds}. Give a positive number, or Infinity for no limit.`, 'bad-option')
}
