import { DeferredTasks } from './deferred-tasks.js'
import { startLongTimer } from './long-timer.js'

/** What is given up with that did not settle in time. */
export class TimeoutError extends Error {
  override readonly name = 'NotInTime'

  constructor(timeoutMs: number) {
    super(`it did not settle within ${timeoutMs} ms`)
  }
}

/**
 * The promise's outcome, or a rejection once `timeoutMs` have passed. What comes of the promise later is ignored.
 *
 * @param sinceRestart Asked when the time is over: milliseconds since it began again. Default: it never did.
 */
export function withTimeout<Value>(
  promise: Value | PromiseLike<Value>,
  timeoutMs: number,
  sinceRestart: () => number = () => Number.POSITIVE_INFINITY,
): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const deferred = new DeferredTasks()
    let timer: NodeJS.Timeout | undefined
    const start = (leftMs: number): void => {
      timer = startLongTimer(onTimeout, Math.max(1, leftMs))
    }
    const onTimeout = (): void => {
      const leftMs = timeoutMs - sinceRestart()
      if (leftMs > 0) start(leftMs)
      else reject(new TimeoutError(timeoutMs))
    }
    const stop = (): void => {
      deferred.cancel()
      clearTimeout(timer)
    }
    const succeed = (value: Value): void => {
      stop()
      resolve(value)
    }
    const fail = (error: unknown): void => {
      stop()
      reject(error)
    }
    deferred.run({ runDeferred: () => start(timeoutMs) })
    // Whatever its own `then` does.
    Promise.resolve(promise).then(succeed, fail)
  })
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function'
  )
}
