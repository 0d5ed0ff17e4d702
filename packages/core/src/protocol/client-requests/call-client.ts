import type { ClientRequester } from '../../client-requests/client-request.js'
import type { ClientLink } from '../../context/mcp-context.js'
import type { RequestCall } from '../request-call.js'
import type { ClientRequestSender } from './pending-client-requests.js'

/** Methods whose handlers are allowed to send client requests. Spec: basic/mrtr, "Supported Requests". */
export const clientRequestMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

export class CallClient implements ClientLink, ClientRequestSender {
  constructor(readonly call: RequestCall) {}

  notify(json: string): void {
    const { exchange, cancellation } = this.call
    // After a cancellation, no message is sent, not even a message of an abort listener.
    if (!exchange.isAnswered && cancellation.reason === null) exchange.send(json)
  }

  sendCancellation(json: string): void {
    const { exchange } = this.call
    if (!exchange.isAnswered) exchange.send(json)
  }

  closeStream(): void {
    const { exchange } = this.call
    if (!exchange.isAnswered) exchange.hooks?.cutStream?.()
  }

  get sessionId(): string | null {
    const { era, peer } = this.call
    return era.name === 'modern' ? null : (peer?.sessionId ?? null)
  }

  openClientRequester(): ClientRequester {
    const { request, era } = this.call
    // Throws a plain `Error`, because a client request of another method is a bug in the handler.
    if (!clientRequestMethods.has(request.method))
      throw new Error(`Only tools, prompts and resources can send requests to the client, not ${request.method}.`)
    return era.openClientRequester(this.call)
  }
}
