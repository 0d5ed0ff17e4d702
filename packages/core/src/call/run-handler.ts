import type { Settler } from '../context/cancellation.js'
import { clientRequesterOf, openClientRequests } from '../context/mcp-context.js'
import { toError } from '../errors/to-error.js'
import type { FeaturePlan } from '../plan/feature-plan.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import { latestCall } from '../util/keep-fast.js'
import { endClientRequests, endFailedClientRequests, hasAsked } from './end-client-requests.js'
import type { HookRun } from './hook-run.js'
import type { RunningCall } from './running-call.js'

/** What becomes of a call of a feature, once its handler has ended. */
export interface Outcome<Encoded, Result> {
  /** Of what the handler returned. Whatever it throws, the call fails with. */
  encode(returned: unknown): Encoded
  /** Of what the call fails with. @throws What the client is told, where no result can tell of it. */
  describe(error: Error): Encoded
  /** Writes the result as its caller wants it: once, when the hooks know how the call ended. */
  finish(encoded: Encoded): Result
}

/** A handler and how long it may take. */
export type LimitedHandler = Pick<FeaturePlan, 'handler' | 'timeoutMs'>

/**
 * Runs the handler of a feature, waits for it as long as it may take, and ends what it asked its client.
 *
 * @param observed What the feature's hooks are told of; `null`: it has none.
 * @returns A promise only where there is something to wait for.
 */
export function runHandler<Encoded, Result>(
  limited: LimitedHandler,
  args: unknown,
  call: RunningCall,
  outcome: Outcome<Encoded, Result>,
  hookRun: HookRun | null,
): Result | Promise<Result> {
  let encoded: Encoded
  try {
    openClientRequests(call.context)
    call.exchange.started()
    const returned = limited.handler(args, call.context)
    if (isPromiseLike(returned) || clientRequesterOf(call.context) !== null) {
      const end = new HandlerEnd(call, limited, outcome, hookRun)
      if (!isPromiseLike(returned)) return end.onFulfilled(returned)
      return call.cancellation.race(returned, limited.timeoutMs, end)
    }
    encoded = encode(returned, outcome, hookRun)
  } catch (thrown) {
    const error = toError(thrown)
    if (!hasAsked(error, call)) return fail(error, outcome, hookRun)
    // As if the handler had returned a promise: while its questions are put together, the call may still be cancelled.
    const end = new HandlerEnd(call, limited, outcome, hookRun)
    return call.cancellation.race(Promise.reject(error), limited.timeoutMs, end)
  }
  // Not within the `try`: what goes wrong from here on is no failure of the handler's.
  return finish(encoded, outcome, hookRun)
}

/** What comes of a handler that was waited for. */
class HandlerEnd<Encoded, Result> implements Settler<unknown, Result> {
  constructor(
    private readonly call: RunningCall,
    private readonly limited: LimitedHandler,
    private readonly outcome: Outcome<Encoded, Result>,
    private readonly hookRun: HookRun | null,
  ) {
    latestCall.handlerEnd = this
  }

  onFulfilled(value: unknown): Result | Promise<Result> {
    return clientRequesterOf(this.call.context) === null ? this.#finish(value) : this.#endClientRequests(value)
  }

  onRejected(thrown: unknown): Result | Promise<Result> {
    return failOrAsk(toError(thrown), this.call, this.limited.timeoutMs, this.outcome, this.hookRun)
  }

  #finish(value: unknown): Result | Promise<Result> {
    let encoded: Encoded
    try {
      encoded = encode(value, this.outcome, this.hookRun)
    } catch (thrown) {
      return this.onRejected(thrown)
    }
    return finish(encoded, this.outcome, this.hookRun)
  }

  async #endClientRequests(value: unknown): Promise<Result> {
    try {
      await endClientRequests(this.call, this.limited.timeoutMs)
    } catch (thrown) {
      return this.onRejected(thrown)
    }
    return this.#finish(value)
  }
}

/** Ends a call that failed, with what it asked its client if it did. */
export function failOrAsk<Encoded, Result>(
  error: Error,
  call: RunningCall,
  timeoutMs: number,
  outcome: Outcome<Encoded, Result>,
  hookRun: HookRun | null,
): Result | Promise<Result> {
  if (!hasAsked(error, call)) return fail(error, outcome, hookRun)
  return endFailedClientRequests(error, call, timeoutMs).then((ended) => fail(ended, outcome, hookRun))
}

function encode<Encoded>(returned: unknown, outcome: Outcome<Encoded, unknown>, hookRun: HookRun | null): Encoded {
  const encoded = outcome.encode(returned)
  hookRun?.returned(returned, encoded)
  return encoded
}

function finish<Encoded, Result>(
  encoded: Encoded,
  outcome: Outcome<Encoded, Result>,
  hookRun: HookRun | null,
): Result | Promise<Result> {
  const observing = hookRun === null ? null : hookRun.observe()
  return observing === null ? outcome.finish(encoded) : observing.then(() => outcome.finish(encoded))
}

/** Ends a call that failed, before or after its handler ran. @throws What the client is told. */
function fail<Encoded, Result>(
  error: Error,
  outcome: Outcome<Encoded, Result>,
  hookRun: HookRun | null,
): Result | Promise<Result> {
  hookRun?.failed(error)
  let encoded: Encoded
  try {
    // Before the hooks take their time: by then the client may have left, and with it the reason to report.
    encoded = outcome.describe(error)
  } catch (thrown) {
    const observing = hookRun === null ? null : hookRun.observe()
    if (observing === null) throw thrown
    return observing.then(() => {
      throw thrown
    })
  }
  return finish(encoded, outcome, hookRun)
}
