import type { Principal } from '../context/principal.js'
import { LimitError } from '../errors/limit-error.js'
import { Exchange } from '../protocol/exchange.js'
import { Peer } from '../protocol/peer.js'
import { isRequestId, type RequestId } from '../rpc/messages.js'
import { errorResponse } from '../rpc/respond.js'
import type { McpServer } from '../server.js'

/** One client at the other end of a two-way channel: what stdio and the in-memory transport have in common. */
export class Connection {
  readonly #peer: Peer
  readonly #running = new Set<Promise<void>>()

  constructor(
    private readonly server: McpServer,
    private readonly send: (json: string) => void,
    private readonly principal: Principal | null,
  ) {
    this.#peer = new Peer({ send })
  }

  /** Serves a message in the background: a slow call holds up no other. */
  receive(message: unknown): void {
    const running = this.#serve(message)
    this.#running.add(running)
    void running
      .catch((error: unknown) => this.server.log.error({ err: error }, 'a message could not be answered'))
      .finally(() => this.#running.delete(running))
  }

  /** Resolves when no request is in flight. */
  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** There is nobody left to answer: cancels whatever is in flight. */
  gone(reason: string): void {
    this.#peer.gone(reason)
  }

  async #serve(message: unknown): Promise<void> {
    const { send } = this
    let leave: () => void
    try {
      leave = this.server.inFlight.enter(message)
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      send(errorResponse(idOf(message), error))
      return
    }
    try {
      const { body } = await this.server.receive(this.#exchange(message, leave))
      if (body !== null) send(body.toString())
    } finally {
      leave()
    }
  }

  #exchange(message: unknown, onListen: () => void): Exchange {
    const { principal, send, server } = this
    const { log } = server
    const peer = this.#peer
    return new Exchange({ message, headers: null, principal, log, peer, sessions: null, notify: send, onListen })
  }
}

function idOf(message: unknown): RequestId | undefined {
  const { id } = (message ?? {}) as { readonly id?: unknown }
  return isRequestId(id) ? id : undefined
}
