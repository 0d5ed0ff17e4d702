import { ToolError } from '../errors/call-errors.js'
import { decodeCursor, encodeCursor } from './cursor.js'

export interface PageOptions {
  /** Cursor of the page: the `nextCursor` of the previous page. Default: the first page. */
  readonly cursor?: string | undefined
  /** Maximum number of items on the page. Default: 100. */
  readonly pageSize?: number | undefined
  /** Name of the list, such as a search query. A cursor of another list is rejected. Default: the same name for all lists. */
  readonly list?: string | undefined
}

/** Options for items that are not strings or numbers. */
export interface KeyedPageOptions<Item> extends PageOptions {
  /** Returns a value that identifies the item in the list, such as its id. */
  readonly key: (item: Item) => string | number
}

export interface Page<Item> {
  readonly items: Item[]
  /** Cursor of the next page. Left out on the last page. */
  readonly nextCursor?: string
}

/**
 * Returns one page of a list, in the order of the list. A cursor names the last item of its page: no item is skipped or repeated
 * when other items are added or removed. Servers store no cursors, so any node can serve the next page.
 *
 * @throws ToolError for a cursor that does not belong to the list. RangeError for a page size below 1.
 */
export function paginate<const Item extends string | number>(items: readonly Item[], options?: PageOptions): Page<Item>
export function paginate<Item>(items: readonly Item[], options: KeyedPageOptions<Item>): Page<Item>
export function paginate<Item>(
  items: readonly Item[],
  { cursor, pageSize = 100, list = '', key = String }: Partial<KeyedPageOptions<Item>> = {},
): Page<Item> {
  if (!(pageSize >= 1)) throw new RangeError(`pageSize is ${pageSize}. Give a number of at least 1.`)
  const keyAt = (index: number): string => String(key(items[index] as Item))
  const start = cursor === undefined ? 0 : positionAfter(readCursor(list, cursor), items.length, keyAt)
  const end = Math.min(start + Math.floor(pageSize), items.length)
  const page = items.slice(start, end)
  const isLast = end >= items.length
  return isLast
    ? { items: page }
    : { items: page, nextCursor: encodeCursor(scope + list, `${end - 1} ${keyAt(end - 1)}`) }
}

/**
 * Prefix of the list's name, which each cursor contains. The prefix makes cursors of protocol lists, such as `tools/list`,
 * invalid for `paginate`.
 */
const scope = 'paginate '

interface Position {
  readonly index: number
  readonly key: string
}

function readCursor(list: string, cursor: string): Position {
  const read = /^(\d+) (.*)$/s.exec(decodeCursor(scope + list, cursor) ?? '')
  if (read === null) throw new ToolError('Unknown cursor. Start again without a cursor.')
  return { index: Number(read[1]), key: read[2] as string }
}

function positionAfter({ index, key }: Position, length: number, keyAt: (index: number) => string): number {
  if (index < length && keyAt(index) === key) return index + 1
  for (let other = 0; other < length; other++) if (keyAt(other) === key) return other + 1
  return Math.min(index, length)
}
