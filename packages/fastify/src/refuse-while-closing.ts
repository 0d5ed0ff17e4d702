import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LimitError } from '@toolwright/core'
import { errorResponse } from '@toolwright/core/internal'
import { retryAfterSeconds } from './send-error.js'
import { withoutQuery } from './without-query.js'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Refuses what comes for these paths as an endpoint refuses everything else. Fastify, which is asked about other paths
 * only, refuses requests by now before any hook could say something, and in words of its own. All hear when to try again.
 */
export function refuseWhileClosing(http: EventEmitter, paths: ReadonlySet<string>): void {
  const others = http.listeners('request') as Listener[]
  http.removeAllListeners('request')
  http.on('request', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('retry-after', retryAfterSeconds)
    if (paths.has(withoutQuery(request.url ?? ''))) refuse(request, response)
    else for (const listener of others) listener.call(http, request, response)
  })
}

function refuse({ httpVersionMajor }: IncomingMessage, response: ServerResponse): void {
  const error = new LimitError('unavailable', 'The server is closing', retryAfterSeconds * 1000)
  const body = errorResponse(undefined, error)
  response.statusCode = error.status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(body))
  // A connection of HTTP/2 has no such header.
  if (httpVersionMajor === 1) response.setHeader('connection', 'close')
  response.end(body)
}
