import type { Readable, Writable } from 'node:stream'
import { ProtocolError } from '@toolwright/core'
import { findIdAtEnds, isLong, MessageTooLarge, startLongTimer } from '@toolwright/core/host'
import {
  type Connection,
  errorResponse,
  idOfRejected,
  type RunningServer,
  readInTurn,
} from '@toolwright/core/transport'

export class InputReader {
  constructor(
    private readonly server: RunningServer,
    private readonly connection: Connection,
    private readonly output: LineWriter,
  ) {}

  /** Resolves when the input has ended. Rejects with the error of the input. */
  async readAll(input: Readable, signal: AbortSignal | undefined): Promise<void> {
    const lines = new LineReader(this.server.limits.maxMessageBytes)
    // One stream can be input and output: its end must not prevent the last responses.
    for await (const chunk of input.iterator({ destroyOnReturn: false })) {
      for (const line of lines.push(Buffer.from(chunk as Buffer | string))) {
        // Waits before each line: a chunk can have hundreds of calls, each with a result of any size. A wait after the last line
        // would delay the shutdown if the client does not read the responses.
        await this.connection.readyForNext()
        if (this.output.isBackedUp) await this.output.caughtUp(signal)
        await this.#receive(line)
      }
    }
    const last = lines.end()
    if (last !== undefined) await this.#receive(last)
  }

  async #receive(line: Buffer | LongLine): Promise<void> {
    const { limits } = this.server
    if (!Buffer.isBuffer(line)) {
      const message = `Invalid Request: a message must have at most ${limits.maxMessageBytes} bytes`
      const id = findIdAtEnds(line.head.toString('utf8'), line.tail.toString('utf8'))
      this.#reject(new MessageTooLarge(message, 'bodyTooLarge'), id)
      return
    }
    if (line.every(isBlank)) return
    try {
      this.connection.receive(await readInTurn(line, limits))
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.#reject(error, idOfRejected(line, error))
    }
  }

  #reject(error: ProtocolError, id: ReturnType<typeof idOfRejected>): void {
    this.server.oversizedMessages.addIfTooLarge(error)
    this.output.send(errorResponse(id, error))
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}

const newline = 0x0a
const carriageReturn = 0x0d

export interface LongLine {
  readonly head: Buffer
  readonly tail: Buffer
}

/** Number of bytes stored from each end of a long line: more than the bytes of the longest id. */
const endLength = 2048

/** Splits a byte stream into lines. Buffers at most one line of the allowed length. */
export class LineReader {
  #parts: Buffer[] = []
  #length = 0
  #long: LongLine | null = null

  constructor(private readonly maxBytes: number) {}

  /** Returns the lines that end in this chunk, without line breaks. */
  push(chunk: Buffer): (Buffer | LongLine)[] {
    const lines: (Buffer | LongLine)[] = []
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#hold(chunk.subarray(start, end))
      lines.push(this.#take())
      start = end + 1
    }
    this.#hold(chunk.subarray(start))
    return lines
  }

  end(): Buffer | LongLine | undefined {
    return this.#length === 0 ? undefined : this.#take()
  }

  #hold(part: Buffer): void {
    this.#length += part.length
    if (this.#long !== null) this.#long = { ...this.#long, tail: tailOf([this.#long.tail, part]) }
    else if (this.#length > this.maxBytes) {
      const parts = [...this.#parts, part]
      this.#long = { head: Buffer.concat(parts, Math.min(this.#length, endLength)), tail: tailOf(parts) }
      this.#parts = []
    } else if (part.length > 0) this.#parts.push(part)
  }

  #take(): Buffer | LongLine {
    const line = this.#long ?? withoutCarriageReturn(Buffer.concat(this.#parts))
    this.#parts = []
    this.#length = 0
    this.#long = null
    return line
  }
}

/** Returns a copy, because a slice would retain the whole buffer. */
function tailOf(parts: readonly Buffer[]): Buffer {
  return Buffer.from(Buffer.concat(parts).subarray(-endLength))
}

function withoutCarriageReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
}

/** Writes messages as lines, and reports when the client reads too slowly. */
export class LineWriter {
  constructor(
    private readonly output: Writable,
    private readonly maxBufferedBytes: number,
  ) {}

  send(json: string): void {
    const line = `${json}\n`
    // Encodes a long line here: the stream would encode all buffered strings in one step.
    this.output.write(isLong(line) ? Buffer.from(line) : line)
  }

  /** Sends a notification. Drops the notification when the buffer is full, so that a call cannot fill the memory. */
  notify(json: string): void {
    if (!this.isBackedUp) this.send(json)
  }

  get isBackedUp(): boolean {
    const { writableLength, writableNeedDrain, destroyed } = this.output
    return !destroyed && writableNeedDrain && writableLength > this.maxBufferedBytes
  }

  /** Resolves when the buffer is drained, or the output is closed. Called while {@link isBackedUp}. */
  async caughtUp(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return
    const { output } = this
    await new Promise<void>((resolve) => {
      const stop = (): void => {
        for (const event of ['drain', 'close', 'error']) output.off(event, stop)
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      for (const event of ['drain', 'close', 'error']) output.on(event, stop)
      signal?.addEventListener('abort', stop)
    })
  }

  /** Waits until everything is written, up to the timeout. @returns Whether everything was written. */
  async flushed(maxMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = startLongTimer(() => resolve(false), maxMs)
      this.output.write('', () => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }
}
