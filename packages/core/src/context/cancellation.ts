import { AsyncResource } from 'node:async_hooks'
import { setMaxListeners } from 'node:events'
import type { ProtocolError } from '../errors/protocol-error.js'
import { type DeferredTask, DeferredTasks } from '../timing/deferred-tasks.js'
import { longestTimer } from '../timing/long-timer.js'

/** Why a call stops early. */
export class CallCancelled extends Error {
  override readonly name = 'AbortError'

  /** @param answer The error that the client is answered with; `null`: the client waits for no answer. */
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
 * What to make of the outcome of a race, as the two functions that `then` takes. An object, because each call would have to
 * make those.
 */
export interface Settler<Value, Result> {
  onFulfilled(value: Value): Result | Promise<Result>
  /** @param error That of the promise itself, or why the call was stopped. */
  onRejected(error: unknown): Result | Promise<Result>
}

const passOn: Settler<unknown, unknown> = {
  onFulfilled: (value) => value,
  onRejected: (error) => {
    throw error
  },
}

/**
 * Whether one request is still wanted. The `AbortSignal` is made only when somebody asks for it: most calls end without
 * one, and it is the most expensive part of a context.
 */
export class Cancellation implements DeferredTask {
  #controller: AbortController | null = null
  /** Aborts the signal in the async context of whoever asked for it: that of the call, wherever the reason comes from. */
  #abort: ((reason: Error) => void) | null = null
  #reason: Error | null = null
  /** Set while a race runs. */
  #failRace: ((reason: Error) => void) | null = null
  #timer: NodeJS.Timeout | undefined = undefined
  /** 0: no limit. */
  #timeoutMs = 0
  #pauses = 0
  /** When the client last answered; `null`: it was not asked. */
  #resumedAt: number | null = null

  /** @param deferred For what is done only if the call lasts. */
  constructor(readonly deferred = new DeferredTasks()) {}

  get reason(): Error | null {
    return this.#reason
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#openController()
    return this.#controller.signal
  }

  #openController(): AbortController {
    const controller = new AbortController()
    allowAnyListeners(controller.signal)
    if (this.#reason === null) this.#abort = AsyncResource.bind((reason: Error) => controller.abort(reason))
    else controller.abort(this.#reason)
    return controller
  }

  /** Cancels once; later calls change nothing. */
  cancel(reason: Error): void {
    if (this.#reason !== null) return
    this.#reason = reason
    this.#abort?.(reason)
    this.failRace(reason)
  }

  /**
   * The promise's outcome, or a failure as soon as the call is cancelled or `timeoutMs` has passed. The promise itself goes
   * on: only the signal can stop it.
   *
   * @param settler Default: hands on the outcome as it is.
   */
  race<Value, Result = Value>(
    promise: PromiseLike<Value>,
    timeoutMs: number,
    settler: Settler<Value, Result> = passOn as never,
  ): Promise<Result> {
    this.#timeoutMs = timeoutMs <= longestTimer ? timeoutMs : 0
    this.#limitTime()
    const raced = new Promise<Value>((resolve, reject) => {
      this.#failRace = reject
      // Whatever its own `then` does.
      Promise.resolve(promise).then(resolve, reject)
      // Where the handler itself cancelled the call. Only now that its promise has a listener for rejections.
      if (this.#reason !== null) reject(this.#reason)
    })
    return raced.then(
      (value) => {
        this.#endRace()
        return settler.onFulfilled(value)
      },
      (error) => {
        this.#endRace()
        return settler.onRejected(error)
      },
    )
  }

  /** Ends the race that runs, if there is one, without cancelling the call. */
  failRace(reason: Error): void {
    this.#failRace?.(reason)
  }

  #endRace(): void {
    clearTimeout(this.#timer)
    this.#timeoutMs = 0
    this.#failRace = null
  }

  /** Milliseconds since the call last waited for its client: 0 while it does, and without end if it never has. */
  get sinceAsked(): number {
    if (this.#pauses > 0) return 0
    return this.#resumedAt === null ? Number.POSITIVE_INFINITY : performance.now() - this.#resumedAt
  }

  /** Stops the clock of a call that waits for its client, until as many calls of {@link resume}. */
  pause(): void {
    this.#pauses++
    clearTimeout(this.#timer)
  }

  /** Gives the call its whole time again, as each round of questions has it where a round is a request of its own. */
  resume(): void {
    this.#pauses--
    this.#resumedAt = performance.now()
    this.#limitTime()
  }

  #limitTime(): void {
    if (this.#timeoutMs > 0 && this.#pauses === 0) this.deferred.run(this)
  }

  /** By then the race may be over, or the call may wait for its client. */
  runDeferred(): void {
    clearTimeout(this.#timer)
    const timeoutMs = this.#timeoutMs
    if (timeoutMs === 0 || this.#pauses > 0) return
    this.#timer = setTimeout(() => {
      this.cancel(new CallTimeout(`The call took longer than ${timeoutMs} ms`))
    }, timeoutMs)
  }
}

/** Lets any number listen to the signal, as Node 22 does by itself: Node 20 warns of a leak when more than ten do. */
export function allowAnyListeners(signal: AbortSignal): void {
  // One that is not Node's own has no such limit, nor a way to set it.
  if (signal instanceof EventTarget) setMaxListeners(0, signal)
}
