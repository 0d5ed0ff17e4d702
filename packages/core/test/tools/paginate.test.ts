import { McpTool, paginate, type Static, ToolError, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { openRawClient } from '../support/raw-client.js'

interface Book {
  readonly isbn: number
  readonly title: string
}

const books: readonly Book[] = ['Emma', 'Dracula', 'Ulysses', 'Walden', 'Faust'].map((title, isbn) => ({ isbn, title }))
const key = ({ isbn }: Book): number => isbn

const Input = Type.Object({
  cursor: Type.Optional(Type.String()),
  pageSize: Type.Optional(Type.Integer({ minimum: 1 })),
})
const Output = Type.Object({ items: Type.Array(Type.String()), nextCursor: Type.Optional(Type.String()) })

class Shelf {
  @McpTool({ description: 'Lists the titles', input: Input, output: Output })
  listTitles({ cursor, pageSize = 2 }: Static<typeof Input>): Static<typeof Output> {
    return paginate(
      books.map(({ title }) => title),
      { cursor, pageSize },
    )
  }
}

describe.each(lanes)('a tool with pages, over $lane, $era', (lane) => {
  test('returns all items, page by page, and an error for the model for another cursor', async () => {
    const server = await createServer({ name: 'test', version: '1', controllers: [Shelf], pageSize: 1 })
    await using connection = await connect(server, lane)
    const { client } = connection
    const titles: string[][] = []
    let cursor: string | undefined
    do {
      // oxlint-disable-next-line no-await-in-loop
      const { structuredContent } = await client.callTool({ name: 'list_titles', arguments: { cursor } })
      const page = structuredContent as Static<typeof Output>
      titles.push(page.items)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(titles).toEqual([['Emma', 'Dracula'], ['Ulysses', 'Walden'], ['Faust']])
    const wrong = await client.callTool({ name: 'list_titles', arguments: { cursor: 'made up' } })
    expect([wrong.isError, wrong.content]).toEqual([
      true,
      [{ type: 'text', text: 'Unknown cursor. Start again without a cursor.' }],
    ])
    await server.close()
  })
})

describe('paginate', () => {
  test('has no cursor on the last page, also if it is full', () => {
    expect(paginate(['a', 'b'], { pageSize: 2 })).toEqual({ items: ['a', 'b'] })
    expect(paginate([])).toEqual({ items: [] })
    const { nextCursor } = paginate([1, 2, 3, 4], { pageSize: 2 })
    expect(paginate([1, 2, 3, 4], { pageSize: 2, cursor: nextCursor })).toEqual({ items: [3, 4] })
  })

  test('returns 100 items on a page by default', () => {
    const numbers = Array.from({ length: 101 }, (_, index) => index)
    const { items, nextCursor } = paginate(numbers)
    expect(items).toHaveLength(100)
    expect(paginate(numbers, { cursor: nextCursor })).toEqual({ items: [100] })
  })

  test('neither skips nor repeats an item when others are added and removed', () => {
    const first = paginate(books, { key, pageSize: 2 })
    const { nextCursor: cursor } = first
    const [emma, dracula, ulysses, walden, faust] = books as [Book, Book, Book, Book, Book]
    const ilias = { isbn: 9, title: 'Ilias' }
    const next = (list: readonly Book[]) => paginate(list, { key, pageSize: 2, cursor }).items
    expect(next([ilias, emma, dracula, ulysses, walden, faust])).toEqual([ulysses, walden])
    expect(next([dracula, ulysses, walden, faust])).toEqual([ulysses, walden])
    expect(next([emma, dracula, ilias, ulysses])).toEqual([ilias, ulysses])
    // The last item of the previous page was removed.
    expect(next([emma, ulysses, walden, faust])).toEqual([ulysses, walden])
    expect(next([])).toEqual([])
  })

  test('rejects cursors of other lists, cursors of the protocol, and changed cursors', () => {
    const { nextCursor = '' } = paginate(books, { key, pageSize: 1, list: 'query a' })
    const read = (cursor: string, list = 'query a') => paginate(books, { key, pageSize: 1, cursor, list }).items
    expect(read(nextCursor)).toEqual([books[1]])
    for (const cursor of ['', nextCursor.slice(1), `${nextCursor}AAAA`, 'x'.repeat(100_000)]) {
      expect(() => read(cursor)).toThrow(ToolError)
    }
    expect(() => read(nextCursor, 'query b')).toThrow('Unknown cursor. Start again without a cursor.')
    expect(() => read(nextCursor, '')).toThrow(ToolError)
  })

  test('rejects page sizes below 1', () => {
    for (const pageSize of [0, -1, Number.NaN]) {
      expect(() => paginate(['a'], { pageSize })).toThrow(`pageSize is ${pageSize}. Give a number of at least 1.`)
    }
  })
})

test('the cursors of lists contain the last name of their page', async () => {
  const server = await createServer({ name: 'test', version: '1', controllers: [Shelf], pageSize: 1 })
  server.catalog.addTool({ name: 'a', handler: () => '' })
  await using client = openRawClient(server)
  const { result } = await client.modern('tools/list', {})
  expect(Buffer.from(String(result.nextCursor), 'base64url').toString()).toMatch(/^[0-9a-f]{12}a$/)
  await server.close()
})
