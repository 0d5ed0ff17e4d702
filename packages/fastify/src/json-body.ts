import type { Limits } from '@toolwright/core'
import { ProtocolError, parseJson } from '@toolwright/core/internal'
import type { FastifyInstance } from 'fastify'

/** Reads bodies as the protocol wants them: JSON in strict UTF-8, of bounded size and depth, and nothing else. */
export function acceptRawJson(scope: FastifyInstance, { maxMessageBytes, maxDepth }: Limits): void {
  scope.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer', bodyLimit: maxMessageBytes } as const
  scope.addContentTypeParser<Buffer>('application/json', options, (_request, body, done) => {
    try {
      // Whether there has to be a body is for the method to say.
      done(null, body.length === 0 ? undefined : parseJson(body, maxDepth))
    } catch (error) {
      done(error as ProtocolError)
    }
  })
}
