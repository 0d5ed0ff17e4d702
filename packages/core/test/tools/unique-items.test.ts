import { type McpServer, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { processorMs } from '../../../../test/support/processor-time.js'

const wide = { maxKeys: Infinity, maxItems: Infinity }

/** The same schema twice: as TypeBox, and as plain JSON Schema. */
async function open(): Promise<McpServer> {
  const server = await createServer({ name: 'unique', version: '1.0.0', controllers: [], limits: wide })
  const list = Type.Optional(Type.Array(Type.Unknown(), { uniqueItems: true }))
  const either = Type.Optional(Type.Union([Type.Null(), Type.Object({ list })]))
  const free = Type.Optional(Type.Array(Type.Unknown(), { uniqueItems: false }))
  const input = Type.Object({ list, either, free })
  const handler = (): string => 'unique'
  server.catalog.addTool({ name: 'typed', input, handler })
  server.catalog.addTool({
    name: 'plain',
    inputSchema: JSON.parse(JSON.stringify(input)) as Record<string, unknown>,
    handler,
  })
  return server
}

/** The results of both tools. */
async function check(server: McpServer, args: object): Promise<string[]> {
  const results = await Promise.all(['typed', 'plain'].map(async (name) => server.callTool(name, args)))
  return results.map(({ content }) => (content[0] as { text: string }).text)
}

const good = ['unique', 'unique']

it.each([
  ['nothing', []],
  ['values of several types', [1, '1', true, 'true', null, 'null', [], {}, '[]', '{}', '']],
  ['objects that differ deep inside', [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }]],
  [
    'lists in another order',
    [
      [1, 2],
      [2, 1],
    ],
  ],
  ['strings that resemble values', ['#1', 1, '"1', '1', 'true', true, '#true', null, '#null']],
  ['strings that resemble several values', ['a,b', ['a', 'b'], '"a","b"', ['a,b']]],
])('uniqueItems accepts a list of %s', async (_what, list) => {
  expect(await check(await open(), { list, either: { list } })).toStrictEqual(good)
})

it.each([
  ['texts', ['a', 'b', 'a']],
  ['numbers', [1, 2, 1]],
  ['zeros', [0, -0]],
  [
    'objects',
    [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
    ],
  ],
  [
    'objects with numbers for keys',
    [
      { a: 1, 10: 2, 9: 3 },
      { 9: 3, 10: 2, a: 1 },
    ],
  ],
  [
    'lists',
    [
      [1, [2]],
      [1, [2]],
    ],
  ],
])('uniqueItems rejects equal %s', async (_what, list) => {
  const server = await open()

  expect(await check(server, { list })).toStrictEqual([
    "Invalid arguments for tool 'typed': 'list' must not have duplicate items.",
    "Invalid arguments for tool 'plain': 'list' must not have duplicate items.",
  ])
  expect(await check(server, { either: { list } })).not.toContain('unique')
  expect(await check(server, { free: list })).toStrictEqual(good)
})

it('uniqueItems rejects a long list with its first error', async () => {
  const server = await open()
  const [typed] = await check(server, { list: Array(50_000).fill('same') })

  expect(typed).toBe("Invalid arguments for tool 'typed': 'list' must not have duplicate items.")
})

it('uniqueItems can be combined with a refinement', async () => {
  const server = await open()
  const even = Type.Refine(
    Type.Integer(),
    (count) => count % 2 === 0,
    () => 'must be even',
  )
  const input = Type.Object({ list: Type.Array(even, { uniqueItems: true }) })
  server.catalog.addTool({ name: 'refined', input, handler: () => 'even' })
  const call = async (list: number[]) => (await server.callTool('refined', { list })).content

  expect(await call([2, 4])).toStrictEqual([{ type: 'text', text: 'even' }])
  expect(await call([2, 3])).toStrictEqual([
    { type: 'text', text: "Invalid arguments for tool 'refined': 'list/1' must be even." },
  ])
})

it('uniqueItems is listed as it was written', async () => {
  const server = await open()
  const shown = (await server.listTools()).map(({ inputSchema }) => inputSchema)

  expect(shown[0]).toStrictEqual(shown[1])
  expect(shown[0]).toMatchObject({ properties: { list: { type: 'array', uniqueItems: true } } })
})

it('uniqueItems takes the same time for numbers with colliding hashes', async () => {
  const server = await open()
  const hashes = Array.from({ length: 100_000 }, (_, index) => index << 15)
  const list = hashes.map(numberOfHash).filter((number) => number < 2 ** 31)
  const tookMs = await processorMs(async () => {
    // Enough for a `Set` of numbers to take seconds.
    expect(await check(server, { list: list.slice(0, 45_000) })).toStrictEqual(good)
  })

  expect(tookMs).toBeLessThan(1000)
})

/** The integer that V8's unseeded integer hash maps to this value. */
function numberOfHash(hash: number): number {
  let bits = hash ^ (hash >>> 16)
  bits = Math.imul(bits, inverse(2057))
  bits ^= bits >>> 4
  bits ^= bits >>> 8
  bits ^= bits >>> 16
  bits = Math.imul(bits, inverse(5))
  bits ^= bits >>> 12
  bits ^= bits >>> 24
  return Math.imul(bits + 1, inverse(2 ** 15 - 1)) >>> 0
}

/** Inverse of an odd number, modulo 2^32: each round doubles the correct bits. */
function inverse(odd: number): number {
  let found = odd
  for (let round = 0; round < 5; round++) found = Math.imul(found, 2 - Math.imul(odd, found))
  return found
}
