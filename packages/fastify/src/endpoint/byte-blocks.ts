/** Bytes of a block: what a body may take besides its own length, until it is joined. */
const blockBytes = 16_384

/**
 * Puts the pieces of a body together as they come. Kept one by one, pieces of a byte would take some four hundred bytes
 * each, and who sends a body chooses how small they are.
 */
export class ByteBlocks {
  readonly #blocks: Buffer[]
  #length: number
  /** Bytes that are free in the last block. */
  #quota = 0

  constructor(first: Buffer) {
    this.#blocks = [first]
    this.#length = first.length
  }

  /** Bytes. */
  get length(): number {
    return this.#length
  }

  push(piece: Buffer): void {
    this.#length += piece.length
    for (let copied = 0; copied < piece.length; ) copied += this.#fill(piece, copied)
  }

  /** All of them, in one. */
  join(): Buffer {
    // Most bodies come in one piece.
    if (this.#blocks.length === 1) return this.#blocks[0] as Buffer
    return Buffer.concat(this.#blocks, this.#length)
  }

  /** @returns How many bytes there was room for. */
  #fill(piece: Buffer, from: number): number {
    if (this.#quota === 0) {
      this.#blocks.push(Buffer.allocUnsafeSlow(blockBytes))
      this.#quota = blockBytes
    }
    const copied = piece.copy(this.#blocks.at(-1) as Buffer, blockBytes - this.#quota, from)
    this.#quota -= copied
    return copied
  }
}
