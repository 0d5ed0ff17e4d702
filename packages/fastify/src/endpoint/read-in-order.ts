import type { IncomingMessage } from 'node:http'

/** Bodies that are being read or wait for those before them, by connection of HTTP/1. */
const queues = new WeakMap<object, (() => void)[]>()

/**
 * Begins to read a body when those before it on the same connection of HTTP/1 were read. They may come without end, one behind
 * the other, and long ones wait for their turn: of what nobody reads yet, Node takes a few pieces and no more. The streams of
 * HTTP/2 have a bound of their own.
 *
 * @returns To be called when it is read, or never will be.
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
