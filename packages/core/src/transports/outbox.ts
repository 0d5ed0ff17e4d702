import type { RunningServer } from '../server/running-server.js'

export type Outgoing = string | Uint8Array

export interface Output {
  /**
   * Bytes in the send buffer that the client has not read. Return 0 if nothing will call {@link Outbox.drained}, such as while a
   * Node stream needs no drain.
   */
  readonly bufferedBytes: number
  /** @param onSent Call it when the message has left the send buffer. */
  write(message: Outgoing, onSent?: () => void): void
  cut(): void
}

export interface Paused {
  hold(): void
  release(): void
}

const maxShared = 16

interface Waiting {
  readonly message: Outgoing
  readonly onSent: (() => void) | undefined
  readonly isResponse: boolean
  /** Bytes that count toward the limit of all connections. */
  readonly sharedBytes: number
}

/**
 * Sends the messages of one connection as fast as its client reads. While more than `maxBufferedBytes` are in the send buffer,
 * messages wait here, in order, and the transport reads no further requests. Responses of running calls are kept. A client that
 * leaves more than `maxBufferedBytes` of other messages waiting is disconnected.
 */
export class Outbox {
  #waiting: Waiting[] = []
  #responses = 0
  #others = 0
  #isFull = false
  #isClosed = false
  readonly #paused: Paused[] = []
  #onFlushed: (() => void)[] = []

  constructor(
    private readonly output: Output,
    private readonly server: Pick<RunningServer, 'limits' | 'cutStreams' | 'sharedUnread'>,
  ) {}

  /** Bytes that wait for the send buffer. */
  get waitingBytes(): number {
    return this.#responses + this.#others
  }

  /** Registers a part of the transport to stop while the client reads too slowly. */
  whenFull(paused: Paused): void {
    this.#paused.push(paused)
  }

  /** Sends a response. @returns `false` for a response that is dropped, because too many responses are unread. */
  respond(message: string): boolean {
    if (this.#isClosed) return true
    if (!this.#isFull) {
      this.#write(message)
      return true
    }
    const sharedBytes = this.#share(message.length)
    if (sharedBytes === null) return false
    this.#responses += message.length
    this.#waiting.push({ message, onSent: undefined, isResponse: true, sharedBytes })
    return true
  }

  /** Sends a message other than a response. */
  send(message: Outgoing, onSent?: () => void): void {
    if (this.#isClosed) return
    if (!this.#isFull) {
      this.#write(message, onSent)
      return
    }
    if (this.#others > this.server.limits.maxBufferedBytes) {
      this.server.cutStreams.count++
      this.output.cut()
      return
    }
    this.#others += message.length
    this.#waiting.push({ message, onSent, isResponse: false, sharedBytes: 0 })
  }

  /** Sends waiting messages. The transport calls this method when its send buffer has drained. */
  drained(): void {
    if (!this.#isFull || this.#isOverfull) return
    let sent = 0
    while (sent < this.#waiting.length && !this.#isOverfull) {
      const next = this.#waiting[sent] as Waiting
      sent++
      this.#forget(next)
      this.output.write(next.message, next.onSent)
    }
    this.#waiting.splice(0, sent)
    if (!this.#isOverfull) this.#release()
  }

  /** Resolves when no message waits, or the connection is closed. */
  flushed(): Promise<void> {
    if (!this.#isFull) return Promise.resolve()
    return new Promise((resolve) => this.#onFlushed.push(resolve))
  }

  /** Drops all messages, because the client is disconnected. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const waiting of this.#waiting.splice(0)) this.#forget(waiting)
    if (this.#isFull) this.#release()
  }

  get #isOverfull(): boolean {
    return this.output.bufferedBytes > this.server.limits.maxBufferedBytes
  }

  #write(message: Outgoing, onSent?: () => void): void {
    this.output.write(message, onSent)
    if (!this.#isOverfull) return
    this.#isFull = true
    for (const paused of this.#paused) paused.hold()
  }

  #release(): void {
    this.#isFull = false
    for (const paused of this.#paused) paused.release()
    for (const resolve of this.#onFlushed.splice(0)) resolve()
  }

  /** @returns Bytes that count toward the limit of all connections; `null` if this limit is reached. */
  #share(bytes: number): number | null {
    const { limits, sharedUnread } = this.server
    if (this.#responses <= limits.maxResultBytes) return 0
    if (sharedUnread.count + bytes > maxShared * limits.maxResultBytes) return null
    sharedUnread.count += bytes
    return bytes
  }

  #forget({ message, isResponse, sharedBytes }: Waiting): void {
    if (isResponse) this.#responses -= message.length
    else this.#others -= message.length
    this.server.sharedUnread.count -= sharedBytes
  }
}
