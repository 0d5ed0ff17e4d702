import type { Cancellation } from '../context/cancellation.js'
import type { FeatureCall } from './feature-call.js'
import type { Around, HookChain, HookStep } from './hook-chain.js'
import { asHookFailure } from './hook-failure.js'
import { isPromiseLike } from './promise-like.js'
import { HookClock } from './within.js'

/** Runs the handler within all `around` hooks. What it returns, or throws, is the outcome of the outermost of them. */
export function runAround(
  { around, timeoutMs }: HookChain,
  call: FeatureCall,
  cancellation: Cancellation,
  handler: () => unknown,
): unknown {
  let next = handler
  for (let index = around.length - 1; index >= 0; index--) {
    const step = around[index] as HookStep<Around>
    const inner = next
    next = () => new AroundRun(step, call, cancellation, timeoutMs, inner).run()
  }
  return next()
}

/** One `around` hook in one call. */
class AroundRun {
  #clock: HookClock | null = null
  /** While `next` runs, which has a time limit of its own, the hook's stands still. */
  #isWaitingForNext = false
  #isNextCalled = false
  #isOver = false
  /** What the handler threw: not the hook's own failure when it passes it on. */
  #failure: unknown = notThrown

  constructor(
    private readonly step: HookStep<Around>,
    private readonly call: FeatureCall,
    private readonly cancellation: Cancellation,
    private readonly timeoutMs: number,
    private readonly inner: () => unknown,
  ) {}

  /** @returns A promise only where the hook returned one. */
  run(): unknown {
    let returned: unknown
    try {
      returned = this.step.run(this.call, () => this.#next())
    } catch (thrown) {
      throw this.#end(thrown)
    }
    if (isPromiseLike(returned)) return this.#waitFor(returned)
    this.#isOver = true
    return returned
  }

  #waitFor(returned: PromiseLike<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const fail = (thrown: unknown): void => reject(this.#end(thrown))
      const succeed = (value: unknown): void => {
        this.#isOver = true
        this.#clock?.stop()
        resolve(value)
      }
      this.#clock = new HookClock(this.timeoutMs, fail)
      if (!this.#isWaitingForNext) this.#clock.start()
      // Whatever its `then` does, it is the hook's.
      Promise.resolve(returned).then(succeed, fail)
    })
  }

  /** @returns What the call fails with. */
  #end(thrown: unknown): unknown {
    this.#isOver = true
    this.#clock?.stop()
    return thrown === this.#failure ? thrown : asHookFailure(this.step.name, thrown)
  }

  #next(): Promise<unknown> {
    const misuse = this.#misuse()
    if (misuse !== null) return rejection(misuse)
    this.#isNextCalled = true
    try {
      const produced = this.inner()
      return isPromiseLike(produced) ? heard(this.#pauseFor(produced)) : Promise.resolve(produced)
    } catch (thrown) {
      this.#failure = thrown
      return rejection(thrown)
    }
  }

  /** Why `next` cannot be called now. */
  #misuse(): Error | null {
    if (this.#isNextCalled) return new Error('next was called a second time')
    if (this.#isOver) return new Error('next was called after the hook had ended')
    return this.cancellation.reason
  }

  async #pauseFor(produced: PromiseLike<unknown>): Promise<unknown> {
    this.#isWaitingForNext = true
    this.#clock?.stop()
    try {
      return await produced
    } catch (thrown) {
      this.#failure = thrown
      throw thrown
    } finally {
      this.#isWaitingForNext = false
      if (!this.#isOver) this.#clock?.start()
    }
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
