import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { lostResponse } from '../errors.js'
import { type Receiver, receive, receiverOf } from './raw-request.js'
import { wrapTask } from './tasks.js'

/**
 * Works around gaps of the official client, which rejects tasks, loses progress just before the response, and does not
 * notice a stream that ends without a response.
 */
export function mendMessages(transport: Transport): void {
  const { onmessage } = transport
  const send = transport.send.bind(transport)
  const pending = new Set<unknown>()
  const receivers = new Map<unknown, Receiver>()
  transport.send = (message, options) => {
    // Drops a cancelled request, because its stream ends without a response.
    if ('method' in message && message.method === 'notifications/cancelled')
      pending.delete(message.params?.['requestId'])
    if (!('method' in message && 'id' in message) || options?.onRequestStreamEnd !== undefined)
      return send(message, options)
    const { id } = message
    pending.add(id)
    const receiver = receiverOf(message)
    if (receiver !== null) {
      receivers.set(id, receiver)
      receiver.release = () => receivers.delete(id)
    }
    // Without this error, the official client would wait for the response until its timeout.
    const onRequestStreamEnd = (): void => {
      if (pending.has(id)) transport.onmessage?.({ jsonrpc: '2.0', id, error: lostResponse })
    }
    return send(message, { ...options, onRequestStreamEnd })
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no listeners
  transport.onmessage = (message: JSONRPCMessage, ...more) => {
    if ('method' in message) onmessage?.(message, ...more)
    // Delays responses by a microtask, as the official client delays notifications. Otherwise, progress just before a
    // response would be lost.
    else {
      const receiver = receivers.get(message.id)
      pending.delete(message.id)
      const mended = receiver === undefined ? wrapTask(message) : receive(message, receiver)
      void Promise.resolve().then(() => onmessage?.(mended, ...more))
    }
  }
}
