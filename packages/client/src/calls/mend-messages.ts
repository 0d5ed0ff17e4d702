import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { lostResponse } from '../errors.js'
import { wrapTask } from './tasks.js'

/** Changes what the official client receives, where it would lose something: tasks, progress before a response, and ends of streams. */
export function mendMessages(transport: Transport): void {
  const { onmessage } = transport
  const send = transport.send.bind(transport)
  const pending = new Set<unknown>()
  transport.send = (message, options) => {
    // The stream of a cancelled request ends without a response.
    if ('method' in message && message.method === 'notifications/cancelled')
      pending.delete(message.params?.['requestId'])
    if (!('method' in message && 'id' in message) || options?.onRequestStreamEnd !== undefined)
      return send(message, options)
    const { id } = message
    pending.add(id)
    // The official client would wait for the response until its timeout.
    const onRequestStreamEnd = (): void => {
      if (pending.has(id)) transport.onmessage?.({ jsonrpc: '2.0', id, error: lostResponse })
    }
    return send(message, { ...options, onRequestStreamEnd })
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no listeners
  transport.onmessage = (message: JSONRPCMessage, ...more) => {
    if ('method' in message) onmessage?.(message, ...more)
    // The official client handles notifications in a microtask, and forgets the listener of progress with the response.
    else {
      pending.delete(message.id)
      queueMicrotask(() => onmessage?.(wrapTask(message), ...more))
    }
  }
}
