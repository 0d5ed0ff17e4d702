import { LimitError, type McpServer } from '@toolwright/core'

/** How many connections of one kind may stay open at once, for each endpoint as many as there may be sessions. */
export class ConnectionQuota {
  #refused = 0

  /**
   * @param kind Prefix of the names of its metrics: `web_sockets`.
   * @param open How many there are.
   */
  constructor(
    kind: string,
    help: string,
    private readonly open: () => number,
    private readonly server: McpServer,
  ) {
    server.gauges.share({ name: `${kind}_open`, help, max: server.limits.maxSessions, read: open })
    server.gauges.share({
      name: `${kind}_refused_total`,
      help: `${help}, for which there was no room`,
      kind: 'counter',
      read: () => this.#refused,
    })
  }

  /** @throws LimitError when there is no room for another one. */
  check(): void {
    if (this.open() < this.server.limits.maxSessions) return
    this.#refused++
    throw new LimitError('unavailable', 'Too many connections are open', 10_000)
  }
}
