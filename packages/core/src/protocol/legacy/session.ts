import type { Principal } from '../../context/principal.js'
import type { RequestId } from '../../rpc/messages.js'
import { Peer } from '../peer.js'
import type { SessionStreams } from './session-streams.js'

/** A legacy HTTP session: what its `initialize` agreed, its requests in flight, its streams. Never a proof of identity. */
export class Session extends Peer {
  lastUsed = 0

  constructor(
    readonly id: string,
    private readonly subject: string | null,
    readonly streams: SessionStreams,
    private readonly onUse: () => void,
  ) {
    super(streams)
  }

  /** A session is idle from the end of its last request on, not from its beginning. */
  override end(id: RequestId): void {
    super.end(id)
    this.onUse()
  }

  belongsTo(principal: Principal | null): boolean {
    return this.subject === (principal?.subject ?? null)
  }

  /** Whether a request runs, or the client listens. */
  get isInUse(): boolean {
    return this.inFlight > 0 || this.streams.isFollowed
  }

  override gone(reason: string): void {
    super.gone(reason)
    this.streams.close()
  }
}
