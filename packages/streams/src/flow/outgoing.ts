import { isSliceOver, nextSlice } from '@toolwright/core/wire'
import { maxWindow } from '../wire/messages.js'
import { StreamError, streamErrors } from '../wire/stream-error.js'
import { chunkOverhead, lengthOf } from './cost.js'

type Frame = string | Uint8Array

interface OutgoingOptions<Chunk> {
  /** Bytes that may be sent before the other side grants more. `Infinity` means no flow control. */
  readonly credit: number
  /** Whether a chunk may be larger than the remaining credit. If not, the chunk waits for enough credit. */
  readonly canOverdraw: boolean
  /** Splits a chunk into parts that fit into one frame. @throws TypeError for a chunk of another type. */
  readonly split: (chunk: Chunk) => Iterable<Chunk>
  /** Encodes a part. @throws An error for a part that cannot be sent. */
  readonly encode: (part: Chunk) => Frame
  /**
   * Sends a frame of this many bytes. @returns A promise that resolves when the connection accepts more bytes; `null` if it accepts them now.
   * @throws StreamError if the connection is closed.
   */
  readonly send: (frame: Frame, bytes: number) => Promise<void> | null
  readonly onWaiting?: () => void
  readonly onClose: () => void
  readonly onAbort: (reason: unknown) => void
}

/** The chunks that are sent on a stream, as a web stream. A write waits for credit of the other side. */
export class Outgoing<Chunk> {
  readonly writable: WritableStream<Chunk>
  #controller: (WritableStreamDefaultController & { readonly signal: AbortSignal }) | null = null
  #credit: number
  #needed = 1
  #onCredit: (() => void) | null = null
  #failWait: ((error: unknown) => void) | null = null
  #writing: Promise<void> | null = null
  #waits = 0
  #error: Error | null = null
  #isClosed = false

  constructor(private readonly options: OutgoingOptions<Chunk>) {
    this.#credit = options.credit
    this.writable = new WritableStream<Chunk>({
      start: (controller) => {
        // The cast is needed, because the types of Node 20 lack `signal`.
        this.#controller = controller as WritableStreamDefaultController & { readonly signal: AbortSignal }
        const { signal } = this.#controller
        // Without this listener, an abort would wait for the pending write.
        signal.addEventListener('abort', () => this.#failWait?.(signal.reason))
      },
      write: (chunk) => this.#write(chunk),
      close: () => {
        this.#isClosed = true
        options.onClose()
      },
      abort: (reason) => this.#abort(reason),
    })
  }

  get isWaiting(): boolean {
    return this.#waits > 0
  }

  get isOver(): boolean {
    return this.#isClosed || this.#error !== null
  }

  /**
   * Called when the other side accepts more bytes.
   *
   * @returns Whether a write that waited for credit continues.
   * @throws StreamError if the other side has granted too much.
   */
  grant(bytes: number): boolean {
    if (this.#credit === Infinity) return false
    this.#credit += bytes
    if (this.#credit > maxWindow) {
      throw new StreamError(`The window exceeds ${maxWindow} bytes`, streamErrors.invalidRequest)
    }
    const proceed = this.#onCredit
    if (proceed === null || this.#credit < this.#needed) return false
    this.#onCredit = null
    proceed()
    return true
  }

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

  #abort(reason: unknown): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.options.onAbort(reason)
  }

  #write(chunk: Chunk): Promise<void> {
    const writing = this.#send(chunk)
    this.#writing = writing
    const ended = (): void => {
      if (this.#writing === writing) this.#writing = null
    }
    writing.then(ended, (error: unknown) => {
      ended()
      // A web stream does not abort after a failed write.
      if (this.#error === null) this.#abort(error)
    })
    return writing
  }

  async #send(chunk: Chunk): Promise<void> {
    const { split, encode, send, canOverdraw } = this.options
    // Waits before the chunk is split: the first credit of a server also says whether chunks are bytes.
    if (this.#credit <= 0) await this.#credited(1)
    for (const part of split(chunk)) {
      const frame = encode(part)
      const bytes = lengthOf(frame)
      const cost = bytes + chunkOverhead
      const needed = canOverdraw ? 1 : cost
      if (this.#credit < needed) await this.#credited(needed)
      this.#throwIfOver()
      this.#credit -= cost
      const room = send(frame, bytes)
      this.#throwIfOver()
      if (room !== null) await this.#wait((proceed) => void room.then(proceed))
      // A producer that never waits would stop the event loop.
      if (isSliceOver()) {
        await nextSlice()
        this.#throwIfOver()
      }
    }
  }

  #throwIfOver(): void {
    if (this.#error !== null) throw this.#error
    this.#controller?.signal.throwIfAborted()
  }

  #credited(needed: number): Promise<void> {
    this.#needed = needed
    return this.#wait((proceed) => {
      this.#onCredit = proceed
    })
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
