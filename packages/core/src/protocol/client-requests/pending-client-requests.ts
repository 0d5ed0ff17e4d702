import { randomUUID } from 'node:crypto'
import { shorten } from '@toolwright/schema'
import type { ClientRequestMethod } from '../../client-requests/client-request.js'
import type { Sender } from '../../context/progress.js'
import { ClientRequestError } from '../../errors/client-request-errors.js'
import { isJsonObject, type JsonObject, notification, type RpcResponse } from '../../rpc/messages.js'
import { startLongTimer } from '../../timing/long-timer.js'

const maxPending = 100

export interface ClientRequestCounters {
  pending: number
  rejected: number
}

export interface ClientRequestSender extends Sender {
  /** Cancels a client request, even after its call has ended, because the user could still see the request. */
  sendCancellation(json: string): void
}

interface PendingClientRequest {
  readonly method: ClientRequestMethod
  readonly params?: JsonObject | undefined
  readonly sender: ClientRequestSender
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly counter: ClientRequestCounters
}

export class PendingClientRequests {
  readonly #pending = new Map<unknown, { answer(response: RpcResponse): void; stop(reason: Error): void }>()
  /** Reason why the client can no longer answer; `null` while the client can answer. */
  #abandoned: string | null = null

  /**
   * Sends a request. @returns The client's result, not validated. @throws ClientRequestError; the signal's reason if
   * the call ends first.
   */
  async ask({ method, params, sender, timeoutMs, signal, counter }: PendingClientRequest): Promise<unknown> {
    if (this.#pending.size >= maxPending) {
      counter.rejected++
      throw new ClientRequestError(`The client has ${maxPending} unanswered requests.`)
    }
    if (this.#abandoned !== null) throw clientGone(this.#abandoned, method)
    signal.throwIfAborted()
    const id = randomUUID()
    let giveUp: (() => void) | null = null
    let timer: NodeJS.Timeout | undefined
    counter.pending++
    try {
      const response = await new Promise<RpcResponse>((resolve, reject) => {
        const stop = (reason: Error): void => {
          sender.sendCancellation(notification('notifications/cancelled', { requestId: id, reason: reason.message }))
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

  receive(response: RpcResponse): boolean {
    const clientRequest = this.#pending.get(response.id)
    clientRequest?.answer(response)
    return clientRequest !== undefined
  }

  /**
   * Fails all pending and future requests, because the client cannot answer. @param why Start of the error message for
   * the model.
   */
  abandon(why = 'The client disconnected before it answered'): void {
    this.#abandoned = why
    for (const clientRequest of this.#pending.values()) clientRequest.stop(clientGone(why, 'the question'))
  }
}

function readResult({ result, error }: RpcResponse, method: ClientRequestMethod): unknown {
  // Some clients send both `result` and `error`, with `null` as the error.
  if (error === undefined || error === null) return result
  const { code, message } = isJsonObject(error) ? error : ({} as JsonObject)
  const text = typeof message === 'string' ? shorten(message, 500) : 'no reason given'
  throw new ClientRequestError(`The client rejected ${method}: ${text}`, typeof code === 'number' ? code : null)
}

function tooLate(method: ClientRequestMethod, timeoutMs: number): ClientRequestError {
  return new ClientRequestError(`The client did not answer ${method} within ${timeoutMs / 1000} seconds.`)
}

function clientGone(why: string, what: string): ClientRequestError {
  return new ClientRequestError(`${why} ${what}.`)
}
