import { type Limits, ProtocolError } from '@toolwright/core'
import { isLong, yieldToEventLoop } from '@toolwright/core/host'
import { parseJson } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BodyPieces, emptyBody, type Reading } from './body-pieces.js'
import { bodyTooLarge } from './errors.js'

/** Parses bodies as the spec requires: JSON in strict UTF-8, within the limits. Other content types are rejected. */
export function acceptRawJson(scope: FastifyInstance, limits: Limits): void {
  // Fastify sets `requestTimeout`, but its type lacks the property.
  const { requestTimeout: timeoutMs = 0 } = scope.initialConfig as { readonly requestTimeout?: number }
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', (request, payload, done) => {
    const serveLong = async (message: unknown): Promise<void> => {
      await yieldToEventLoop('serve')
      done(null, message)
    }
    const rejection = findRejection(request, payload === request.raw)
    if (rejection !== null) {
      done(rejection)
      return
    }
    const parse = (body: Buffer): void => {
      try {
        // Accepts an empty body, because the handler of the method decides whether a body is required.
        const message = body.length === 0 ? undefined : parseJson(body, limits)
        if (isLong(body)) void serveLong(message)
        else done(null, message)
      } catch (error) {
        done(error as ProtocolError)
      }
    }
    const announced = Number(request.headers['content-length'])
    const { maxMessageBytes: maxBytes } = limits
    readBody({ payload, raw: request.raw, announced, maxBytes, timeoutMs, done: parse, reject: done })
  })
}

const otherCharset = /;\s*charset\s*=\s*(?!"?(?:utf-?8|us-ascii)"?\s*(?:;|$))/i

/**
 * Returns the error for an unsupported encoding or charset.
 *
 * @param isAsSent `false` if the application has decoded the body.
 */
function findRejection({ headers }: FastifyRequest, isAsSent: boolean): ProtocolError | null {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers
  if (isAsSent && encoding.toLowerCase() !== 'identity') {
    return unsupported('send the body without Content-Encoding')
  }
  return otherCharset.test(type) ? unsupported('send UTF-8') : null
}

function unsupported(advice: string): ProtocolError {
  return new ProtocolError('unsupportedMediaType', `Unsupported Media Type: ${advice}`)
}

function readBody(reading: Reading): void {
  const { payload, raw, announced, maxBytes, reject } = reading
  if (announced > maxBytes) reject(bodyTooLarge(maxBytes))
  // A stream that has ended does not emit `end` again, so the body is lost.
  else if (payload.readableEnded) reject(readBefore())
  // Data that arrived with the headers is readable in the next tick. If the application reads or has replaced the
  // stream, do not wait for the tick: by then, the data could be lost.
  else if (payload === raw && payload.readableFlowing === null) process.nextTick(readAtOnce, reading)
  else new BodyPieces(reading).read()
}

/**
 * Reads a body that arrived in one piece, without Fastify's `parseAs`. `parseAs` listens for each chunk and copies it,
 * which takes 5 % of the time of a small call.
 */
function readAtOnce(reading: Reading): void {
  const { payload, announced, done } = reading
  if (payload.readableLength !== announced || payload.destroyed) {
    new BodyPieces(reading).read()
    return
  }
  // The length is necessary: without it, Node 26 returns only the first of several chunks.
  done((payload.read(announced) as Buffer | null) ?? emptyBody)
  // Emits `end`, which other code may wait for.
  payload.resume()
}

function readBefore(): Error {
  return new Error(
    'the body of the request was read before it reached the endpoint, for example by express.json(). ' +
      'Pass the request on before its body is read.',
  )
}
