import { LazyTimer } from './lazy-timer.js'

/** What is given up with that did not settle in time. */
export class NotInTime extends Error {
  override readonly name = 'NotInTime'

  constructor(timeoutMs: number) {
    super(`it did not settle within ${timeoutMs} ms`)
  }
}

/**
 * The promise's outcome, or a rejection once `timeoutMs` have passed. What comes of the promise later is ignored.
 *
 * @param isPaused Asked when the time is over: where it stands still it begins again. Default: it never does.
 */
export function within<Value>(
  promise: Value | PromiseLike<Value>,
  timeoutMs: number,
  isPaused: () => boolean = () => false,
): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const onTimeout = (): void => {
      if (isPaused()) timer.start(timeoutMs)
      else reject(new NotInTime(timeoutMs))
    }
    const timer = new LazyTimer({ onTimeout })
    const succeed = (value: Value): void => {
      timer.stop()
      resolve(value)
    }
    const fail = (error: unknown): void => {
      timer.stop()
      reject(error)
    }
    timer.start(Math.max(1, timeoutMs))
    // Whatever its own `then` does.
    Promise.resolve(promise).then(succeed, fail)
  })
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function'
  )
}
