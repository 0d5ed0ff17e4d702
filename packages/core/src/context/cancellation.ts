import { LazyTimer } from './lazy-timer.js'

/** Why a call stops early. Nothing is sent for a call that its client cancelled. */
export class CallCancelled extends Error {
  override readonly name = 'AbortError'
}

export class CallTimeout extends Error {
  override readonly name = 'TimeoutError'
}

/** Milliseconds, some 24 days. A longer timer would fire at once; so long a call has no limit. */
const longestTimer = 2 ** 31 - 1

/**
 * Whether one request is still wanted. The `AbortSignal` is made only when somebody asks for it: most calls end without
 * one, and it is the most expensive part of a context.
 */
export class Cancellation {
  #controller: AbortController | null = null
  #reason: Error | null = null
  #listener: ((reason: Error) => void) | null = null
  #timer: LazyTimer | null = null
  /** 0: no limit. */
  #timeoutMs = 0
  #pauses = 0

  get reason(): Error | null {
    return this.#reason
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== null) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  /** Cancels once; later calls change nothing. */
  cancel(reason: Error): void {
    if (this.#reason !== null) return
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#listener?.(reason)
  }

  /**
   * The promise's outcome, or a rejection as soon as the call is cancelled or `timeoutMs` has passed. The promise
   * itself goes on: only the signal can stop it.
   */
  race<Value>(promise: PromiseLike<Value>, timeoutMs: number): Promise<Value> {
    this.#timeoutMs = timeoutMs <= longestTimer ? timeoutMs : 0
    if (this.#pauses === 0) this.#startTimer()
    // Not `async`, which is another promise for each asynchronous call.
    return new Promise<Value>((resolve, reject) => {
      const lose = (reason: Error): void => {
        this.#endRace(lose)
        reject(reason)
      }
      const win = (value: Value): void => {
        this.#endRace(lose)
        resolve(value)
      }
      this.#listener = lose
      // Whatever its own `then` does.
      Promise.resolve(promise).then(win, lose)
      // Cancelled by the handler itself before it returned. Not sooner, or nobody would hear of its rejection.
      if (this.#reason !== null) lose(this.#reason)
    })
  }

  /** A promise that settles after its race is over must not end the next one. */
  #endRace(listener: (reason: Error) => void): void {
    if (this.#listener !== listener) return
    this.#timer?.stop()
    this.#timeoutMs = 0
    this.#listener = null
  }

  /** Stops the clock of a call that waits for its client, until as many calls of {@link resume}. */
  pause(): void {
    this.#pauses++
    this.#timer?.stop()
  }

  /** Gives the call its whole time again, as each round of questions has it where a round is a request of its own. */
  resume(): void {
    if (--this.#pauses === 0) this.#startTimer()
  }

  #startTimer(): void {
    if (this.#timeoutMs === 0) return
    this.#timer ??= new LazyTimer(() => this.#timeOut())
    this.#timer.start(this.#timeoutMs)
  }

  #timeOut(): void {
    this.cancel(new CallTimeout(`The call took longer than ${this.#timeoutMs} ms`))
  }
}
