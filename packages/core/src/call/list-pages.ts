import { ProtocolError } from '../errors/protocol-error.js'
import { decodeCursor, encodeCursor } from './cursor.js'

interface ListPagesOptions<Entry> {
  /** Protocol method that the cursors belong to, such as `tools/list`. Cursors of other lists are rejected. */
  readonly method: string
  readonly pageSize: number
  /** Returns the entries, sorted by key. Returns the same array until the catalog changes. */
  readonly entries: () => readonly Entry[]
  readonly keyOf: (entry: Entry) => string
  /** Encodes the result of one page as JSON. */
  readonly encode: (entries: readonly Entry[], nextCursor: string | undefined) => string
}

/**
 * A paginated list. Its pages are serialized to bytes once per change of the catalog. No entry is skipped or repeated
 * when other entries are added or removed between two pages.
 */
export class ListPages<Entry> {
  #entries: readonly Entry[] | null = null
  readonly #pages = new Map<string | undefined, Buffer>()

  constructor(private readonly options: ListPagesOptions<Entry>) {}

  /**
   * Returns one page.
   *
   * @param cursor As the client sent it; `undefined` for the first page.
   * @throws ProtocolError -32602 for a cursor that this server did not issue.
   */
  page(cursor: unknown): Buffer {
    const entries = this.options.entries()
    if (entries !== this.#entries) this.#serialize(entries)
    const page = this.#pages.get(cursor as string | undefined)
    return page ?? this.#encodeFrom(entries, this.#positionAfter(entries, cursor)).page
  }

  #serialize(entries: readonly Entry[]): void {
    this.#entries = entries
    this.#pages.clear()
    let cursor: string | undefined
    let start = 0
    do {
      const { page, nextCursor } = this.#encodeFrom(entries, start)
      this.#pages.set(cursor, page)
      cursor = nextCursor
      start += this.options.pageSize
    } while (cursor !== undefined)
  }

  #encodeFrom(entries: readonly Entry[], start: number): { page: Buffer; nextCursor: string | undefined } {
    const slice = entries.slice(start, start + this.options.pageSize)
    const last = slice.at(-1)
    const isLast = last === undefined || start + slice.length >= entries.length
    const nextCursor = isLast ? undefined : encodeCursor(this.options.method, this.options.keyOf(last))
    return { page: Buffer.from(this.options.encode(slice, nextCursor)), nextCursor }
  }

  /** Index of the first entry after a cursor that was issued before the entries changed. */
  #positionAfter(entries: readonly Entry[], cursor: unknown): number {
    const key = decodeCursor(this.options.method, cursor)
    if (key === null) {
      throw new ProtocolError('invalidParams', 'Invalid params: unknown cursor. Start again without a cursor')
    }
    const position = entries.findIndex((entry) => this.options.keyOf(entry) > key)
    return position === -1 ? entries.length : position
  }
}
