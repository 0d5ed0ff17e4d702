import { result, Type, text } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect } from '@toolwright/testing'

const block = text('x')
const row = { ...block, data: 'of its own' }
const link = { type: 'resource_link', uri: 'row://1', name: 'row', data: { of: 'its own' } }
const drawn = { ...link, icons: [{ src: 'https://example.com/row.png', sizes: ['any'], theme: 'dark' }] }
const asJson = (json: string) => [{ type: 'text', text: json }]

it.each([
  ['a content block', () => block, [block]],
  ['content blocks with additional members', () => [row, link], [row, link]],
  ['a list of content blocks', () => [block, block], [block, block]],
  ['a link with an icon', () => drawn, [drawn]],
  [
    'a link with an incomplete icon',
    () => ({ ...link, icons: [{}] }),
    asJson(JSON.stringify({ ...link, icons: [{}] })),
  ],
  ['an object with a toJSON that returns a content block', () => ({ toJSON: () => block }), [block]],
  ['a list of objects with a toJSON that returns a content block', () => [{ toJSON: () => block }], [block]],
  ['a list with a toJSON', () => Object.assign([1], { toJSON: () => [block] }), [block]],
  ['a result', () => ({ content: [block] }), [block]],
  ['a content block with control characters in its member names', () => ({ 'ty\u0000pe': 'text', text: 'x' }), [block]],
  ['an empty list', () => [], asJson('[]')],
  ['a list that does not begin with a content block', () => [1, block], asJson('[1,{"type":"text","text":"x"}]')],
  ['a list of lists of content blocks', () => [[block]], asJson('[[{"type":"text","text":"x"}]]')],
  ['an incomplete content block', () => ({ type: 'text' }), asJson('{"type":"text"}')],
  ['an invalid content block', () => ({ content: [1] }), asJson('{"content":[1]}')],
  ['inherited members', () => Object.create({ ...block, list: [1] }) as object, asJson('{}')],
  ['a date', () => new Date(0), asJson('"1970-01-01T00:00:00.000Z"')],
  ['null', () => null, asJson('null')],
  ['data', () => ({ list: [{ type: 'text', text: 'x' }] }), asJson('{"list":[{"type":"text","text":"x"}]}')],
])('the result of a tool that returns %s is sent as JSON or content', async (_what, handler, content) => {
  const server = await createServer({ name: 'shapes', version: '1.0.0', controllers: [] })
  server.catalog.addTool({ name: 'shape', handler })

  expect(await server.callTool('shape', {})).toStrictEqual({ content })
})

const sum = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] }
const Which = Type.Object({ index: Type.Integer() })

const at = (lastModified: string) => ({ type: 'text', text: 'x', annotations: { lastModified } }) as const

const rejected = [
  { type: 'image', data: 'data:image/png;base64,aGk=', mimeType: 'image/png' },
  { type: 'image', data: 'a-_b', mimeType: 'image/png' },
  { type: 'image', data: 'aGk', mimeType: 'image/png' },
  { type: 'audio', data: 'aGk=aGk=', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'torn://', blob: 'aGkxx' } },
  at('2026-01-31'),
  at('2026-02-30T09:00:00Z'),
  at('12026-01-31T09:00:00Z'),
  at('2026-01-31T09:00Z'),
  at('2026-01-31T24:00:00Z'),
  at('2026-01-31T3:00:00Z'),
  at('2026-01-31T09:00:00.Z'),
  at('2026-01-31T09:00:00+24:00'),
  at('2026-01-31T09:00:00+3:00'),
  at('2026-01-31T09:00:00Z.'),
] as const

it.each(rejected)('a result that clients would reject fails on the server, not in the client: %j', async (given) => {
  await using connection = await connect({ name: 'shapes', version: '1.0.0', controllers: [] })
  const { client, server } = connection
  const results = [given, [text('x'), given], { content: [given] }, result({ content: [given] })]
  server.catalog.addTool({ name: 'shape', input: Which, handler: ({ index }) => results[index] })
  server.catalog.addPrompt({ name: 'shape', handler: () => [{ role: 'user', content: given }] })
  for (const index of results.keys()) {
    // oxlint-disable-next-line no-await-in-loop
    const { content, isError } = await client.callTool({ name: 'shape', arguments: { index } })
    expect([isError, content]).toEqual([
      true,
      [{ type: 'text', text: expect.stringMatching(/^Tool 'shape' failed\./) }],
    ])
  }
  await expect(client.getPrompt({ name: 'shape' })).rejects.toMatchObject({ code: -32603 })
})

it.each([
  { type: 'image', data: '', mimeType: 'image/png' },
  { type: 'image', data: 'aG\r\nkx\n', mimeType: 'image/png' },
  { type: 'resource', resource: { uri: 'whole://', blob: 'aGk=' } },
  at('2026-01-31T09:00:00Z'),
  at('2026-01-31T09:00:00.5+01:00'),
  at('2026-01-31T19:59:59.123456-11:30'),
  at('2026-01-31T23:00:00Z'),
  at('2026-01-31T20:00:00+23:00'),
])('a valid result is sent unchanged: %j', async (given) => {
  await using connection = await connect({ name: 'shapes', version: '1.0.0', controllers: [] })
  connection.server.catalog.addTool({ name: 'shape', handler: () => given })
  expect(await connection.client.callTool({ name: 'shape' })).toMatchObject({ content: [given] })
})

it('the error for a complete result of a tool with an output schema names the fix', async () => {
  const server = await createServer({ name: 'shapes', version: '1.0.0', controllers: [], exposeErrors: true })
  const structuredContent = { sum: 3 }
  const handler = () => ({ content: [block], structuredContent })
  server.catalog.addTool({ name: 'bare', outputSchema: sum, handler })
  server.catalog.addTool({ name: 'wrapped', outputSchema: sum, handler: () => result(handler()) })

  const { content, isError } = await server.callTool('bare', {})
  expect([isError, content]).toEqual([
    true,
    [
      text(
        expect.stringContaining(
          "'sum'. To return a complete result with content, write return result({ … })",
        ) as string,
      ),
    ],
  ])
  expect(await server.callTool('wrapped', {})).toStrictEqual({ content: [block], structuredContent })
})
