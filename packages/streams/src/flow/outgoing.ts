interface OutgoingOptions<Chunk> {
  /** Bytes that may be sent before the other side grants more. `Infinity` means no flow control. */
  readonly credit: number
  /** Splits a chunk into parts that fit into one frame. @throws TypeError for a chunk of another type. */
  readonly split: (chunk: Chunk) => Iterable<Chunk>
  /** Sends a part. @returns The bytes of its frame. @throws TypeError for a part that cannot be sent. */
  readonly send: (part: Chunk) => number
  /** Resolves when the connection accepts more bytes; `null` if it accepts them now. */
  readonly room: () => Promise<void> | null
  /** Called when the producer waits for the other side. */
  readonly onWaiting?: () => void
  /** Called when the producer has sent everything. */
  readonly onClose: () => void
  readonly onAbort: (reason: unknown) => void
}

/** The chunks that are sent on a stream, as a web stream. A write waits for credit of the other side. */
export class Outgoing<Chunk> {
  readonly writable: WritableStream<Chunk>
  #controller: WritableStreamDefaultController | null = null
  #credit: number
  /** Continues a write that waits for credit. */
  #onCredit: (() => void) | null = null
  /** Fails a write that waits. */
  #failWait: ((error: unknown) => void) | null = null
  #writing: Promise<void> | null = null
  #waits = 0
  #error: Error | null = null
  #isClosed = false

  constructor(private readonly options: OutgoingOptions<Chunk>) {
    this.#credit = options.credit
    this.writable = new WritableStream<Chunk>({
      start: (controller) => {
        this.#controller = controller
        // The cast is needed, because the types of Node 20 lack `signal`.
        const { signal } = controller as WritableStreamDefaultController & { readonly signal: AbortSignal }
        // Without this listener, an abort would wait for the pending write.
        signal.addEventListener('abort', () => this.#failWait?.(signal.reason))
      },
      write: (chunk) => this.#write(chunk),
      close: () => {
        this.#isClosed = true
        options.onClose()
      },
      abort: (reason) => {
        this.#isClosed = true
        options.onAbort(reason)
      },
    })
  }

  /** Whether the producer waits for the other side, or for its connection. */
  get isWaiting(): boolean {
    return this.#waits > 0
  }

  /** Whether the producer has closed or aborted, or the stream has failed. */
  get isOver(): boolean {
    return this.#isClosed || this.#error !== null
  }

  /** Called when the other side accepts more bytes. */
  grant(bytes: number): void {
    this.#credit += bytes
    if (this.#credit <= 0) return
    this.#onCredit?.()
    this.#onCredit = null
  }

  /** Fails the producer: pending and later writes reject. */
  fail(error: Error): void {
    if (this.isOver) return
    this.#error = error
    this.#controller?.error(error)
    this.#failWait?.(error)
  }

  /** Resolves when all writes so far were sent, or have failed. */
  async flushed(): Promise<void> {
    while (this.#writing !== null) {
      await this.#writing.catch(() => undefined)
      // The stream begins its next write in a microtask, so wait for a later turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve))
    }
  }

  #write(chunk: Chunk): Promise<void> {
    const writing = this.#send(chunk)
    this.#writing = writing
    const ended = (): void => {
      if (this.#writing === writing) this.#writing = null
    }
    writing.then(ended, ended)
    return writing
  }

  async #send(chunk: Chunk): Promise<void> {
    // Waits before the chunk is split: the first credit of a server also says whether chunks are bytes.
    if (this.#credit <= 0) await this.#wait(this.#credited)
    for (const part of this.options.split(chunk)) {
      if (this.#credit <= 0) await this.#wait(this.#credited)
      if (this.#error !== null) throw this.#error
      this.#credit -= this.options.send(part)
      const room = this.options.room()
      if (room !== null) await this.#wait((proceed) => void room.then(proceed))
    }
  }

  readonly #credited = (proceed: () => void): void => {
    this.#onCredit = proceed
  }

  async #wait(until: (proceed: () => void) => void): Promise<void> {
    this.#waits++
    this.options.onWaiting?.()
    try {
      await new Promise<void>((resolve, reject) => {
        this.#failWait = reject
        until(resolve)
      })
    } finally {
      this.#waits--
      this.#failWait = null
      this.#onCredit = null
    }
  }
}
