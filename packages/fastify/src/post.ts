import type { McpServer } from '@toolwright/core'
import { type Answer, Exchange, ProtocolError } from '@toolwright/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Accepted, readAccept } from './accept.js'
import { EventStream } from './event-stream.js'

/** Whether the application has begun to close. */
export interface Closing {
  hasBegun: boolean
}

export interface PostOptions {
  readonly server: McpServer
  readonly sessions: boolean
  readonly closing: Closing
}

/** One exchange per POST. The answer is plain JSON, unless something has to be sent before it. */
export function createPostHandler({ server, sessions, closing }: PostOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.body === undefined) throw new ProtocolError('parseError', 'Parse error: the body is empty')
    const response = new PostResponse(reply, readAccept(request.headers.accept), server.limits.maxBufferedBytes)
    const exchange = new Exchange({
      message: request.body,
      headers: request.headers,
      principal: null,
      log: request.log as never,
      peer: null,
      sessions: sessions ? server.sessions : null,
      notify: (json) => response.notify(json),
    })
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) exchange.disconnected()
    })
    const answer = await server.receive(exchange)
    if (closing.hasBegun) response.closeAfterwards()
    return response.end(answer)
  }
}

/** Decides as late as possible between JSON and a stream of events: a status can only be set before the first byte. */
class PostResponse {
  #stream: EventStream | null = null

  constructor(
    private readonly reply: FastifyReply,
    private readonly accepted: Accepted,
    private readonly maxBufferedBytes: number,
  ) {}

  notify(json: string): void {
    if (this.accepted.events) this.#openStream().sendMessage(json)
  }

  end(answer: Answer): FastifyReply {
    const { reply } = this
    if (answer.sessionId !== undefined) reply.header('mcp-session-id', answer.sessionId)
    // For a client that takes nothing but events, a good answer is an event too.
    if (!this.accepted.json && answer.status === 200) this.#openStream()
    if (this.#stream !== null) {
      this.#stream.end(answer.body?.toString() ?? null)
      return reply
    }
    reply.code(answer.status)
    if (answer.body === null) return reply.send()
    return reply.header('content-type', 'application/json; charset=utf-8').send(answer.body)
  }

  /** Ends the connection with this response. */
  closeAfterwards(): void {
    const { reply } = this
    if (this.#stream === null) reply.header('connection', 'close')
    // The head of a stream has gone out already, and it said that the connection stays.
    else reply.raw.once('finish', () => reply.server.server.closeIdleConnections())
  }

  #openStream(): EventStream {
    if (this.#stream !== null) return this.#stream
    this.#stream = new EventStream(this.maxBufferedBytes)
    this.reply.headers(EventStream.headers).send(this.#stream.readable)
    return this.#stream
  }
}
