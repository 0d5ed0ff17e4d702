interface Opening {
  readonly streamId: string
  /** Somebody else has opened the stream meanwhile. */
  isTaken: boolean
}

/** Connections that are being opened to streams that another node may have. */
export class StreamOpenings {
  readonly #openings = new Set<Opening>()

  has(streamId: string): boolean {
    return [...this.#openings].some((opening) => opening.streamId === streamId)
  }

  /** Of two that open a stream, the later one goes on with it. */
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
