interface Opening {
  readonly streamId: string
  /** Whether the stream was opened elsewhere in the meantime. */
  isTaken: boolean
}

/** Streams that are being opened, which another node may have open. */
export class StreamOpenings {
  readonly #openings = new Set<Opening>()

  has(streamId: string): boolean {
    return [...this.#openings].some((opening) => opening.streamId === streamId)
  }

  /** Marks pending openings of a stream as overtaken: the latest opening gets the stream. */
  taken(streamId: string): void {
    for (const opening of this.#openings) if (opening.streamId === streamId) opening.isTaken = true
  }

  async run<Result>(streamId: string, open: (opening: Readonly<Opening>) => Promise<Result>): Promise<Result> {
    this.taken(streamId)
    const opening: Opening = { streamId, isTaken: false }
    this.#openings.add(opening)
    try {
      return await open(opening)
    } finally {
      this.#openings.delete(opening)
    }
  }
}
