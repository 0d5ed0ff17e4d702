/** Block size in bytes. Until its blocks are joined, a body takes at most one block more memory than its length. */
const blockBytes = 16_384

/**
 * Collects the chunks of a body in blocks. Without blocks, a client that sends one-byte chunks would use about 400
 * bytes of memory for each byte.
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

  get length(): number {
    return this.#length
  }

  push(piece: Buffer): void {
    this.#length += piece.length
    for (let copied = 0; copied < piece.length; ) copied += this.#fill(piece, copied)
  }

  join(): Buffer {
    // Most bodies arrive as one chunk, which needs no copy.
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
