import type { Principal } from '../context/principal.js'
import { Exchange } from '../protocol/exchange.js'
import { Peer } from '../protocol/peer.js'
import type { McpServer } from '../server.js'

/** One client at the other end of a two-way channel: what stdio and the in-memory transport have in common. */
export class Connection {
  readonly #peer: Peer
  readonly #running = new Set<Promise<void>>()

  /**
   * @param send For answers, which are waited for.
   * @param notify For what comes before them or belongs to none.
   */
  constructor(
    private readonly server: McpServer,
    private readonly send: (json: string) => void,
    private readonly principal: Principal | null,
    private readonly notify: (json: string) => void = send,
  ) {
    this.#peer = new Peer({ send: notify })
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
    const { principal, send, notify, server } = this
    const exchange = new Exchange({
      message,
      headers: null,
      principal,
      log: server.log,
      peer: this.#peer,
      sessions: null,
      notify,
    })
    const { body } = await server.receive(exchange)
    if (body !== null) send(body.toString())
  }
}
