import { DeferredTasks } from './deferred-tasks.js'
import { startLongTimer } from './long-timer.js'

export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'

  constructor(timeoutMs: number) {
    super(`it did not settle within ${timeoutMs} ms`)
  }
}

/**
 * Resolves to the promise's outcome; rejects after `timeoutMs`. A later outcome of the promise is ignored.
 *
 * @param sinceRestart Returns the milliseconds since the last restart of the time limit. Called at the timeout: the wait is
 * extended until `timeoutMs` after this restart. Default: no restart.
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
    // The promise is wrapped, because a custom `then` can throw or call back more than once.
    Promise.resolve(promise).then(succeed, fail)
  })
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function'
  )
}
