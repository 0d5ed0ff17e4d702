import { Readable } from 'node:stream'
import type { RunningServer } from '@toolwright/core/transport'
import type { FastifyReply } from 'fastify'
import { boundWaiting, cutWhenNotRead, type Sending } from '../connections/pipelining.js'
import { isClosed } from './when-closed.js'

const headers = {
  'content-type': 'text/event-stream',
  // Forbids compression by proxies: HAProxy's compressor does not flush, so the end of an event would wait for the next
  // event.
  'cache-control': 'no-cache, no-transform',
  // Prevents nginx from buffering events.
  'x-accel-buffering': 'no',
}

/** Sends an event stream. The stream is cut if the client reads nothing, not even the regular comments. */
export function sendStream(reply: FastifyReply, stream: Readable, sending: Sending): FastifyReply {
  // Reads the body to its end, although a GET has no body. Otherwise, Node leaks an HTTP/2 stream that was reset
  // without an error during a transfer: the stream and its connection keep each other alive.
  reply.request.raw.resume()
  // If the response has already ended, Fastify would wait for its end forever.
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

  /** Sends a comment, which clients skip. The first comment also sends the headers. */
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
   * Writes to the stream. Cuts the stream if the client leaves too many bytes unread. The size of the message itself is
   * not limited, because a result may be larger than the buffer.
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
