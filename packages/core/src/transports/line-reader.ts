const newline = 0x0a
const carriageReturn = 0x0d

/** Cuts a byte stream into lines, holding no more than one line of the allowed length. */
export class LineReader {
  #parts: Buffer[] = []
  #length = 0
  #isTooLong = false

  constructor(private readonly maxBytes: number) {}

  /** The lines that end in this chunk, without their line breaks; `null` for one that was too long and is dropped. */
  push(chunk: Buffer): (Buffer | null)[] {
    const lines: (Buffer | null)[] = []
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#hold(chunk.subarray(start, end))
      lines.push(this.#take())
      start = end + 1
    }
    this.#hold(chunk.subarray(start))
    return lines
  }

  /** The last line of a stream that ends without a line break; `undefined` when there is none. */
  end(): Buffer | null | undefined {
    return this.#length === 0 ? undefined : this.#take()
  }

  #hold(part: Buffer): void {
    this.#length += part.length
    if (this.#length > this.maxBytes) {
      this.#isTooLong = true
      this.#parts = []
    } else if (part.length > 0) this.#parts.push(part)
  }

  #take(): Buffer | null {
    const line = this.#isTooLong ? null : withoutCarriageReturn(Buffer.concat(this.#parts))
    this.#parts = []
    this.#length = 0
    this.#isTooLong = false
    return line
  }
}

function withoutCarriageReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
}
