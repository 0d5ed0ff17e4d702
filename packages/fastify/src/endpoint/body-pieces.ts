import type { IncomingMessage } from 'node:http'
import { constants, type Http2ServerRequest } from 'node:http2'
import { isLong, MessageTooLarge, startLongTimer, yieldToEventLoop } from '@toolwright/core/host'
import { ByteBlocks } from './byte-blocks.js'
import { bodyTooLarge } from './errors.js'
import { readInOrder } from './read-in-order.js'

export interface Reading {
  readonly payload: IncomingMessage
  readonly raw: IncomingMessage
  /** Value of `Content-Length`; NaN without the header. */
  readonly announced: number
  readonly maxBytes: number
  /** Timeout of the whole body in milliseconds. 0 means no timeout. */
  readonly timeoutMs: number
  readonly done: (body: Buffer) => void
  readonly reject: (error: Error) => void
}

export const emptyBody = Buffer.alloc(0)

export class BodyPieces {
  readonly #isTimed: boolean
  #blocks: ByteBlocks | null = null
  #length = 0
  #count = 0
  #isRejected = false
  #timer: NodeJS.Timeout | undefined
  #wasRead: () => void = () => undefined

  constructor(private readonly reading: Reading) {
    // Node's own timeout closes HTTP/1 connections. HTTP/2 streams would stay open, so they need this timer.
    this.#isTimed = reading.timeoutMs > 0 && reading.raw.httpVersionMajor === 2
  }

  read(): void {
    const { payload, raw } = this.reading
    this.#limitTime(() => this.#reject(tooSlow()))
    // A decompression stream that failed emits no `end`, so closing the request stops the timer as well.
    if (this.#isTimed) raw.once('close', () => clearTimeout(this.#timer))
    payload.on('end', () => this.#end())
    // This error means that the client disconnected, or that the compressed body is invalid.
    payload.on('error', (error: Error & { statusCode?: number }) => {
      error.statusCode ??= 400
      this.#reject(error)
    })
    this.#wasRead = readInOrder(raw, () => {
      if (this.#isRejected) return
      payload.on('data', this.#push)
      // A hook of the application may have paused the stream.
      payload.resume()
    })
    // A decompression stream may never end, but later bodies must not wait forever.
    if (payload !== raw) raw.once('close', () => this.#wasRead())
  }

  readonly #push = (piece: Buffer | string): void => {
    const { maxBytes } = this.reading
    const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece
    this.#length += chunk.length
    this.#count++
    if (this.#length > maxBytes) this.#reject(bodyTooLarge(maxBytes))
    else if (hasTooManyPieces(this.#count, this.#length)) this.#reject(tooManyPieces())
    else if (this.#blocks === null) this.#blocks = new ByteBlocks(chunk)
    else this.#blocks.push(chunk)
  }

  #end(): void {
    const { payload, done } = this.reading
    const blocks = this.#blocks
    clearTimeout(this.#timer)
    // Removes the listener now: Node would remove it after the answer, at several times the cost.
    payload.removeListener('data', this.#push)
    if (this.#isRejected) return
    // The listeners stay in memory until the request closes, which can take days: release the blocks.
    this.#blocks = null
    if (isLong(blocks)) void this.#endInTurn(blocks as ByteBlocks)
    else {
      this.#wasRead()
      done(blocks?.join() ?? emptyBody)
    }
  }

  /**
   * Joins the blocks of a long body in a separate turn of the event loop. If many bodies were joined in one turn, they
   * would take twice the memory.
   */
  async #endInTurn(blocks: ByteBlocks): Promise<void> {
    await yieldToEventLoop('read')
    this.#wasRead()
    if (!this.#isRejected) this.reading.done(blocks.join())
  }

  #reject(error: Error): void {
    if (this.#isRejected) return
    this.#isRejected = true
    this.#wasRead()
    const { payload, raw, reject } = this.reading
    clearTimeout(this.#timer)
    this.#limitTime(() => cut(raw))
    // The client may continue to send: release the blocks.
    this.#blocks = null
    payload.removeListener('data', this.#push)
    stopReading(payload, raw)
    reject(error)
  }

  #limitTime(onTimeout: () => void): void {
    const { raw, timeoutMs } = this.reading
    if (this.#isTimed && !raw.complete) this.#timer = startLongTimer(onTimeout, timeoutMs)
  }
}

/**
 * Whether the chunks are too small. The server needs 1 or 2 µs for each chunk. Only the first 10,000 chunks may have
 * any size.
 */
function hasTooManyPieces(pieces: number, length: number): boolean {
  return pieces > 10_000 + length / 100
}

/**
 * Stops reading a rejected body. An HTTP/1 connection is closed after the answer. An HTTP/2 connection carries other
 * requests, so the rest of the body is discarded as it arrives, until the timeout.
 */
function stopReading(payload: IncomingMessage, raw: IncomingMessage): void {
  if (raw.httpVersionMajor === 1) payload.pause()
}

function tooManyPieces(): MessageTooLarge {
  return new MessageTooLarge(
    'Content Too Large: the message comes in too many chunks. Send larger chunks',
    'bodyTooLarge',
  )
}

/**
 * Ends an HTTP/2 stream after its response. If the stream ends with the response, some clients wait forever to send the
 * rest of the body.
 */
function cut(raw: IncomingMessage & Partial<Pick<Http2ServerRequest, 'stream'>>): void {
  raw.stream?.close(constants.NGHTTP2_CANCEL)
}

/** Creates the error that Node uses for slow HTTP/1 requests: status 408. */
function tooSlow(): Error {
  return Object.assign(new Error('the body did not arrive in time'), { statusCode: 408 })
}
