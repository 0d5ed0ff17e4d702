import { ProtocolError } from '../errors/protocol-error.js'
import { decodeCursor, encodeCursor } from './cursor.js'

interface ListPagesOptions<Entry, Page> {
  readonly method: string
  readonly pageSize: number
  readonly entries: readonly Entry[]
  readonly keyOf: (entry: Entry) => string
  readonly encode: (entries: readonly Entry[], nextCursor: string | undefined) => Page
}

/**
 * A paginated list. Its pages are encoded one time, at the first request. Cursors stay valid when the list changes:
 * entries that remain in the list are neither skipped nor repeated.
 */
export class ListPages<Entry, Page = Buffer> {
  readonly #pages = new Map<string | undefined, Page>()

  constructor(private readonly options: ListPagesOptions<Entry, Page>) {}

  /**
   * @param cursor The cursor that the client sent; `undefined` for the first page.
   * @throws ProtocolError -32602 for a cursor that this server did not issue.
   */
  page(cursor: unknown): Page {
    if (this.#pages.size === 0) this.#serialize()
    return this.#pages.get(cursor as string | undefined) ?? this.#encodeFrom(this.#positionAfter(cursor)).page
  }

  #serialize(): void {
    let cursor: string | undefined
    let start = 0
    do {
      const { page, nextCursor } = this.#encodeFrom(start)
      this.#pages.set(cursor, page)
      cursor = nextCursor
      start += this.options.pageSize
    } while (cursor !== undefined)
  }

  #encodeFrom(start: number): { page: Page; nextCursor: string | undefined } {
    const { entries, pageSize } = this.options
    const slice = entries.slice(start, start + pageSize)
    const last = slice.at(-1)
    const isLast = last === undefined || start + slice.length >= entries.length
    const nextCursor = isLast ? undefined : encodeCursor(this.options.method, this.options.keyOf(last))
    return { page: this.options.encode(slice, nextCursor), nextCursor }
  }

  /** Returns the index of the first entry after a cursor. The entry of the cursor could have been removed. */
  #positionAfter(cursor: unknown): number {
    const { entries } = this.options
    const key = decodeCursor(this.options.method, cursor)
    if (key === null) {
      throw new ProtocolError('invalidParams', 'Invalid params: unknown cursor. Start again without a cursor')
    }
    const position = entries.findIndex((entry) => this.options.keyOf(entry) > key)
    return position === -1 ? entries.length : position
  }
}
