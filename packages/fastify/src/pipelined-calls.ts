import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { EndpointOptions } from './options.js'
import { whenClosed } from './streams/when-closed.js'

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
