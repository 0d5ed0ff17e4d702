import { randomUUID } from 'node:crypto'
import { ProtocolError, principalKey } from '@toolwright/core'
import { type Output } from '@toolwright/core/host'
import { Connection, Outbox, whenExpired } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ConnectionQuota } from '../connections/connection-quota.js'
import { readyToBegin } from '../connections/pipelining.js'
import type { EndpointOptions } from '../options.js'
import { principalOf } from '../security/principal.js'
import { EventStream, sendStream } from '../streams/event-stream.js'
import { whenClosed } from '../streams/when-closed.js'
import { bodyEmpty } from './errors.js'
import { rejectMethod } from './reject-method.js'
import { withoutQuery } from './without-query.js'

interface Posted {
  readonly Querystring: { readonly sessionId?: unknown }
}

interface Opened {
  readonly connection: Connection
  /** Key of the principal that opened the stream. Messages of other principals are rejected. */
  readonly owner: string | null
  ready: Promise<unknown>
}

/**
 * Mounts HTTP+SSE of 2024-11-05. A GET opens the event stream to the client, and POSTs carry the client's messages. The
 * stream and the POSTs form one connection, like a connection over stdio. The connection ends with the stream.
 */
export function mountLegacySse(scope: FastifyInstance, endpoint: EndpointOptions): void {
  const connections = new Map<string, Opened>()
  const quota = new ConnectionQuota('sse_streams', 'Streams of HTTP+SSE', () => connections.size, endpoint.server)
  scope.get('/sse', { exposeHeadRoute: false }, (_request, reply) => {
    quota.check()
    return connect(reply, connections, endpoint)
  })
  const options = { bodyLimit: endpoint.server.limits.maxMessageBytes }
  scope.post<Posted>('/messages', options, (request, reply) => receive(request, reply, connections, endpoint))
  // The routes are needed for preflight requests, which browsers send if `cors` is on.
  scope.options('/sse', { onRequest: rejectMethod('GET') }, rejectMethod('GET'))
  scope.options('/messages', { onRequest: rejectMethod('POST') }, rejectMethod('POST'))
}

function connect(reply: FastifyReply, connections: Map<string, Opened>, endpoint: EndpointOptions): FastifyReply {
  const { server, closing, keepAliveMs } = endpoint
  const id = randomUUID()
  const stream = new EventStream(reply, server, keepAliveMs)
  const principal = principalOf(reply.request)
  const outbox = new Outbox(outputOf(stream), server)
  stream.whenDrained(() => outbox.drained())
  const connection = new Connection(server, outbox, principal, {
    transport: 'http',
    address: () => reply.request.ip,
  })
  connections.set(id, { connection, owner: principalKey(principal), ready: Promise.resolve() })
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
  stream.write(`${messagesBeside(reply.request)}?sessionId=${id}`, 'endpoint')
  return sendStream(reply, stream.readable, endpoint)
}

function outputOf(stream: EventStream): Output {
  return {
    get bufferedBytes() {
      return stream.bufferedBytes
    },
    write: (json) => stream.write(json as string),
    cut: () => stream.cut(),
  }
}

/** Returns a URL relative to the URL that the client called, because a proxy may have stripped a prefix. */
function messagesBeside({ originalUrl }: FastifyRequest): string {
  return withoutQuery(originalUrl).endsWith('/') ? '../messages' : 'messages'
}

async function receive(
  request: FastifyRequest<Posted>,
  reply: FastifyReply,
  connections: Map<string, Opened>,
  { server }: EndpointOptions,
): Promise<FastifyReply> {
  const { body } = request
  await readyToBegin(reply, server)
  const opened = findOpened(request, connections)
  if (body === undefined) throw bodyEmpty()
  // A client can pipeline hundreds of calls, but the results must not all be in memory at the same time. The next call
  // begins when the client has read the earlier results.
  opened.ready = opened.ready.then(() => opened.connection.readyForNext())
  await opened.ready
  // Each POST has its own principal and headers: the token of a POST may be newer than the token of the stream. The
  // connection is looked up again, because the client may have disconnected.
  findOpened(request, connections).connection.receive(body, principalOf(request), request.headers)
  return reply.code(202).send()
}

function findOpened(request: FastifyRequest<Posted>, connections: Map<string, Opened>): Opened {
  const opened = connections.get(String(request.query.sessionId))
  if (opened !== undefined && opened.owner === principalKey(principalOf(request))) return opened
  throw new ProtocolError('sessionNotFound', 'Session not found: open the stream again')
}
