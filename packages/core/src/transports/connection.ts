import type { Principal } from '../context/principal.js'
import { Exchange } from '../protocol/exchange.js'
import { Peer } from '../protocol/peer.js'
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

  /**
   * Serves a message in the background: a slow call holds up no other.
   *
   * @param principal Who sent it, where each message says so by itself. Default: whose connection it is.
   */
  receive(message: unknown, principal: Principal | null = this.principal): void {
    const running = this.#serve(message, principal)
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

  async #serve(message: unknown, principal: Principal | null): Promise<void> {
    const { send, server } = this
    const exchange = new Exchange({
      message,
      headers: null,
      principal,
      log: server.log,
      peer: this.#peer,
      sessions: null,
      notify: send,
    })
    const { body } = await server.receive(exchange)
    if (body !== null) send(body.toString())
  }
}
