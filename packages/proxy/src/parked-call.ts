import { randomUUID } from 'node:crypto'
import { type RawResult, RequestTimeoutError } from '@toolwright/client'
import {
  type ClientRequestMethod,
  type InputRequest,
  inputRequired,
  isJsonObject,
  type JsonObject,
  type McpContext,
} from '@toolwright/core'
import { raceSignal } from './upstream.js'

interface Question {
  readonly request: InputRequest
  readonly answer: (answer: unknown) => void
  readonly reject: (error: Error) => void
}

/** Maximum number of questions of one call that are open at the same time. */
const maxQuestions = 16

/**
 * A call of an upstream of 2025-11-25 or older, which stays open while the caller answers a question. The handler ends with the
 * question, and runs again with the answer: over a modern connection in a new request. Only the caller who has the encrypted state
 * of the call can continue it.
 */
export class ParkedCall {
  readonly id = randomUUID()
  readonly #stop = new AbortController()
  readonly #questions = new Map<string, Question>()
  #asked = 0
  #context: McpContext
  #wake: (() => void) | null = null
  #timer: NodeJS.Timeout | null = null
  #result: Promise<RawResult> | null = null
  #runTimeoutMs = Infinity
  #runTimer: NodeJS.Timeout | null = null

  constructor(
    context: McpContext,
    private readonly timeoutMs: number,
    private readonly onParked: (call: ParkedCall, isParked: boolean) => void,
  ) {
    this.#context = context
  }

  /** Aborts when the call ends without a result. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** The current run of the handler, which receives progress and log messages. */
  get context(): McpContext {
    return this.#context
  }

  get isParked(): boolean {
    return this.#timer !== null
  }

  /** Starts the call. @param send Sends the request to the upstream. @param timeoutMs Timeout of each run of the handler. */
  start(send: () => Promise<RawResult>, timeoutMs: number): Promise<RawResult> {
    this.#runTimeoutMs = timeoutMs
    this.#result = send()
    // The result can come while the call waits for an answer. Its error is read by the next run.
    this.#result.catch(() => undefined)
    return this.#run()
  }

  continue(context: McpContext): Promise<RawResult> {
    this.#context = context
    this.#unpark()
    this.#deliver()
    return this.#run()
  }

  /** Asks the caller. @returns The answer, as the client sent it. */
  ask(method: ClientRequestMethod, params: JsonObject, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#stop.signal.aborted || this.#questions.size === maxQuestions) {
        reject(new Error('The call cannot ask more questions.'))
        return
      }
      const key = `question_${++this.#asked}`
      const end = (): void => {
        this.#questions.delete(key)
        signal.removeEventListener('abort', abort)
      }
      const abort = (): void => {
        end()
        reject(new Error('The question was cancelled.'))
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#questions.set(key, {
        request: { method, params },
        answer: (answer) => {
          end()
          resolve(answer)
        },
        reject: (error) => {
          end()
          reject(error)
        },
      })
      this.#wake?.()
    })
  }

  cancel(reason: unknown): void {
    this.#unpark()
    for (const { reject } of this.#questions.values()) reject(new Error('The call has ended.'))
    this.#stop.abort(reason)
  }

  /** Restarts the timeout of the current run, because the upstream has reported progress. */
  restartTimeout(): void {
    this.#runTimer?.refresh()
  }

  /** Waits for the result, or ends the handler with the questions of the upstream. @throws InputRequired */
  async #run(): Promise<RawResult> {
    const { signal } = this.#context
    const result = this.#result as Promise<RawResult>
    const timeout = new RequestTimeoutError('The call', this.#runTimeoutMs)
    this.#runTimer = setTimeout(() => this.cancel(timeout), this.#runTimeoutMs)
    try {
      const asked = new Promise<null>((resolve) => {
        this.#wake = () => resolve(null)
      })
      if (this.#questions.size > 0) this.#wake?.()
      const ended = await raceSignal(Promise.race([result, asked]), signal)
      if (ended !== null) return ended
      // Takes all questions that the upstream asks at the same time.
      await new Promise(setImmediate)
    } catch (error) {
      this.cancel(signal.aborted ? signal.reason : error)
      throw error
    } finally {
      this.#wake = null
      clearTimeout(this.#runTimer)
    }
    if (this.#questions.size === 0) return this.#run()
    return this.#park()
  }

  #park(): never {
    const inputRequests = Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]))
    this.#timer = setTimeout(() => this.cancel(new Error('The question was not answered in time.')), this.timeoutMs)
    this.#timer.unref()
    this.onParked(this, true)
    const { signal, sessionId } = this.#context
    // The call of a legacy client is one request, whose cancellation also ends a question.
    if (sessionId !== null) signal.addEventListener('abort', () => this.cancel(signal.reason), { once: true })
    return inputRequired({ inputRequests, requestState: { parked: this.id } })
  }

  #unpark(): void {
    if (this.#timer === null) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.onParked(this, false)
  }

  /** Passes the answers of the caller to the upstream. A question without an answer is asked again. */
  #deliver(): void {
    let answers: JsonObject
    try {
      answers = this.#context.inputResponses
    } catch (error) {
      // The client of the caller cannot answer, or has answered with an error.
      for (const { reject } of this.#questions.values()) reject(error as Error)
      return
    }
    for (const [key, { answer }] of this.#questions) {
      if (Object.hasOwn(answers, key) && isJsonObject(answers[key])) answer(answers[key])
    }
  }
}
