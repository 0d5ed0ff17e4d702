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

export class EventStream {
  readonly readable = new Readable({ read: () => this.#onRead() })
  readonly #keepAlive: NodeJS.Timeout
  #onDrained: (() => void) | null = null

  constructor(
    private readonly reply: FastifyReply,
    private readonly server: Pick<RunningServer, 'limits' | 'cutStreams'>,
    keepAliveMs: number,
  ) {
    this.#keepAlive = setInterval(() => this.keepAlive(), keepAliveMs).unref()
    this.readable.once('close', () => clearInterval(this.#keepAlive))
  }

  /**
   * Sends a comment, which clients skip. The first comment also sends the headers. No comment is needed while the
   * client has not read everything.
   */
  keepAlive(): void {
    if (this.readable.readableLength === 0) this.#write(': keep-alive\n\n')
  }

  /**
   * Sends a message that precedes the response. Cuts the stream if the client leaves too many bytes unread. The size of
   * the message itself is not limited.
   */
  send(json: string): void {
    if (this.readable.readableLength > this.server.limits.maxBufferedBytes) this.cut()
    else this.write(json)
  }

  write(data: string, event = 'message'): void {
    this.#write(`event: ${event}\ndata: ${data}\n\n`)
  }

  /** @param json The response. Its size is limited, so it is also sent to a client that reads slowly. */
  end(json: string | null): void {
    if (json !== null) this.write(json)
    clearInterval(this.#keepAlive)
    if (!this.readable.destroyed) this.readable.push(null)
  }

  cut(): void {
    if (this.readable.destroyed) return
    this.server.cutStreams.count++
    this.readable.destroy()
  }

  get bufferedBytes(): number {
    const { raw } = this.reply
    return this.readable.readableLength + (raw.writableNeedDrain ? raw.writableLength : 0)
  }

  whenDrained(callback: () => void): void {
    this.#onDrained = callback
    this.reply.raw.on('drain', callback)
  }

  #onRead(): void {
    // The length of the buffer changes after this call.
    if (this.#onDrained !== null) process.nextTick(this.#onDrained)
  }

  #write(text: string): void {
    const { readable, reply, server } = this
    if (!readable.destroyed && boundWaiting(reply, text.length, server)) readable.push(text)
  }
}
