import { StreamError } from '../wire/stream-error.js'
import { chunkOverhead } from './cost.js'

interface IncomingOptions<Chunk> {
  /** Maximum bytes that are stored until the consumer reads them. */
  readonly windowBytes: number
  readonly canOverdraw: boolean
  /** Converts a chunk to a form that takes no more memory than its frame. Default: the chunk is stored. */
  readonly pack?: (chunk: Chunk) => unknown
  readonly unpack?: (packed: unknown) => Chunk
  /** Lets the other side send more bytes. */
  readonly grant: (bytes: number) => void
  /** Called when the number of stored bytes has changed. @throws StreamError if no more bytes can be stored. */
  readonly onStored?: (bytes: number) => void
  readonly onWaiting?: () => void
  readonly onCancel?: (reason: unknown) => void
}

/** Consumed bytes are granted again as soon as they are a quarter of the window. */
const grantShare = 4

/**
 * The chunks that arrive on a stream, as a web stream. The stream stores at most the window and, with `canOverdraw`, one more
 * chunk. It grants the other side more bytes as the consumer reads.
 */
export class Incoming<Chunk> {
  readonly readable: ReadableStream<Chunk>
  #controller: ReadableStreamDefaultController<Chunk> | null = null
  #stored: { readonly packed: unknown; readonly cost: number }[] = []
  #storedBytes = 0
  /** Bytes that the other side may still send. */
  #credit = 0
  /** Bytes that were consumed, but not granted again yet. */
  #consumed = 0
  #isWaiting = false
  #hasEnded = false
  #isOver = false

  constructor(private readonly options: IncomingOptions<Chunk>) {
    // Keeps the queue of the stream empty: queued bytes would be neither counted nor granted.
    const strategy = { highWaterMark: 0 }
    this.readable = new ReadableStream<Chunk>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#pull(),
        cancel: (reason) => this.#cancel(reason),
      },
      strategy,
    )
  }

  get isWaiting(): boolean {
    return this.#isWaiting && !this.#hasEnded && !this.#isOver
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * Accepts chunks from now on. Send the credit to the other side separately.
   *
   * @param credit Bytes that the other side may send. `Infinity` if the other side does not support flow control: its
   * transport is paused while too much is stored.
   */
  open(credit: number): void {
    this.#credit = credit
  }

  /** @param bytes Length of the frame. @throws StreamError for a chunk without credit. */
  receive(chunk: Chunk, bytes: number): void {
    if (this.#isOver) return
    const { canOverdraw, pack } = this.options
    const cost = bytes + chunkOverhead
    if (this.#credit < (canOverdraw ? 1 : cost)) throw new StreamError('More bytes were sent than the window allows')
    this.#credit -= cost
    if (this.#isWaiting) {
      this.#isWaiting = false
      this.#controller?.enqueue(chunk)
      this.#consume(cost)
      return
    }
    this.#changeStored(cost)
    this.#stored.push({ packed: pack === undefined ? chunk : pack(chunk), cost })
  }

  /** Called when the other side sends no more. Stored chunks can still be read. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (!this.#isOver && this.#stored.length === 0) this.#controller?.close()
  }

  fail(error: Error): void {
    if (this.#isOver || (this.#hasEnded && this.#stored.length === 0)) return
    this.#drop()
    this.#controller?.error(error)
  }

  #pull(): void {
    const next = this.#stored.shift()
    if (next === undefined) {
      this.#isWaiting = true
      this.options.onWaiting?.()
      return
    }
    const { unpack } = this.options
    this.#controller?.enqueue(unpack === undefined ? (next.packed as Chunk) : unpack(next.packed))
    this.#changeStored(-next.cost)
    this.#consume(next.cost)
    if (this.#hasEnded && this.#stored.length === 0) this.#controller?.close()
  }

  #cancel(reason: unknown): void {
    this.#drop()
    this.options.onCancel?.(reason)
  }

  #drop(): void {
    this.#isOver = true
    this.#stored = []
    this.#changeStored(-this.#storedBytes)
  }

  #consume(cost: number): void {
    if (this.#hasEnded || this.#credit === Infinity) return
    this.#consumed += cost
    if (this.#consumed * grantShare < this.options.windowBytes) return
    const bytes = this.#consumed
    this.#consumed = 0
    this.#credit += bytes
    this.options.grant(bytes)
  }

  #changeStored(bytes: number): void {
    if (bytes === 0) return
    this.#storedBytes += bytes
    this.options.onStored?.(this.#storedBytes)
  }
}
