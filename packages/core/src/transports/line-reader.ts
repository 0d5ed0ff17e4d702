const newline = 0x0a
const carriageReturn = 0x0d

/** Both ends of a line that exceeds the limit. */
export interface LongLine {
  readonly head: Buffer
  readonly tail: Buffer
}

/** Bytes stored of each end: more than the longest id. */
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

  /** Returns the last line of a stream that ends without a line break; `undefined` if there is no such line. */
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
