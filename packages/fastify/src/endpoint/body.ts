import { type Limits, ProtocolError } from '@toolwright/core'
import { isLong, parseJson, yieldToEventLoop } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BodyPieces, emptyBody, type Reading } from './body-pieces.js'
import { bodyTooLarge } from './errors.js'

/** Reads bodies as the protocol wants them: JSON in strict UTF-8, within the limits, and nothing else. */
export function acceptRawJson(scope: FastifyInstance, limits: Limits): void {
  // It is there, though its type does not say so.
  const { requestTimeout: timeoutMs = 0 } = scope.initialConfig as { readonly requestTimeout?: number }
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', (request, payload, done) => {
    const serveLong = async (message: unknown): Promise<void> => {
      await yieldToEventLoop('serve')
      done(null, message)
    }
    const refusal = findRefusal(request, payload === request.raw)
    if (refusal !== null) {
      done(refusal)
      return
    }
    const parse = (body: Buffer): void => {
      try {
        // Whether there has to be a body is for the method to say.
        const message = body.length === 0 ? undefined : parseJson(body, limits)
        if (isLong(body)) void serveLong(message)
        else done(null, message)
      } catch (error) {
        done(error as ProtocolError)
      }
    }
    const announced = Number(request.headers['content-length'])
    const { maxMessageBytes: maxBytes } = limits
    readBody({ payload, raw: request.raw, announced, maxBytes, timeoutMs, done: parse, refuse: done })
  })
}

const otherCharset = /;\s*charset\s*=\s*(?!"?(?:utf-?8|us-ascii)"?\s*(?:;|$))/i

/**
 * Of a body in another form than it is read in.
 *
 * @param isAsSent `false`: something before has decoded it.
 */
function findRefusal({ headers }: FastifyRequest, isAsSent: boolean): ProtocolError | null {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers
  if (isAsSent && encoding.toLowerCase() !== 'identity') {
    return unsupported('send the body without Content-Encoding')
  }
  return otherCharset.test(type) ? unsupported('send UTF-8') : null
}

function unsupported(advice: string): ProtocolError {
  return new ProtocolError('unsupportedMediaType', `Unsupported Media Type: ${advice}`)
}

/** Reads a body to its end, or as far as it is refused. Calls `done` or `refuse`, once. */
export function readBody(reading: Reading): void {
  const { payload, raw, announced, maxBytes, refuse } = reading
  if (announced > maxBytes) refuse(bodyTooLarge(maxBytes))
  // Its end will not come a second time.
  else if (payload.readableEnded) refuse(readBefore())
  // What came together with the head is there in the next tick. Not where the application reads it, too, or has put
  // something in its place: by then they could have had it, or failed.
  else if (payload === raw && payload.readableFlowing === null) process.nextTick(readAtOnce, reading)
  else new BodyPieces(reading).read()
}

/**
 * Fastify could read it (`parseAs`), but listens for each piece and copies them: a twentieth of a small call, which comes
 * in one piece and can be taken as it is.
 */
function readAtOnce(reading: Reading): void {
  const { payload, announced, done } = reading
  if (payload.readableLength !== announced || payload.destroyed) {
    new BodyPieces(reading).read()
    return
  }
  // By its length: Node 26 gives the first piece to whoever does not say how much, and it may have come in several.
  done((payload.read(announced) as Buffer | null) ?? emptyBody)
  // To its end, which others may wait for.
  payload.resume()
}

function readBefore(): Error {
  return new Error(
    'the body of the request was read before the endpoint got it, by something such as express.json(). ' +
      'Hand the request over before anything reads its body.',
  )
}
