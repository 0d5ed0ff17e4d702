/** Block size in bytes. Until it is joined, a body takes at most this much memory beyond its length. */
const blockBytes = 16_384

/**
 * Collects the chunks of a body in blocks. Stored separately, one-byte chunks would take some 400 bytes each, and the
 * client chooses the size of chunks.
 */
export class ByteBlocks {
  readonly #blocks: Buffer[]
  #length: number
  /** Free bytes in the last block. */
  #quota = 0

  constructor(first: Buffer) {
    this.#blocks = [first]
    this.#length = first.length
  }

  /** Length in bytes. */
  get length(): number {
    return this.#length
  }

  push(piece: Buffer): void {
    this.#length += piece.length
    for (let copied = 0; copied < piece.length; ) copied += this.#fill(piece, copied)
  }

  /** Returns all bytes as one buffer. */
  join(): Buffer {
    // Most bodies come in one piece.
    if (this.#blocks.length === 1) return this.#blocks[0] as Buffer
    return Buffer.concat(this.#blocks, this.#length)
  }

  /** @returns Number of bytes copied. */
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
