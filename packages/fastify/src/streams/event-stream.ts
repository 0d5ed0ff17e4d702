import { Readable } from 'node:stream'
import type { RunningServer } from '@toolwright/core/transport'
import type { FastifyReply } from 'fastify'
import { boundWaiting, cutWhenNotRead, type Sending } from '../connections/pipelining.js'
import { isClosed } from './when-closed.js'

const headers = {
  'content-type': 'text/event-stream',
  // Not compressed on the way: HAProxy, whose own compressor does not flush, keeps the end of an event until the next one.
  'cache-control': 'no-cache, no-transform',
  // Or nginx collects events until its buffer is full.
  'x-accel-buffering': 'no',
}

/** Sends a stream of events. A client that takes nothing at all is gone: a living one gets a comment now and then. */
export function sendStream(reply: FastifyReply, stream: Readable, sending: Sending): FastifyReply {
  // A GET has no body, so nobody reads it. A stream of HTTP/2 that is reset without an error, while something is on its way,
  // Node then keeps for as long as the connection, and the connection for as long as the stream.
  reply.request.raw.resume()
  // Fastify would wait for the end of what has ended.
  if (isClosed(reply)) {
    stream.destroy()
    return reply.hijack()
  }
  cutWhenNotRead(reply, sending)
  return reply.headers(headers).send(stream)
}

/** A response that is a stream of server-sent events. */
export class EventStream {
  readonly readable = new Readable({ read: () => undefined })
  readonly #keepAlive: NodeJS.Timeout

  constructor(
    private readonly reply: FastifyReply,
    private readonly server: Pick<RunningServer, 'limits' | 'cutStreams'>,
    keepAliveMs: number,
  ) {
    this.#keepAlive = setInterval(() => this.keepAlive(), keepAliveMs).unref()
    this.readable.once('close', () => clearInterval(this.#keepAlive))
  }

  /** A comment, which clients skip. The first one also sends the head of the response. */
  keepAlive(): void {
    this.#write(': keep-alive\n\n')
  }

  send(data: string, event = 'message'): void {
    this.#write(`event: ${event}\ndata: ${data}\n\n`)
  }

  end(json: string | null): void {
    if (json !== null) this.send(json)
    clearInterval(this.#keepAlive)
    if (!this.readable.destroyed) this.readable.push(null)
  }

  /**
   * A client that does not read must not fill the server's memory: its stream is cut. What waits counts, not the message
   * itself, because a result may be larger than the buffer.
   */
  #write(text: string): void {
    const { readable, reply, server } = this
    if (readable.destroyed || !boundWaiting(reply, text.length, server)) return
    if (readable.readableLength <= server.limits.maxBufferedBytes) {
      readable.push(text)
      return
    }
    server.cutStreams.count++
    readable.destroy()
  }
}
