import { NotInTime, within } from '../../timing/within.js'
import type { SessionStreams } from './session-streams.js'

/** What nodes tell each other of the streams of a session. No client has anything to do with it. */
const [taken, left] = ['toolwright/stream_taken', 'toolwright/stream_left']

/** Who goes on with a stream at another node has it there alone: or each message would go out twice. */
export class Handover {
  #onLeft: () => void = () => undefined

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

  /**
   * The same, and resolves when the node that has it has told how far it came, or is not heard of for as long as that:
   * it may be gone.
   */
  async takeFrom(node: string, streamId: string, timeoutMs: number): Promise<void> {
    const hasLeft = new Promise<void>((resolve) => {
      this.#onLeft = resolve
    })
    await this.tell({ jsonrpc: '2.0', method: taken, params: { streamId, by: this.node, from: node } })
    await within(hasLeft, timeoutMs).catch(ignoreLate)
  }

  /** What another node told; what it is not about is left alone. */
  received(method: string, { streamId, by, from, delivered }: Readonly<Record<string, unknown>>): void {
    if (by === this.node) return
    if (method === taken && typeof streamId === 'string') {
      this.streams.taken(streamId)
      if (from === this.node) this.#leave()
    } else if (method === left && Number.isSafeInteger(delivered)) {
      this.streams.deliveredUpTo(delivered as number)
      this.#onLeft()
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
