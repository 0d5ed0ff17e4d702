import type { FastifyInstance, FastifyReply } from 'fastify'

/** Whether the application closes, and what has to end for that. */
export class Closing {
  #hasBegun = false
  readonly #endings = new Set<() => void>()

  constructor(scope: FastifyInstance) {
    scope.addHook('preClose', (done) => {
      this.#hasBegun = true
      for (const end of this.#endings) end()
      done()
    })
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Has `end` called when the application closes, for a response that would never end by itself. */
  endWith(reply: FastifyReply, end: () => void): void {
    if (this.#hasBegun) end()
    this.#endings.add(end)
    reply.raw.once('close', () => this.#endings.delete(end))
  }

  /**
   * Has the connection closed after this response, whose head has said that it stays. While the application closes,
   * connections are not kept alive: they would hold it open until they time out.
   */
  freeConnection({ raw, server }: FastifyReply): void {
    raw.once('finish', () => {
      if (this.#hasBegun) server.server.closeIdleConnections()
    })
  }
}
