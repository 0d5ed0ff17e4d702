import type { IncomingMessage } from 'node:http'
import { constants, type Http2ServerRequest } from 'node:http2'
import { isLong, MessageTooLarge, startLongTimer, yieldToEventLoop } from '@toolwright/core/transport'
import { ByteBlocks } from './byte-blocks.js'
import { bodyTooLarge } from './errors.js'
import { readInOrder } from './read-in-order.js'

/** One body that is being read. */
export interface Reading {
  /** What it is read from: the request, or what the application decompresses it with. */
  readonly payload: IncomingMessage
  readonly raw: IncomingMessage
  /** Bytes that its client says it has; NaN where it does not. */
  readonly announced: number
  readonly maxBytes: number
  /** Milliseconds for all of it. 0: as long as it takes. */
  readonly timeoutMs: number
  readonly done: (body: Buffer) => void
  readonly refuse: (error: Error) => void
}

export const emptyBody = Buffer.alloc(0)

/** A body that comes piece by piece: put together to its end, or as far as it is refused. */
export class BodyPieces {
  readonly #isTimed: boolean
  #blocks: ByteBlocks | null = null
  #length = 0
  #count = 0
  #isRefused = false
  #timer: NodeJS.Timeout | undefined
  /** Lets the next body of the connection be read. */
  #wasRead: () => void = () => undefined

  constructor(private readonly reading: Reading) {
    // Node closes connections of HTTP/1, and leaves streams of HTTP/2 open for ever.
    this.#isTimed = reading.timeoutMs > 0 && reading.raw.httpVersionMajor === 2
  }

  read(): void {
    const { payload, raw } = this.reading
    this.#limitTime(() => this.#refuse(tooSlow()))
    // What the application decompresses has no end where it is broken.
    if (this.#isTimed) raw.once('close', () => clearTimeout(this.#timer))
    payload.on('end', () => this.#end())
    // The client is gone, or what the application decompresses is broken.
    payload.on('error', (error: Error & { statusCode?: number }) => {
      error.statusCode ??= 400
      this.#refuse(error)
    })
    this.#wasRead = readInOrder(raw, () => {
      if (this.#isRefused) return
      payload.on('data', this.#push)
      // A hook of the application may have paused it.
      payload.resume()
    })
    // What the application makes of it need not end, and lets others pass.
    if (payload !== raw) raw.once('close', () => this.#wasRead())
  }

  readonly #push = (piece: Buffer | string): void => {
    const { maxBytes } = this.reading
    const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece
    this.#length += chunk.length
    this.#count++
    if (this.#length > maxBytes) this.#refuse(bodyTooLarge(maxBytes))
    else if (hasTooManyPieces(this.#count, this.#length)) this.#refuse(tooManyPieces())
    else if (this.#blocks === null) this.#blocks = new ByteBlocks(chunk)
    else this.#blocks.push(chunk)
  }

  #end(): void {
    const { payload, done } = this.reading
    const blocks = this.#blocks
    clearTimeout(this.#timer)
    // Node does it too, at several times the cost, for a request that still has one when it is answered.
    payload.removeListener('data', this.#push)
    if (this.#isRefused) return
    // What listens here stays as long as the request does, which can be open for days.
    this.#blocks = null
    if (isLong(blocks)) void this.#endInTurn(blocks as ByteBlocks)
    else {
      this.#wasRead()
      done(blocks?.join() ?? emptyBody)
    }
  }

  /** Many long ones may end at once: each takes no more than its bytes until its turn, in which it is joined and read. */
  async #endInTurn(blocks: ByteBlocks): Promise<void> {
    await yieldToEventLoop('read')
    this.#wasRead()
    if (!this.#isRefused) this.reading.done(blocks.join())
  }

  #refuse(error: Error): void {
    if (this.#isRefused) return
    this.#isRefused = true
    this.#wasRead()
    const { payload, raw, refuse } = this.reading
    clearTimeout(this.#timer)
    this.#limitTime(() => cut(raw))
    // What is refused is not kept, however long the client goes on.
    this.#blocks = null
    payload.removeListener('data', this.#push)
    stopReading(payload, raw)
    refuse(error)
  }

  #limitTime(onTimeout: () => void): void {
    const { raw, timeoutMs } = this.reading
    if (this.#isTimed && !raw.complete) this.#timer = startLongTimer(onTimeout, timeoutMs)
  }
}

/** Each piece costs a microsecond or two, however small. Only bodies of many pieces have to have some bytes in each. */
function hasTooManyPieces(pieces: number, length: number): boolean {
  return pieces > 10_000 + length / 100
}

/**
 * A connection of HTTP/1 is closed with the answer, and nothing more is read from it. One of HTTP/2 carries other
 * requests: there the rest of this one is dropped as it comes, for nobody listens to it, for as long as a body may take.
 */
function stopReading(payload: IncomingMessage, raw: IncomingMessage): void {
  if (raw.httpVersionMajor === 1) payload.pause()
}

function tooManyPieces(): MessageTooLarge {
  return new MessageTooLarge(
    'Content Too Large: the message comes in too many pieces. Send larger ones',
    'bodyTooLarge',
  )
}

/** Ends a stream of HTTP/2, whose answer was sent. Not with it: there are clients that then wait for ever to send the rest. */
function cut(raw: IncomingMessage & Partial<Pick<Http2ServerRequest, 'stream'>>): void {
  raw.stream?.close(constants.NGHTTP2_CANCEL)
}

/** As Node answers it. */
function tooSlow(): Error {
  return Object.assign(new Error('the body did not come in time'), { statusCode: 408 })
}
