import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/** Responses of HTTP/1 that wait for those before them, by connection. */
const queues = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * Has a response end with its connection. Node ends the one whose turn it is, and forgets those behind it without a word:
 * what was made for them, such as a subscription, would be there for ever.
 */
export function endWithConnection({ raw, request }: FastifyReply): void {
  // One of HTTP/1 has its connection when its turn has come, and one of HTTP/2 from the beginning.
  if (raw.socket !== null) return
  const { socket } = request.raw
  // While a hook of the application took its time.
  if (socket.destroyed) return end(raw)
  const queue = queues.get(socket) ?? watch(socket)
  queue.add(raw)
  raw.once('close', () => queue.delete(raw))
}

function watch(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>()
  queues.set(socket, queue)
  socket.once('close', () => queue.forEach(end))
  return queue
}

/** As Node ends the one whose turn it is. */
function end(response: ServerResponse): void {
  if (response.socket !== null) return
  response.destroy()
  response.emit('close')
}
