import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { isLong } from '@toolwright/core/transport'
import type { FastifyReply } from 'fastify'
import type { EndpointOptions } from '../options.js'
import { whenClosed } from '../streams/when-closed.js'

/** Calls of one connection that run while an answer before theirs is not sent. */
const maxAhead = 2

/** Bytes that a waiting request takes at least, with its headers and its reply. */
const bytesOfRequest = 1024

interface Waiting {
  readonly bytes: number
  readonly begin: () => void
}

/** The calls of a connection of HTTP/1 that its client sends without waiting for the answers. */
class Pipeline {
  readonly #waiting: Waiting[] = []
  #ahead = 0
  #waitingBytes = 0

  constructor(
    private readonly socket: Socket,
    private readonly maxWaitingBytes: number,
  ) {}

  /** @returns `null` where the call may begin at once. The promise never resolves when the client leaves before. */
  add(reply: FastifyReply): Promise<void> | null {
    if (this.#ahead < maxAhead && this.#waiting.length === 0) {
      this.#count(reply)
      return null
    }
    const bytes = bytesOfRequest + (Number(reply.request.headers['content-length']) || 0)
    this.#waitingBytes += bytes
    if (this.#isFull) this.socket.pause()
    return new Promise((resolve) => {
      this.#waiting.push({
        bytes,
        begin: () => {
          this.#count(reply)
          resolve()
        },
      })
    })
  }

  get #isFull(): boolean {
    return this.#waitingBytes > this.maxWaitingBytes
  }

  /** The call is ahead until its answer is the one to be sent. */
  #count(reply: FastifyReply): void {
    if (reply.raw.socket !== null) return
    this.#ahead++
    let isAhead = true
    const end = (): void => {
      if (!isAhead) return
      isAhead = false
      this.#ahead--
      this.#beginNext()
    }
    reply.raw.once('socket', end)
    whenClosed(reply, end)
  }

  #beginNext(): void {
    if (this.socket.destroyed) return
    const wasFull = this.#isFull
    while (this.#ahead < maxAhead) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      this.#waitingBytes -= next.bytes
      next.begin()
    }
    if (wasFull && !this.#isFull) this.socket.resume()
  }
}

const pipelines = new WeakMap<Socket, Pipeline>()

/**
 * Lets a call wait while answers before its own are not sent. One piece of input holds hundreds of calls, and HTTP/1 keeps
 * their answers until those before them are sent.
 *
 * @returns `null` where it may begin at once.
 */
export function readyToBegin(reply: FastifyReply, { limits }: EndpointOptions['server']): Promise<void> | null {
  // A response of HTTP/1 has its connection when its turn has come, and one of HTTP/2 from the beginning.
  if (reply.raw.socket !== null) return null
  const { socket } = reply.request.raw
  const pipeline = pipelines.get(socket) ?? new Pipeline(socket, limits.maxMessageBytes)
  pipelines.set(socket, pipeline)
  return pipeline.add(reply)
}

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
