import { type Limits, ProtocolError } from '@toolwright/core'
import { isLong, parseJson, yieldToEventLoop } from '@toolwright/core/internal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readBody } from './read-body.js'

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
