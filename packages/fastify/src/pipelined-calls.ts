import type { Socket } from 'node:net'
import { Pace } from '@toolwright/core/internal'
import type { FastifyReply } from 'fastify'
import type { EndpointOptions } from './options.js'
import { whenClosed } from './when-closed.js'

/** Responses of one connection that are made without any wait, though those before them are not sent. */
const responsesAtOnce = 4

/** Milliseconds in which a client has to take an answer that further ones wait for. */
const maxStallMs = 4_000

/** Bytes that a request takes at least, with its headers and its reply. */
const bytesOfRequest = 1024

type Server = EndpointOptions['server']

/** The calls of a connection of HTTP/1 that a client sends without waiting for the answers. */
class Pipeline {
  readonly pace: Pace
  /** Calls begin in their order, each when the one before it did. */
  #last = Promise.resolve()
  #waitingBytes = 0

  constructor(
    private readonly socket: Socket,
    private readonly server: Server,
  ) {
    this.pace = new Pace(server.limits.maxBufferedBytes, responsesAtOnce)
  }

  /** Resolves when the call may begin; never when its client has left by then. */
  add(reply: FastifyReply): Promise<void> {
    const { server } = this
    const bytes = bytesOfRequest + (Number(reply.request.headers['content-length']) || 0)
    this.#waitingBytes += bytes
    if (this.#waitingBytes > bytesOfRequest + server.limits.maxMessageBytes) this.#cut()
    const begins = this.#beginAfter(this.#last, reply, bytes)
    this.#last = begins.then(() => undefined)
    return begins.then((isOpen) => (isOpen ? undefined : new Promise<never>(() => undefined)))
  }

  /** @returns Whether the client is still there. */
  async #beginAfter(last: Promise<void>, reply: FastifyReply, bytes: number): Promise<boolean> {
    await last
    await this.#whenReady()
    this.#waitingBytes -= bytes
    if (this.socket.destroyed) return false
    this.pace.begun()
    whenClosed(reply, () => this.pace.ended())
    return true
  }

  async #whenReady(): Promise<void> {
    const ready = this.pace.next()
    if (ready === null) return
    const { socket } = this
    let { bytesWritten } = socket
    const timer = setInterval(() => {
      // A slow call may be before them, and the client take its time.
      if (socket.writableLength > 0 && socket.bytesWritten === bytesWritten) this.#cut()
      bytesWritten = socket.bytesWritten
    }, maxStallMs)
    await ready
    clearInterval(timer)
  }

  #cut(): void {
    const { socket, server } = this
    if (socket.destroyed) return
    server.cutStreams.count++
    socket.destroy()
  }
}

const pipelines = new WeakMap<Socket, Pipeline>()

function pipelineOf({ request }: FastifyReply, server: Server): Pipeline {
  const { socket } = request.raw
  const pipeline = pipelines.get(socket) ?? new Pipeline(socket, server)
  pipelines.set(socket, pipeline)
  return pipeline
}

/**
 * Waits where calls before this one on its connection of HTTP/1 are not answered, until there is room for its answer. One piece
 * of input has room for hundreds of calls, whose answers are kept until those before them are sent.
 *
 * @returns `null` where it may begin at once.
 */
export function readyToBegin(reply: FastifyReply, server: Server): Promise<void> | null {
  // A response of HTTP/1 has its connection when its turn has come, and one of HTTP/2 from the beginning.
  return reply.raw.socket === null ? pipelineOf(reply, server).add(reply) : null
}

/** A long answer was made, which takes its memory until it is sent. */
export function holdAnswer(reply: FastifyReply, server: Server, bytes: number): void {
  if (reply.request.raw.httpVersionMajor !== 1) return
  const { pace } = pipelineOf(reply, server)
  pace.hold(bytes)
  whenClosed(reply, () => pace.release(bytes))
}
