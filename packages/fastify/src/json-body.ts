import type { Limits, ProtocolError } from '@toolwright/core'
import { isLong, parseJson, readInTurn } from '@toolwright/core/internal'
import type { FastifyInstance } from 'fastify'
import { readBody } from './read-body.js'

/** Reads bodies as the protocol wants them: JSON in strict UTF-8, within the limits, and nothing else. */
export function acceptRawJson(scope: FastifyInstance, limits: Limits): void {
  // It is there, though its type does not say so.
  const { requestTimeout: timeoutMs = 0 } = scope.initialConfig as { readonly requestTimeout?: number }
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', (request, payload, done) => {
    const parse = (body: Buffer): void => {
      try {
        // Whether there has to be a body is for the method to say.
        done(null, body.length === 0 ? undefined : parseJson(body, limits))
      } catch (error) {
        done(error as ProtocolError)
      }
    }
    const parseLong = async (body: Buffer): Promise<void> => {
      try {
        done(null, await readInTurn(body, limits))
      } catch (error) {
        done(error as ProtocolError)
      }
    }
    const read = (body: Buffer): void => {
      if (isLong(body)) void parseLong(body)
      else parse(body)
    }
    const announced = Number(request.headers['content-length'])
    const { maxMessageBytes: maxBytes } = limits
    readBody({ payload, raw: request.raw, announced, maxBytes, timeoutMs, done: read, refuse: done })
  })
}
