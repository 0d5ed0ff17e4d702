import type { IncomingMessage } from 'node:http'
import type { Limits } from '@toolwright/core'
import { ProtocolError, parseJson } from '@toolwright/core/internal'
import type { FastifyInstance } from 'fastify'
import { ByteBlocks } from './byte-blocks.js'

/** Reads bodies as the protocol wants them: JSON in strict UTF-8, within the limits, and nothing else. */
export function acceptRawJson(scope: FastifyInstance, limits: Limits): void {
  const { maxMessageBytes } = limits
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', ({ headers }, payload, done) => {
    const parse = (body: Buffer): void => {
      try {
        // Whether there has to be a body is for the method to say.
        done(null, body.length === 0 ? undefined : parseJson(body, limits))
      } catch (error) {
        done(error as ProtocolError)
      }
    }
    if (Number(headers['content-length']) > maxMessageBytes) {
      done(tooLarge(maxMessageBytes))
      return
    }
    // What came together with the head is there by then.
    process.nextTick(readBody, payload, maxMessageBytes, parse, done)
  })
}

/**
 * Fastify could read it (`parseAs`), but listens for each piece and copies them: a twentieth of a small call, which comes
 * in one piece and can be taken as it is.
 */
function readBody(
  payload: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer) => void,
  refuse: (error: Error) => void,
): void {
  // What the application decompresses has no `complete`.
  if (!payload.complete || payload.destroyed) {
    readPieces(payload, maxBytes, done, refuse)
    return
  }
  const body = (payload.read() as Buffer | null) ?? empty
  if (body.length > maxBytes) refuse(tooLarge(maxBytes))
  else done(body)
}

const empty = Buffer.alloc(0)

/**
 * Each piece costs microseconds, however small: bodies of many pieces have a hundred bytes in each, and no honest client
 * sends less at a time.
 */
function hasTooManyPieces(pieces: number, length: number): boolean {
  return pieces > 1000 + length / 100
}

function readPieces(
  payload: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer) => void,
  refuse: (error: Error) => void,
): void {
  let blocks: ByteBlocks | null = null
  let length = 0
  let pieces = 0
  let isRefused = false
  const fail = (error: Error): void => {
    if (isRefused) return
    isRefused = true
    // What is refused is not kept, nor read any further: its connection is closed with the answer.
    blocks = null
    payload.removeListener('data', onData)
    payload.pause()
    refuse(error)
  }
  const onData = (chunk: Buffer): void => {
    length += chunk.length
    pieces++
    if (length > maxBytes) fail(tooLarge(maxBytes))
    else if (hasTooManyPieces(pieces, length)) fail(tooManyPieces())
    else if (blocks === null) blocks = new ByteBlocks(chunk)
    else blocks.push(chunk)
  }
  payload.on('data', onData)
  payload.on('end', () => {
    // Node does it too, at several times the cost, for a request that still has one when it is answered.
    payload.removeListener('data', onData)
    if (!isRefused) done(blocks?.join() ?? empty)
  })
  // The client is gone, or what the application decompresses is broken.
  payload.on('error', (error: Error & { statusCode?: number }) => {
    error.statusCode ??= 400
    fail(error)
  })
}

function tooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError('bodyTooLarge', `Content Too Large: a message has at most ${maxBytes} bytes`)
}

function tooManyPieces(): ProtocolError {
  return new ProtocolError('bodyTooLarge', 'Content Too Large: the message comes in too many pieces. Send larger ones')
}
