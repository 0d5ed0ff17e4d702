import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { isLong } from '@toolwright/core/host'
import type { FastifyReply } from 'fastify'
import type { EndpointOptions } from '../options.js'
import { whenClosed } from '../streams/when-closed.js'

const maxAhead = 2

/** Minimum size of a waiting request in bytes, with its headers and its reply. */
const bytesOfRequest = 1024

interface Waiting {
  readonly bytes: number
  readonly begin: () => void
}

class Pipeline {
  readonly #waiting: Waiting[] = []
  #ahead = 0
  #waitingBytes = 0

  constructor(
    private readonly socket: Socket,
    private readonly maxWaitingBytes: number,
  ) {}

  /**
   * @returns `null` if the call may begin at once; otherwise, a promise that resolves when it may begin. The promise
   * never resolves if the client disconnects first.
   */
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

  /** Counts the call as running ahead until all earlier answers of its connection are sent. */
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
 * Delays a call while earlier answers of its connection are unsent. Otherwise, one chunk of input with hundreds of
 * calls would fill the memory: HTTP/1 has to buffer their answers.
 *
 * @returns `null` if the call may begin at once.
 */
export function readyToBegin(reply: FastifyReply, { limits }: EndpointOptions['server']): Promise<void> | null {
  // A response with a socket is sent at once: a pipelined HTTP/1 response gets the socket only at the head of the
  // queue.
  if (reply.raw.socket !== null) return null
  const { socket } = reply.request.raw
  const pipeline = pipelines.get(socket) ?? new Pipeline(socket, limits.maxMessageBytes)
  pipelines.set(socket, pipeline)
  return pipeline.add(reply)
}

/** HTTP/1 responses that wait for earlier responses, by connection. */
const queues = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * Ends a queued response together with its connection. Node ends only the response at the head of the queue, so
 * resources of the other responses, such as subscriptions, would leak.
 */
export function endQueuedWithConnection({ raw, request }: FastifyReply): void {
  const { socket } = request.raw
  // The client may have left while a hook of the application ran.
  if (socket.destroyed) return endResponse(raw)
  const queue = queues.get(socket) ?? watch(socket)
  queue.add(raw)
  raw.once('close', () => queue.delete(raw))
}

function watch(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>()
  queues.set(socket, queue)
  socket.once('close', () => queue.forEach(endResponse))
  return queue
}

function endResponse(response: ServerResponse): void {
  if (response.socket !== null) return
  response.destroy()
  response.emit('close')
}

type Bounding = Pick<EndpointOptions['server'], 'limits' | 'cutStreams'>

export interface Sending {
  readonly server: Bounding
  readonly keepAliveMs: number
}

/** Bytes of answers that wait for earlier answers, by connection and by response. */
const waiting = new WeakMap<object, number>()

/**
 * Limits the memory of answers for clients that do not read. An HTTP/1 client can pipeline any number of requests, and
 * all answers wait for the first answer. The limit permits one whole result to wait, because the first answer may take
 * long to send.
 *
 * @returns Whether the client is still connected.
 */
export function limitUnread(reply: FastifyReply, answer: string | Buffer, sending: Sending): boolean {
  // Only a queued HTTP/1 response has no socket yet.
  if (reply.raw.socket === null && !wait(reply, answer.length, sending.server)) return false
  if (isLong(answer)) cutWhenNotRead(reply, sending)
  return true
}

/** Applies the limit of {@link limitUnread} to a part of an answer, such as an event. */
export function boundWaiting(reply: FastifyReply, bytes: number, server: Bounding): boolean {
  // Only a queued HTTP/1 response has no socket yet.
  return reply.raw.socket !== null || wait(reply, bytes, server)
}

/** Cuts a response if its client reads nothing for `3 * keepAliveMs`. */
export function cutWhenNotRead({ raw, request, server }: FastifyReply, sending: Sending): void {
  raw.setTimeout(3 * sending.keepAliveMs, () => {
    // The client has read everything: not the client, but this process was inactive, such as at a breakpoint.
    if (raw.writableLength === 0) return
    sending.server.cutStreams.count++
    raw.destroy()
  })
  if (request.raw.httpVersionMajor !== 1) return
  // Node would keep the timeout on the HTTP/1 socket, and the next call on the socket may take longer.
  raw.prependOnceListener('finish', () => {
    if (raw.socket instanceof Socket) raw.socket.setTimeout(server.server.timeout)
  })
}

/**
 * Adds the bytes of an answer to the waiting bytes. The limit applies to the bytes that waited before. @returns `false`
 * if the connection was cut.
 */
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
    const end = (): void => release(reply.raw, connection)
    reply.raw.once('socket', end)
    whenClosed(reply, end)
  }
  return true
}

function release(response: object, connection: object): void {
  waiting.set(connection, (waiting.get(connection) ?? 0) - (waiting.get(response) ?? 0))
  waiting.delete(response)
}
