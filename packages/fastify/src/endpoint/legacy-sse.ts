import { randomUUID } from 'node:crypto'
import { ProtocolError, principalKey } from '@toolwright/core'
import { Connection, whenExpired } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ConnectionQuota } from '../connections/connection-quota.js'
import type { EndpointOptions } from '../options.js'
import { principalOf } from '../security/principal.js'
import { EventStream, sendStream } from '../streams/event-stream.js'
import { whenClosed } from '../streams/when-closed.js'
import { bodyEmpty } from './errors.js'
import { refuseMethod } from './refuse-method.js'
import { withoutQuery } from './without-query.js'

interface Posted {
  readonly Querystring: { readonly sessionId?: unknown }
}

interface Opened {
  readonly connection: Connection
  /** Who opened the stream: nobody else may send. */
  readonly owner: string | null
}

/**
 * HTTP+SSE of 2024-11-05: a GET whose stream of events is the way to the client, and POSTs that are the way back.
 * Together they are one connection, as stdio is, and it ends with the stream.
 */
export function mountLegacySse(scope: FastifyInstance, endpoint: EndpointOptions): void {
  const connections = new Map<string, Opened>()
  const quota = new ConnectionQuota('sse_streams', 'Streams of HTTP+SSE', () => connections.size, endpoint.server)
  scope.get('/sse', { exposeHeadRoute: false }, (_request, reply) => {
    quota.check()
    return connect(reply, connections, endpoint)
  })
  const options = { bodyLimit: endpoint.server.limits.maxMessageBytes }
  scope.post<Posted>('/messages', options, (request, reply) => receive(request, reply, connections))
  // Browsers ask by it whether a page may call, where `cors` is on.
  scope.options('/sse', { onRequest: refuseMethod('GET') }, refuseMethod('GET'))
  scope.options('/messages', { onRequest: refuseMethod('POST') }, refuseMethod('POST'))
}

function connect(reply: FastifyReply, connections: Map<string, Opened>, endpoint: EndpointOptions): FastifyReply {
  const { server, closing, keepAliveMs } = endpoint
  const id = randomUUID()
  const stream = new EventStream(reply, server, keepAliveMs)
  const principal = principalOf(reply.request)
  const connection = new Connection(server, (json) => stream.send(json), principal, { address: () => reply.request.ip })
  connections.set(id, { connection, owner: principalKey(principal) })
  const stopWaiting = whenExpired(principal, () => void connection.expire().then(() => stream.end(null)))
  whenClosed(reply, () => {
    stopWaiting()
    connections.delete(id)
    connection.gone('the client disconnected')
  })
  closing.endWith(reply, () => {
    connection.closing()
    connection.inputEnded()
    void connection.idle().then(() => stream.end(null))
  })
  stream.send(`${messagesBeside(reply.request)}?sessionId=${id}`, 'endpoint')
  return sendStream(reply, stream.readable, endpoint)
}

/** Relative to the URL that the client called: only the client knows the prefix that a proxy may have stripped. */
function messagesBeside({ originalUrl }: FastifyRequest): string {
  return withoutQuery(originalUrl).endsWith('/') ? '../messages' : 'messages'
}

function receive(request: FastifyRequest<Posted>, reply: FastifyReply, connections: Map<string, Opened>) {
  const { body, query } = request
  const opened = connections.get(String(query.sessionId))
  if (opened === undefined || opened.owner !== principalKey(principalOf(request))) {
    throw new ProtocolError('sessionNotFound', 'Session not found: open the stream again')
  }
  if (body === undefined) throw bodyEmpty()
  // Each says what its sender may do, and what it is part of: the token of this one can be a newer one.
  opened.connection.receive(body, principalOf(request), request.headers)
  return reply.code(202).send()
}
