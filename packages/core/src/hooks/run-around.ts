import type { Cancellation } from '../context/cancellation.js'
import type { DeferredTask } from '../timing/deferred-tasks.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import { latestCall } from '../util/keep-fast.js'
import type { FeatureCall } from './feature-call.js'
import type { HookChain } from './hook-chain.js'
import { HookClock, type HookWaiter } from './hook-clock.js'
import { asHookFailure } from './hook-failure.js'

/** What `around` hooks are around of. */
export interface Surrounded {
  readonly chain: HookChain
  readonly feature: FeatureCall
  readonly cancellation: Cancellation
  /** Runs the handler itself. */
  proceed(): unknown
  /**
   * Takes arguments in the place of those of the client.
   *
   * @returns A promise only where policies decide on them.
   * @throws Error when they cannot be the arguments.
   */
  replaceArguments(args: unknown): Promise<void> | null
}

/**
 * Runs the handler within all `around` hooks. What it returns, or throws, is the outcome of the outermost of them.
 *
 * @param index Of the outermost hook that is still to run.
 */
export function runAround(surrounded: Surrounded, index = 0): unknown {
  const step = surrounded.chain.around[index]
  return step === undefined ? surrounded.proceed() : new AroundRun(step, surrounded, index).run()
}

/** One `around` hook in one call. */
class AroundRun implements HookWaiter, DeferredTask {
  /** `null` as long as the event loop has not turned: most hooks are over by then. */
  #clock: HookClock | null = null
  /** While `next` runs, which has a time limit of its own, the hook's stands still. */
  #isWaitingForNext = false
  #isNextCalled = false
  #isOver = false
  /** What the handler threw: not the hook's own failure when it passes it on. */
  #failure: unknown = notThrown
  /** Fails what the hook around this one waits for; `null`: that is the call itself. */
  #reject: ((error: Error) => void) | null = null

  constructor(
    private readonly step: HookChain['around'][number],
    private readonly surrounded: Surrounded,
    private readonly index: number,
  ) {
    latestCall.aroundRun = this
  }

  /** @returns A promise only where the hook returned one. */
  run(): unknown {
    let returned: unknown
    try {
      returned = this.step.run(this.surrounded.feature, (args) => this.#next(args))
    } catch (thrown) {
      throw this.#end(thrown)
    }
    if (isPromiseLike(returned)) return this.#waitFor(returned)
    this.#isOver = true
    return returned
  }

  #waitFor(returned: PromiseLike<unknown>): Promise<unknown> {
    // Whatever its `then` does, it is the hook's.
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
    this.surrounded.cancellation.deferred.run(this)
    // The outermost hook is waited for by the call itself, whose race `giveUp` can end.
    if (this.index === 0) return ended
    return new Promise((resolve, reject) => {
      this.#reject = reject
      ended.then(resolve, reject)
    })
  }

  runDeferred(): void {
    if (this.#isOver) return
    this.#clock = new HookClock(this.surrounded.chain.timeoutMs, this)
    if (!this.#isWaitingForNext) this.#clock.start()
  }

  get sinceAsked(): number {
    return this.surrounded.cancellation.sinceAsked
  }

  giveUp(error: Error): void {
    const failure = this.#end(error) as Error
    if (this.#reject !== null) this.#reject(failure)
    else this.surrounded.cancellation.failRace(failure)
  }

  /** @returns What the call fails with. */
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
      if (args !== undefined) replacing = this.surrounded.replaceArguments(args)
    } catch (thrown) {
      // A failure of this hook, unlike those below.
      return rejection(thrown)
    }
    try {
      const produced = replacing === null ? this.#runInner() : replacing.then(() => this.#runInner())
      return isPromiseLike(produced) ? heard(this.#pauseFor(produced)) : Promise.resolve(produced)
    } catch (thrown) {
      this.#failure = thrown
      return rejection(thrown)
    }
  }

  #runInner(): unknown {
    return runAround(this.surrounded, this.index + 1)
  }

  /** Why `next` cannot be called now. */
  #misuse(): Error | null {
    if (this.#isNextCalled) return new Error('next was called a second time')
    if (this.#isOver) return new Error('next was called after the hook had ended')
    return this.surrounded.cancellation.reason
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
  return heard(Promise.reject(reason))
}

/** The hook may not wait for it, and a rejection that nobody hears of would end the process. */
function heard<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(ignore)
  return promise
}

const notThrown = Symbol('not thrown')

function ignore(): void {}
