import type { ExtendedSocket } from '@toolwright/core'

/** High water mark in bytes: while the buffer of the connection contains more, chunks wait. */
const mark = 256 * 1024

interface Queued {
  readonly owner: object
  readonly frame: string | Uint8Array
  readonly sent: () => void
}

/** Sends the chunks of all streams of a connection in turn, as fast as the client reads. */
export class SendQueue {
  readonly #mark: number
  #queued: Queued[] = []
  #inBuffer = 0

  constructor(
    private readonly socket: ExtendedSocket,
    maxBufferedBytes: number,
  ) {
    this.#mark = Math.min(mark, maxBufferedBytes / 2)
  }

  /**
   * @param owner The stream. The stream sends its next chunk when the returned promise has resolved, or at once after
   * `null`.
   */
  send(owner: object, frame: string | Uint8Array): Promise<void> | null {
    if (this.#queued.length === 0 && this.#hasRoom) {
      this.#send(frame)
      return null
    }
    return new Promise((sent) => this.#queued.push({ owner, frame, sent }))
  }

  drop(owner: object): void {
    this.#queued = this.#queued.filter((queued) => queued.owner !== owner)
  }

  get #hasRoom(): boolean {
    // Responses of JSON-RPC may fill the buffer, too. If no chunk of this queue is in the buffer, a chunk is sent
    // anyway, because nothing else would continue the queue.
    return this.#inBuffer === 0 || this.socket.bufferedBytes < this.#mark
  }

  #send(frame: string | Uint8Array): void {
    this.#inBuffer++
    this.socket.send(frame, this.#onSent)
  }

  readonly #onSent = (): void => {
    this.#inBuffer--
    while (this.#queued.length > 0 && this.#hasRoom) {
      const next = this.#queued.shift() as Queued
      this.#send(next.frame)
      next.sent()
    }
  }
}
