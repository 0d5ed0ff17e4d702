import type { Cancellation } from '../context/cancellation.js'
import type { DeferredTask } from '../timing/deferred-tasks.js'
import { startLongTimer } from '../timing/long-timer.js'
import { isPromiseLike, TimeoutError } from '../timing/with-timeout.js'
import { asHookFailure } from './failures.js'
import type { FeatureCall } from './feature-call.js'
import type { HookChain } from './hook-chain.js'

export interface WrappedCall {
  readonly chain: HookChain
  readonly feature: FeatureCall
  readonly cancellation: Cancellation
  proceed(): unknown
  /**
   * Replaces the arguments of the client.
   *
   * @returns A promise only if policies check the arguments.
   * @throws Error when the arguments are invalid.
   */
  replaceArguments(args: unknown): Promise<void> | null
}

/**
 * Runs the handler within all `around` hooks. Returns the value of the outermost hook, or throws its error.
 *
 * @param index Index of the outermost hook that has not run yet.
 */
export function runAround(wrapped: WrappedCall, index = 0): unknown {
  const step = wrapped.chain.around[index]
  return step === undefined ? wrapped.proceed() : new AroundRun(step, wrapped, index).run()
}

export function createAroundSample(wrapped: WrappedCall): object {
  return new AroundRun({ name: '', run: () => undefined }, wrapped, 0)
}

class AroundRun implements DeferredTask {
  #clock: HookClock | null = null
  /** Whether `next` is running. `next` has a separate timeout, so the timeout of the hook is paused. */
  #isWaitingForNext = false
  #isNextCalled = false
  #isOver = false
  /** The error of `next`. A hook that rethrows this error has not failed itself. */
  #failure: unknown = notThrown
  /** Rejects the promise that the outer hook awaits; `null` for the outermost hook. */
  #reject: ((error: Error) => void) | null = null

  constructor(
    private readonly step: HookChain['around'][number],
    private readonly wrapped: WrappedCall,
    private readonly index: number,
  ) {}

  run(): unknown {
    let returned: unknown
    try {
      returned = this.step.run(this.wrapped.feature, (args) => this.#next(args))
    } catch (thrown) {
      throw this.#end(thrown)
    }
    if (isPromiseLike(returned)) return this.#waitFor(returned)
    this.#isOver = true
    return returned
  }

  #waitFor(returned: PromiseLike<unknown>): Promise<unknown> {
    // Errors of a custom `then` are treated as errors of the hook.
    const ended = Promise.resolve(returned).then(
      (value) => {
        this.#isOver = true
        this.#clock?.stop()
        return value
      },
      (thrown) => {
        throw this.#end(thrown)
      },
    )
    this.wrapped.cancellation.defer(this)
    // The call itself awaits the outermost hook, in a race that `giveUp` can end.
    if (this.index === 0) return ended
    return new Promise((resolve, reject) => {
      this.#reject = reject
      ended.then(resolve, reject)
    })
  }

  runDeferred(): void {
    if (this.#isOver) return
    this.#clock = new HookClock(this.wrapped.chain.timeoutMs, this)
    if (!this.#isWaitingForNext) this.#clock.start()
  }

  get sinceAsked(): number {
    return this.wrapped.cancellation.sinceAsked
  }

  giveUp(error: Error): void {
    const failure = this.#end(error) as Error
    if (this.#reject !== null) this.#reject(failure)
    else this.wrapped.cancellation.failRace(failure)
  }

  #end(thrown: unknown): unknown {
    this.#isOver = true
    this.#clock?.stop()
    return thrown === this.#failure ? thrown : asHookFailure(this.step.name, thrown)
  }

  #next(args: unknown): Promise<unknown> {
    const misuse = this.#misuse()
    if (misuse !== null) return rejection(misuse)
    this.#isNextCalled = true
    let replacing: Promise<void> | null = null
    try {
      if (args !== undefined) replacing = this.wrapped.replaceArguments(args)
    } catch (thrown) {
      // The hook passed invalid arguments to `next`. This is a failure of the hook itself, so `#failure` stays unset.
      return rejection(thrown)
    }
    try {
      const produced = replacing === null ? this.#runInner() : replacing.then(() => this.#runInner())
      return isPromiseLike(produced) ? handled(this.#pauseFor(produced)) : Promise.resolve(produced)
    } catch (thrown) {
      this.#failure = thrown
      return rejection(thrown)
    }
  }

  #runInner(): unknown {
    return runAround(this.wrapped, this.index + 1)
  }

  #misuse(): Error | null {
    if (this.#isNextCalled) return new Error('next was called a second time')
    if (this.#isOver) return new Error('next was called after the hook had ended')
    return this.wrapped.cancellation.reason
  }

  #pauseFor(produced: PromiseLike<unknown>): Promise<unknown> {
    const settled = Promise.resolve(produced)
    this.#isWaitingForNext = true
    this.#clock?.stop()
    return settled.then(
      (value) => {
        this.#resume()
        return value
      },
      (thrown) => {
        this.#resume()
        this.#failure = thrown
        throw thrown
      },
    )
  }

  #resume(): void {
    this.#isWaitingForNext = false
    if (!this.#isOver) this.#clock?.start()
  }
}

function rejection(reason: unknown): Promise<never> {
  return handled(Promise.reject(reason))
}

/** Marks rejections as handled: if the hook does not await the promise, an unhandled rejection would end the process. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(ignore)
  return promise
}

const notThrown = Symbol('not thrown')

function ignore(): void {}

/** Timeout of one `around` hook. The timeout is paused while the hook waits for something that has a separate timeout. */
class HookClock {
  #left: number
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(
    private readonly timeoutMs: number,
    private readonly run: AroundRun,
  ) {
    this.#left = timeoutMs
  }

  start(): void {
    this.#startedAt = performance.now()
    this.#timer = startLongTimer(() => this.#onTimeout(), Math.max(1, this.#left))
  }

  stop(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#left -= performance.now() - this.#startedAt
  }

  #onTimeout(): void {
    this.#timer = undefined
    // Each answer of the client restarts the timeout.
    this.#left = this.timeoutMs - this.run.sinceAsked
    if (this.#left > 0) this.start()
    else this.run.giveUp(new TimeoutError(this.timeoutMs))
  }
}
