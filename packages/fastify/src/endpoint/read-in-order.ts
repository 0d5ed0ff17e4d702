import type { IncomingMessage } from 'node:http'

/** Callbacks of the bodies that are read or wait for earlier bodies, by HTTP/1 connection. */
const queues = new WeakMap<object, (() => void)[]>()

/**
 * Begins to read a body after all earlier bodies of the same HTTP/1 connection. A client can pipeline any number of
 * requests, and long bodies wait for their turn. Node buffers only a few chunks of a body that is not read yet. HTTP/2
 * has its own flow control.
 *
 * @returns Function to call when the body has been read or given up.
 */
export function readInOrder({ httpVersionMajor, socket }: IncomingMessage, begin: () => void): () => void {
  const queue = (httpVersionMajor === 1 ? queues.get(socket) : undefined) ?? []
  if (httpVersionMajor === 1) queues.set(socket, queue)
  if (queue.push(begin) === 1) begin()
  return () => {
    const index = queue.indexOf(begin)
    if (index < 0) return
    queue.splice(index, 1)
    if (index === 0) queue[0]?.()
  }
}
