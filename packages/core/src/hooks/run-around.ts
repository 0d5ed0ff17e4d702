import type { Cancellation } from '../context/cancellation.js'
import type { FeatureCall } from './feature-call.js'
import type { Around, HookChain, HookStep } from './hook-chain.js'
import { asHookFailure } from './hook-failure.js'
import { isPromiseLike } from './promise-like.js'
import { HookClock } from './within.js'

/** Runs the handler within all `around` hooks. Its promise is what the outermost of them returned. */
export function runAround(
  { around, timeoutMs }: HookChain,
  call: FeatureCall,
  cancellation: Cancellation,
  handler: () => unknown,
): unknown {
  let next = handler
  for (const step of around.toReversed()) {
    const inner = next
    next = () => new AroundRun(step, call, cancellation, timeoutMs).run(inner)
  }
  return next()
}

/** One `around` hook in one call. */
class AroundRun {
  readonly #clock: HookClock
  #isNextCalled = false
  #isOver = false
  /** What the handler threw: not the hook's own failure when it passes it on. */
  #failure: unknown = notThrown

  constructor(
    private readonly step: HookStep<Around>,
    private readonly call: FeatureCall,
    private readonly cancellation: Cancellation,
    timeoutMs: number,
  ) {
    this.#clock = new HookClock(timeoutMs)
  }

  async run(inner: () => unknown): Promise<unknown> {
    const next = (): Promise<unknown> => {
      const outcome = this.#next(inner)
      // The hook may not wait for it, and a rejection that nobody hears of would end the process.
      outcome.catch(() => undefined)
      return outcome
    }
    try {
      const returned = this.step.run(this.call, next)
      return isPromiseLike(returned) ? await this.#clock.race(returned) : returned
    } catch (thrown) {
      if (thrown === this.#failure) throw thrown
      throw asHookFailure(this.step.name, thrown)
    } finally {
      this.#isOver = true
      this.#clock.stop()
    }
  }

  async #next(inner: () => unknown): Promise<unknown> {
    if (this.#isNextCalled) throw new Error('next was called a second time')
    if (this.#isOver) throw new Error('next was called after the hook had ended')
    if (this.cancellation.reason !== null) throw this.cancellation.reason
    this.#isNextCalled = true
    // The handler has a time limit of its own.
    this.#clock.stop()
    try {
      return await inner()
    } catch (thrown) {
      this.#failure = thrown
      throw thrown
    } finally {
      if (!this.#isOver) this.#clock.start()
    }
  }
}

const notThrown = Symbol('not thrown')
