import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RepeatableRound, StoredResponse } from '../../client-requests/client-request.js'
import type { StepJournal, StepResults, Steps } from '../../client-requests/steps.js'
import { CallCancelled } from '../../context/cancellation.js'
import type { Principal } from '../../context/principal.js'
import { LimitError } from '../../errors/limit-error.js'
import { type ErrorLog, logFailure, tryLog } from '../../errors/log-failure.js'
import type { QuotaKeys } from '../../limits/quota-keys.js'
import { retry } from '../../timing/retry.js'
import type { RequestCall } from '../request-call.js'
import { RoundReservation } from './round-reservation.js'
import type { RoundRunKey, RoundStore } from './round-store.js'

interface RoundsOptions {
  readonly store: RoundStore
  /** Lifetime of a request state in milliseconds. */
  readonly stateTtlMs: number
  /** Milliseconds without a sign of life after which another run can begin. */
  readonly leaseMs: number
  readonly quotaKeys: QuotaKeys
  readonly log: ErrorLog & { warn(fields: object, message: string): void }
}

/** Milliseconds that a round outlives its state, because the clocks of nodes can differ. */
const clockSkewMs = 60_000

/** Milliseconds until a waiting run tries again: doubled after each try, up to the second number. */
const [firstWaitMs, lastWaitMs] = [25, 1000]

export class Rounds {
  readonly store: RoundStore
  readonly leaseMs: number
  readonly keptMs: number
  readonly log: RoundsOptions['log']
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #closing = new AbortController()
  readonly #quotaKeys: QuotaKeys
  repeated = 0
  rejected = 0

  constructor({ store, stateTtlMs, leaseMs, quotaKeys, log }: RoundsOptions) {
    this.store = store
    this.leaseMs = leaseMs
    this.keptMs = stateTtlMs + clockSkewMs
    this.log = log
    this.#quotaKeys = quotaKeys
  }

  open(id: string, steps: Steps, principal: Principal | null, call: RequestCall): RoundRun {
    return new RoundRun(this, id, this.#quotaKeys.of(principal), steps, call)
  }

  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Waits until a run of this process has ended, or the time has passed. */
  async wait(roundId: string, waitMs: number): Promise<void> {
    const { signal, abort } = abortable()
    const waiting = this.#waiting.get(roundId) ?? new Set()
    this.#waiting.set(roundId, waiting.add(abort))
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined)
    waiting.delete(abort)
    if (waiting.size === 0 && this.#waiting.get(roundId) === waiting) this.#waiting.delete(roundId)
  }

  wake(roundId: string): void {
    for (const wake of this.#waiting.get(roundId) ?? []) wake()
  }

  close(): void {
    this.#closing.abort()
  }
}

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

export class RoundRun implements RepeatableRound, StepJournal {
  isEntered = false
  response: StoredResponse | null = null
  /** Whether the response asks the client for input. */
  asksClient = false
  hasFailed = false
  readonly #key: RoundRunKey
  #isHandlerRunning = false
  #isAnswered = false
  readonly #reservation: RoundReservation

  /** @param caller Key of the caller, for limits per caller. */
  constructor(
    private readonly rounds: Rounds,
    readonly id: string,
    private readonly caller: string | null,
    private readonly steps: Steps,
    private readonly call: RequestCall,
  ) {
    this.#key = { roundId: id, runId: randomUUID() }
    this.#reservation = new RoundReservation(rounds.store, this.#key, rounds.leaseMs, () =>
      call.cancellation.cancel(new CallCancelled('another node has taken over the call', lost())),
    )
  }

  async enter(): Promise<void> {
    const { store, leaseMs, keptMs } = this.rounds
    for (let waitMs = firstWaitMs; !this.#isAnswered; waitMs = Math.min(2 * waitMs, lastWaitMs)) {
      const askedAt = performance.now()
      // oxlint-disable-next-line no-await-in-loop
      const entry = await store.enter(this.#key, this.caller, leaseMs, keptMs)
      if (entry.status === 'running') {
        // oxlint-disable-next-line no-await-in-loop
        await this.rounds.wait(this.id, waitMs)
        continue
      }
      if (entry.status === 'full') {
        this.rounds.rejected++
        throw new LimitError('unavailable', 'The server has reached its limit of rounds')
      }
      this.isEntered = true
      const results = Object.entries(entry.steps).map(([name, json]) => [name, JSON.parse(json)] as const)
      this.steps.continueFrom(Object.fromEntries(results) as StepResults, this)
      if (entry.status === 'answered') {
        this.rounds.repeated++
        this.response = new StoredResponse(entry.response.slice(1), entry.response.startsWith(asking))
      } else this.#begin(askedAt)
      return
    }
  }

  #begin(askedAt: number): void {
    this.#reservation.begin(askedAt)
    // The call has been cancelled meanwhile.
    if (this.#isAnswered) this.#leave()
  }

  handlerBegan(): void {
    this.#isHandlerRunning = true
  }

  handlerEnded(): void {
    this.#isHandlerRunning = false
    if (this.#isAnswered) this.#leave()
  }

  answered(json: string | null): void {
    if (this.#isAnswered) return
    this.#isAnswered = true
    if (json !== null && !this.hasFailed && this.#reservation.isHeld) void this.#store(json)
    // A handler can outlive its call. No other run begins until the handler has ended.
    else if (!this.#isHandlerRunning) this.#leave()
  }

  /** Rejects if another node has begun a run, because this node was blocked or cut off. */
  async check(): Promise<void> {
    if (this.#reservation.hasEnded) await retry(() => this.#reservation.renew(), this.#signal)
    if (this.#reservation.isLost) throw lost()
  }

  async store(name: string, result: string): Promise<void> {
    const { store } = this.rounds
    const outcome = await retry(() => store.storeStep(this.#key, this.caller, name, result), this.#signal)
    if (outcome === 'lost') {
      this.#reservation.lose()
      throw lost()
    }
    if (outcome === 'full') this.#reject(`the step '${name}'`)
  }

  get #signal(): AbortSignal {
    return this.call.cancellation.signal
  }

  async #store(json: string): Promise<void> {
    if (await this.#end((this.asksClient ? asking : final) + json)) return
    this.#reject('the response')
    if (!this.#isHandlerRunning) this.#leave()
  }

  #leave(): void {
    if (this.#reservation.isHeld) void this.steps.idle().then(() => this.#end(null))
  }

  async #end(response: string | null): Promise<boolean> {
    const { store, closing, log } = this.rounds
    let isEnded = true
    try {
      isEnded = await retry(() => store.end(this.#key, this.caller, response), closing)
    } catch (error) {
      logFailure(log, error, {}, 'the end of a round could not be stored')
    }
    if (!isEnded) return false
    this.#reservation.end()
    this.rounds.wake(this.id)
    return true
  }

  #reject(what: string): void {
    this.rounds.rejected++
    const message = `${what} exceeds a limit of rounds, and is not stored: a repeated round runs it again`
    tryLog(() => this.rounds.log.warn({}, message))
  }
}

const [asking, final] = ['?', '=']

function lost(): LimitError {
  return new LimitError('unavailable', 'Another node has taken over the call')
}
