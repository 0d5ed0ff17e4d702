import { Socket } from 'node:net'
import { isLong } from '@toolwright/core/internal'
import type { FastifyReply } from 'fastify'
import type { EndpointOptions } from '../options.js'
import { whenClosed } from './when-closed.js'

type Bounding = Pick<EndpointOptions['server'], 'limits' | 'cutStreams'>

export interface Sending {
  readonly server: Bounding
  readonly keepAliveMs: number
}

/** Bytes that wait for answers before them: of each connection, and of each response. */
const waiting = new WeakMap<object, number>()

/**
 * Bounds what is kept of answers for clients that do not read. One of HTTP/1 can send requests without end, one behind the
 * other, whose answers then wait for the first; there is room for a whole result, because that may only take its time.
 *
 * @returns Whether there is anybody left to answer.
 */
export function boundUnread(reply: FastifyReply, answer: string | Buffer, sending: Sending): boolean {
  if (!boundWaiting(reply, answer.length, sending.server)) return false
  if (isLong(answer)) cutWhenNotRead(reply, sending)
  return true
}

/** The same of a piece of an answer, such as an event. */
export function boundWaiting(reply: FastifyReply, bytes: number, server: Bounding): boolean {
  // A response of HTTP/1 has its connection when its turn has come, and one of HTTP/2 from the beginning.
  return reply.raw.socket !== null || wait(reply, bytes, server)
}

/** A client that takes nothing of what waits for it is gone, or holds it for ever. */
export function cutWhenNotRead({ raw, request, server }: FastifyReply, sending: Sending): void {
  raw.setTimeout(3 * sending.keepAliveMs, () => {
    sending.server.cutStreams.count++
    raw.destroy()
  })
  if (request.raw.httpVersionMajor !== 1) return
  // Node leaves the limit on the connection of HTTP/1, where the next call may take its time.
  raw.prependOnceListener('finish', () => {
    if (raw.socket instanceof Socket) raw.socket.setTimeout(server.server.timeout)
  })
}

/** What waits counts, not the answer itself. @returns Whether it may wait; else its connection is cut. */
function wait(reply: FastifyReply, bytes: number, { limits, cutStreams }: Bounding): boolean {
  const connection = reply.request.raw.socket
  if (connection.destroyed) return false
  const before = waiting.get(connection) ?? 0
  if (before > limits.maxResultBytes) {
    cutStreams.count++
    connection.destroy()
    return false
  }
  const own = waiting.get(reply.raw)
  waiting.set(connection, before + bytes)
  waiting.set(reply.raw, (own ?? 0) + bytes)
  if (own === undefined) {
    const end = (): void => forget(reply.raw, connection)
    reply.raw.once('socket', end)
    whenClosed(reply, end)
  }
  return true
}

function forget(response: object, connection: object): void {
  waiting.set(connection, (waiting.get(connection) ?? 0) - (waiting.get(response) ?? 0))
  waiting.delete(response)
}
