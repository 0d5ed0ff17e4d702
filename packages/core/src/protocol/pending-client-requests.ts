import { randomUUID } from 'node:crypto'
import type { ClientRequestMethod } from '../client-requests/client-request.js'
import type { Sender } from '../context/progress.js'
import { ClientRequestError } from '../errors/client-request-errors.js'
import { shorten } from '../errors/protocol-error.js'
import { isJsonObject, type JsonObject, notification, type RpcResponse } from '../rpc/messages.js'
import { startLongTimer } from '../timing/long-timer.js'

/** At most so many of one client at once. */
const maxPending = 100

/** Those of all clients together. */
export interface ClientRequestCounters {
  pending: number
  /** Since the start, because one client had too many to answer. */
  refused: number
}

/** Where questions go. */
export interface ClientRequestSender extends Sender {
  /** Takes one back, also for a call that was given up: its user may still be looking at it. */
  withdraw(json: string): void
}

interface PendingClientRequest {
  readonly method: ClientRequestMethod
  readonly params?: JsonObject | undefined
  /** On the stream of the call that asks. */
  readonly sender: ClientRequestSender
  readonly timeoutMs: number
  /** Of the call that asks. */
  readonly signal: AbortSignal
  readonly counter: ClientRequestCounters
}

/** Requests of the server's that one client has yet to answer. Ids are random, and never those of another client. */
export class PendingClientRequests {
  readonly #pending = new Map<unknown, { answer(response: RpcResponse): void; stop(reason: Error): void }>()
  /** Why nobody is going to answer; `null` as long as somebody may. */
  #abandoned: string | null = null

  /** What the client answered. @throws ClientRequestError; the signal's reason when the call ends before. */
  async ask({ method, params, sender, timeoutMs, signal, counter }: PendingClientRequest): Promise<unknown> {
    if (this.#pending.size >= maxPending) {
      counter.refused++
      throw new ClientRequestError(`The client has not answered ${maxPending} questions yet.`)
    }
    if (this.#abandoned !== null) throw nobodyThere(this.#abandoned, method)
    signal.throwIfAborted()
    const id = randomUUID()
    let giveUp: (() => void) | null = null
    let timer: NodeJS.Timeout | undefined
    counter.pending++
    try {
      const response = await new Promise<RpcResponse>((resolve, reject) => {
        const stop = (reason: Error): void => {
          sender.withdraw(notification('notifications/cancelled', { requestId: id, reason: reason.message }))
          reject(reason)
        }
        giveUp = () => stop(signal.reason as Error)
        timer = startLongTimer(() => stop(tooLate(method, timeoutMs)), timeoutMs)
        signal.addEventListener('abort', giveUp)
        this.#pending.set(id, { answer: resolve, stop })
        sender.notify(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      })
      return readResult(response, method)
    } finally {
      counter.pending--
      clearTimeout(timer)
      if (giveUp !== null) signal.removeEventListener('abort', giveUp)
      this.#pending.delete(id)
    }
  }

  /** Whether somebody waited for it. */
  receive(response: RpcResponse): boolean {
    const clientRequest = this.#pending.get(response.id)
    clientRequest?.answer(response)
    return clientRequest !== undefined
  }

  /** The client is not going to answer: whoever waits for it, or asks from now on, is told so. @param why Begins the text for the model. */
  abandon(why = 'The client disconnected before it answered'): void {
    this.#abandoned = why
    for (const clientRequest of this.#pending.values()) clientRequest.stop(nobodyThere(why, 'the question'))
  }
}

function readResult({ result, error }: RpcResponse, method: ClientRequestMethod): unknown {
  // Some clients write both members.
  if (error === undefined || error === null) return result
  const { code, message } = isJsonObject(error) ? error : ({} as JsonObject)
  const text = typeof message === 'string' ? shorten(message, 500) : 'no reason given'
  throw new ClientRequestError(`The client refused ${method}: ${text}`, typeof code === 'number' ? code : null)
}

function tooLate(method: ClientRequestMethod, timeoutMs: number): ClientRequestError {
  return new ClientRequestError(`The client did not answer ${method} within ${timeoutMs / 1000} seconds.`)
}

function nobodyThere(why: string, what: string): ClientRequestError {
  return new ClientRequestError(`${why} ${what}.`)
}
