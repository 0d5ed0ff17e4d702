import { NotInTime, within } from '../../timing/within.js'
import { channelId } from './event-id.js'
import type { SessionStreams } from './session-streams.js'

/** What nodes tell each other of the streams of a session. No client has anything to do with it. */
const [taken, left] = ['toolwright/stream_taken', 'toolwright/stream_left']

/** Who goes on with a stream at another node has it there alone: or each message would go out twice. */
export class Handover {
  readonly #onLeft = new Set<() => void>()
  /** The node that had the GET stream and has yet to hear that this one has it: to tell it may have failed. */
  #before: string | null = null

  /**
   * @param node Names this one among those that share the session.
   * @param tell Tells all of them.
   */
  constructor(
    private readonly node: string,
    private readonly streams: SessionStreams,
    private readonly tell: (message: object) => void | Promise<void>,
  ) {}

  /** Has the other nodes end their connections to this stream. Rejects when they cannot be told. */
  async take(streamId: string): Promise<void> {
    await this.tell({ jsonrpc: '2.0', method: taken, params: { streamId, by: this.node } })
  }

  /** The client had the GET stream at this node, says the store. */
  found(node: string | null): void {
    if (node !== null && node !== this.node) this.#before = node
  }

  /**
   * Has the node end that had the GET stream, if another one had it.
   *
   * @param waitMs How long that may take to tell how far it came: it may be gone. 0: nobody needs to know.
   */
  async takeChannel(waitMs: number): Promise<void> {
    const from = this.#before
    if (from === null) return
    if (waitMs === 0) await this.take(channelId)
    else await this.#takeChannelFrom(from, waitMs)
    if (this.#before === from) this.#before = null
  }

  async #takeChannelFrom(from: string, waitMs: number): Promise<void> {
    let onLeft = (): void => undefined
    const hasLeft = new Promise<void>((resolve) => {
      onLeft = resolve
    })
    this.#onLeft.add(onLeft)
    try {
      await this.tell({ jsonrpc: '2.0', method: taken, params: { streamId: channelId, by: this.node, from } })
      await within(hasLeft, waitMs).catch(ignoreLate)
    } finally {
      this.#onLeft.delete(onLeft)
    }
  }

  /** What another node told; what it is not about is left alone. */
  received(method: string, { streamId, by, from, delivered }: Readonly<Record<string, unknown>>): void {
    if (by === this.node) return
    if (method === taken && typeof streamId === 'string') {
      this.streams.taken(streamId)
      if (from === this.node) this.#leave()
    } else if (method === left && Number.isSafeInteger(delivered)) {
      this.streams.deliveredUpTo(delivered as number)
      for (const onLeft of this.#onLeft) onLeft()
    }
  }

  /** Whoever is not told waits no longer than it has to. */
  #leave(): void {
    const params = { by: this.node, delivered: this.streams.delivered }
    const ignore = (): void => undefined
    void Promise.resolve()
      .then(() => this.tell({ jsonrpc: '2.0', method: left, params }))
      .catch(ignore)
  }
}

function ignoreLate(error: unknown): void {
  if (!(error instanceof NotInTime)) throw error
}
