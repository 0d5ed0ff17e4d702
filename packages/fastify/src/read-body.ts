import type { IncomingMessage } from 'node:http'
import { constants, type Http2ServerRequest } from 'node:http2'
import { MessageTooLarge, startTimer } from '@toolwright/core/internal'
import { ByteBlocks } from './byte-blocks.js'
import { bodyTooLarge } from './refusals.js'

/** One body that is being read. */
interface Reading {
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

/** Reads a body to its end, or as far as it is refused. Calls `done` or `refuse`, once. */
export function readBody(reading: Reading): void {
  const { payload, raw, announced, maxBytes, refuse } = reading
  if (announced > maxBytes) refuse(bodyTooLarge(maxBytes))
  // What came together with the head is there in the next tick. Not where the application reads it, too, or has put
  // something in its place: by then they could have had it, or failed.
  else if (payload === raw && payload.readableFlowing === null) process.nextTick(readAtOnce, reading)
  else readPieces(reading)
}

/**
 * Fastify could read it (`parseAs`), but listens for each piece and copies them: a twentieth of a small call, which comes
 * in one piece and can be taken as it is.
 */
function readAtOnce(reading: Reading): void {
  const { payload, announced, done } = reading
  if (payload.readableLength !== announced || payload.destroyed) {
    readPieces(reading)
    return
  }
  done((payload.read() as Buffer | null) ?? empty)
  // To its end, which others may wait for.
  payload.resume()
}

const empty = Buffer.alloc(0)

/** Each piece costs a microsecond or two, however small. Only bodies of many pieces have to have some bytes in each. */
function hasTooManyPieces(pieces: number, length: number): boolean {
  return pieces > 10_000 + length / 100
}

function readPieces({ payload, raw, maxBytes, timeoutMs, done, refuse }: Reading): void {
  let blocks: ByteBlocks | null = null
  let length = 0
  let pieces = 0
  let isRefused = false
  const fail = (error: Error): void => {
    if (isRefused) return
    isRefused = true
    clearTimeout(timer)
    timer = limitTime(() => cut(raw))
    // What is refused is not kept, however long the client goes on.
    blocks = null
    payload.removeListener('data', onData)
    stopReading(payload, raw)
    refuse(error)
  }
  const onData = (piece: Buffer | string): void => {
    const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece
    length += chunk.length
    pieces++
    if (length > maxBytes) fail(bodyTooLarge(maxBytes))
    else if (hasTooManyPieces(pieces, length)) fail(tooManyPieces())
    else if (blocks === null) blocks = new ByteBlocks(chunk)
    else blocks.push(chunk)
  }
  // Node closes connections of HTTP/1, and leaves streams of HTTP/2 open for ever.
  const isTimed = timeoutMs > 0 && raw.httpVersionMajor === 2
  const limitTime = (onTimeout: () => void) => (isTimed && !raw.complete ? startTimer(onTimeout, timeoutMs) : undefined)
  let timer = limitTime(() => fail(tooSlow()))
  // What the application decompresses has no end where it is broken.
  if (isTimed) raw.once('close', () => clearTimeout(timer))
  payload.on('data', onData)
  payload.on('end', () => {
    clearTimeout(timer)
    // Node does it too, at several times the cost, for a request that still has one when it is answered.
    payload.removeListener('data', onData)
    if (isRefused) return
    const body = blocks?.join() ?? empty
    // What listens here stays as long as the request does, which can be open for days.
    blocks = null
    done(body)
  })
  // The client is gone, or what the application decompresses is broken.
  payload.on('error', (error: Error & { statusCode?: number }) => {
    error.statusCode ??= 400
    fail(error)
  })
  // A hook of the application may have paused it.
  payload.resume()
}

/**
 * A connection of HTTP/1 is closed with the answer, and nothing more is read from it. One of HTTP/2 carries other
 * requests: there the rest of this one is dropped as it comes, for as long as a body may take.
 */
function stopReading(payload: IncomingMessage, raw: IncomingMessage): void {
  if (raw.httpVersionMajor === 1) payload.pause()
  else payload.resume()
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
