import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { wrapTask } from './tasks.js'

/** Changes what the official client receives, where it would lose something: tasks, and progress before a response. */
export function mendMessages(transport: Transport): void {
  const { onmessage } = transport
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no listeners
  transport.onmessage = (message: JSONRPCMessage, ...more) => {
    if ('method' in message) onmessage?.(message, ...more)
    // The official client handles notifications in a microtask, and forgets the listener of progress with the response.
    else queueMicrotask(() => onmessage?.(wrapTask(message), ...more))
  }
}
