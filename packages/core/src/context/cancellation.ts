import { AsyncResource } from 'node:async_hooks'
import { setMaxListeners } from 'node:events'
import type { ProtocolError } from '../errors/protocol-error.js'
import { type DeferredTask, DeferredTasks } from '../timing/deferred-tasks.js'
import { longestTimer } from '../timing/long-timer.js'
import type { MaybePromise } from '../timing/maybe-promise.js'

export class CallCancelled extends Error {
  override readonly name = 'AbortError'

  /** @param answer Error to answer the client with; `null`: the client does not wait for an answer. */
  constructor(
    message: string,
    readonly answer: ProtocolError | null = null,
  ) {
    super(message)
  }
}

export class CallTimeout extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Handles the outcome of a race, like the two functions passed to `then`. One object avoids allocating two functions for each
 * call.
 */
export interface OutcomeHandler<Value, Result> {
  onFulfilled(value: Value): MaybePromise<Result>
  onRejected(error: unknown): MaybePromise<Result>
}

const passOn: OutcomeHandler<unknown, unknown> = {
  onFulfilled: (value) => value,
  onRejected: (error) => {
    throw error
  },
}

/**
 * Cancellation and time limit of one request. Creates the `AbortSignal` on first access: most calls end without a signal, and the
 * signal is the most expensive part of a context.
 */
export class Cancellation implements DeferredTask {
  #controller: AbortController | null = null
  /** Aborts the signal in the async context of the call, even if the reason comes from another context. */
  #abort: ((reason: Error) => void) | null = null
  /** Why the call was cancelled, or timed out; `null` before that. Set by {@link cancel}. */
  reason: Error | null = null
  #failRace: ((reason: Error) => void) | null = null
  #timer: NodeJS.Timeout | undefined = undefined
  /** Time limit in milliseconds; 0: no limit. */
  #timeoutMs = 0
  #pauses = 0
  /** Time of the client's last answer; `null`: the client was not asked. */
  #resumedAt: number | null = null
  /** To be cancelled when the message is answered. Created on first use, because most calls have no deferred tasks. */
  deferred: DeferredTasks | null = null

  get signal(): AbortSignal {
    this.#controller ??= this.#openController()
    return this.#controller.signal
  }

  /** Runs a task if the call lasts longer than one turn of the event loop. */
  defer(task: DeferredTask): void {
    this.deferred ??= new DeferredTasks()
    this.deferred.run(task)
  }

  #openController(): AbortController {
    const controller = new AbortController()
    allowAnyListeners(controller.signal)
    if (this.reason === null) this.#abort = AsyncResource.bind((reason: Error) => controller.abort(reason))
    else controller.abort(this.reason)
    return controller
  }

  cancel(reason: Error): void {
    if (this.reason !== null) return
    this.reason = reason
    this.#abort?.(reason)
    this.failRace(reason)
  }

  /**
   * Resolves to the promise's outcome. Rejects as soon as the call is cancelled or `timeoutMs` has passed. The promise itself
   * continues: only the signal can stop it.
   *
   * @param handler Handles the outcome. Default: the outcome of the promise, unchanged.
   */
  race<Value, Result = Value>(
    promise: PromiseLike<Value>,
    timeoutMs: number,
    handler: OutcomeHandler<Value, Result> = passOn as never,
  ): Promise<Result> {
    this.#timeoutMs = timeoutMs <= longestTimer ? timeoutMs : 0
    this.#limitTime()
    const raced = new Promise<Value>((resolve, reject) => {
      this.#failRace = reject
      // The promise is wrapped, because a custom `then` can throw or call back more than once.
      Promise.resolve(promise).then(resolve, reject)
      // The handler could have cancelled the call already. `then` is called in this case as well, to prevent an unhandled
      // rejection.
      if (this.reason !== null) reject(this.reason)
    })
    return raced.then(
      (value) => {
        this.#endRace()
        return handler.onFulfilled(value)
      },
      (error) => {
        this.#endRace()
        return handler.onRejected(error)
      },
    )
  }

  failRace(reason: Error): void {
    this.#failRace?.(reason)
  }

  #endRace(): void {
    clearTimeout(this.#timer)
    this.#timeoutMs = 0
    this.#failRace = null
  }

  /** Milliseconds since the call last waited for its client: 0 while it waits, infinite if the call has never waited. */
  get sinceAsked(): number {
    if (this.#pauses > 0) return 0
    return this.#resumedAt === null ? Number.POSITIVE_INFINITY : performance.now() - this.#resumedAt
  }

  /** Stops the time limit while the call waits for its client. Each `pause()` needs a later {@link resume}. */
  pause(): void {
    this.#pauses++
    clearTimeout(this.#timer)
  }

  /**
   * Restarts the full time limit. Modern clients send each answer in a new request, which has a full time limit as well.
   */
  resume(): void {
    this.#pauses--
    this.#resumedAt = performance.now()
    this.#limitTime()
  }

  #limitTime(): void {
    if (this.#timeoutMs > 0 && this.#pauses === 0) this.defer(this)
  }

  runDeferred(): void {
    clearTimeout(this.#timer)
    const timeoutMs = this.#timeoutMs
    if (timeoutMs === 0 || this.#pauses > 0) return
    this.#timer = setTimeout(() => {
      this.cancel(new CallTimeout(`The call took longer than ${timeoutMs} ms`))
    }, timeoutMs)
  }
}

/**
 * Removes the limit on the number of listeners of a signal. Node 20 warns of a leak from the eleventh listener on; Node 22 does
 * not.
 */
export function allowAnyListeners(signal: AbortSignal): void {
  // Signals of polyfills are skipped: they have no listener limit.
  if (signal instanceof EventTarget) setMaxListeners(0, signal)
}
