import { LimitError } from '@toolwright/core'
import { type RunningServer } from '@toolwright/core/transport'

export class ConnectionQuota {
  #rejected = 0

  /**
   * @param kind Prefix of the metric names, such as `web_sockets`.
   * @param open Returns the number of open connections.
   */
  constructor(
    kind: string,
    help: string,
    private readonly open: () => number,
    private readonly server: Pick<RunningServer, 'gauges' | 'limits'>,
  ) {
    server.gauges.share({ name: `${kind}_open`, help, max: server.limits.maxSessions, read: open })
    server.gauges.share({
      name: `${kind}_rejected_total`,
      help: `${help} rejected by the limit`,
      kind: 'counter',
      read: () => this.#rejected,
    })
  }

  check(): void {
    if (this.open() < this.server.limits.maxSessions) return
    this.#rejected++
    throw new LimitError('unavailable', 'Too many connections are open', 10_000)
  }
}
