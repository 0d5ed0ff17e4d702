import type { CallToolResult, Progress } from '@modelcontextprotocol/client'
import { ClientError } from '../errors.js'
import { EventQueue, type EventStream } from '../events/event-queue.js'
import type { RequestOptions } from '../options.js'
import type { TaskState } from './tasks.js'

export interface CallOptions extends RequestOptions {
  /** Called with each report of progress. */
  readonly onProgress?: (progress: Progress) => void
  /** Called with each state of the task that the call has become. */
  readonly onTask?: (state: TaskState) => void
  /** Additional members of the request's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/**
 * A call in flight: a promise of what the tool returns. The call rejects with `ToolCallError` if the tool fails, and
 * with the reason of the signal if the signal aborts. The call rejects with another `ClientError` if the server cannot
 * be reached, rejects the request or takes too long.
 */
export interface ToolCall<Value> extends Promise<Value> {
  /**
   * Progress updates, for `for await`. Read this property before the first `await` after the call. If the first
   * read comes later, the property throws a `ClientError`.
   */
  readonly progress: EventStream<Progress>
  /** The complete result, with `content` and `_meta`. Rejects with the same error as the call. */
  readonly result: Promise<CallToolResult>
}

/** Receives progress. With `null`, the request does not ask for progress. */
export type ProgressListener = ((progress: Progress) => void) | null

const ownRounds = 'Fulfilling input required by '

export class RunningCall<Value> implements ToolCall<Value> {
  readonly result: Promise<CallToolResult>
  readonly #read: (result: CallToolResult) => Value
  #value: Promise<Value> | null = null
  #queue: EventQueue<Progress> | null = null
  #isSent = false

  /** @param send Called in a microtask, so that the caller can ask for progress first. */
  constructor(
    send: (onProgress: ProgressListener) => Promise<CallToolResult>,
    { onProgress }: CallOptions,
    read: (result: CallToolResult) => Value,
  ) {
    this.#read = read
    this.result = Promise.resolve().then(() => {
      this.#isSent = true
      const queue = this.#queue
      if (queue === null && onProgress === undefined) return send(null)
      const listener = (progress: Progress): void => {
        if (progress.message?.startsWith(ownRounds) === true) return
        onProgress?.(progress)
        queue?.push(progress)
      }
      // The loop over the progress ends without an error, because the call itself rejects with the error.
      return send(listener).finally(() => void queue?.end())
    })
  }

  get progress(): EventStream<Progress> {
    if (this.#queue !== null) return this.#queue
    if (this.#isSent) {
      const message =
        'The call has been sent without asking for progress. Read `progress` before the first `await`, or pass `onProgress`.'
      throw new ClientError(message, 'too-late')
    }
    this.#queue = new EventQueue()
    // Prevents an unhandled rejection: the caller awaits the call only after its loop over the progress.
    this.result.catch(() => undefined)
    return this.#queue
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a call is a promise
  then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#value ??= this.result.then(this.#read)
    return this.#value.then(onFulfilled, onRejected)
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Value | Rejected> {
    return this.then(null, onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<Value> {
    return this.then((value) => value).finally(onFinally)
  }

  get [Symbol.toStringTag](): string {
    return 'ToolCall'
  }
}
