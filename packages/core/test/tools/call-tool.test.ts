import type { Client } from '@modelcontextprotocol/client'
import {
  audio,
  type CallResult,
  type ContentBlock,
  embeddedResource,
  image,
  McpTool,
  Model,
  resourceLink,
  result,
  type Static,
  Type,
  text,
} from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'

const SumInput = Type.Object({ a: Type.Number(), b: Type.Number() })
const SumOutput = Type.Object({ sum: Type.Number() })

class Person extends Model(Type.Object({ first: Type.String(), last: Type.String() })) {
  get fullName(): string {
    return `${this.first} ${this.last}`
  }
}

class StructuredTools {
  @McpTool({ input: SumInput, output: SumOutput })
  add({ a, b }: Static<typeof SumInput>): Static<typeof SumOutput> {
    return { sum: a + b }
  }

  @McpTool({ input: SumInput, output: SumOutput })
  async addLater({ a, b }: Static<typeof SumInput>): Promise<Static<typeof SumOutput>> {
    return Promise.resolve({ sum: a + b })
  }

  @McpTool({ output: Type.Array(Type.Integer()) })
  primes(): number[] {
    return [2, 3, 5]
  }

  @McpTool({ output: SumOutput })
  withNote(): CallResult {
    return result({ content: [text('It is three.')], structuredContent: { sum: 3 }, _meta: { 'example.com/took': 1 } })
  }
}

class PlainTools {
  @McpTool()
  string(): string {
    return 'as it is'
  }

  @McpTool()
  nothing(): void {}

  @McpTool()
  async number(): Promise<number> {
    return Promise.resolve(42)
  }

  @McpTool()
  data(): object {
    return { list: [1, null], at: new Date(0) }
  }

  @McpTool({ input: Type.Object({ name: Type.String() }) })
  personOf({ name }: { name: string }): string {
    return name
  }
}

const bytes = new Uint8Array([0, 255, 128])
const blocks: readonly ContentBlock[] = [
  text('a text', { annotations: { audience: ['user'], priority: 1 } }),
  image(bytes, 'image/png', { _meta: { 'example.com/width': 1 } }),
  audio(bytes, 'audio/wav'),
  resourceLink('file:///notes.txt', 'notes', { title: 'Notes', mimeType: 'text/plain', size: 3 }),
  embeddedResource({ uri: 'file:///a.txt', mimeType: 'text/plain', text: 'abc' }),
  embeddedResource({ uri: 'file:///a.bin', blob: 'AP+A' }),
]
const wireBlocks = [
  { type: 'text', text: 'a text', annotations: { audience: ['user'], priority: 1 } },
  { type: 'image', data: 'AP+A', mimeType: 'image/png', _meta: { 'example.com/width': 1 } },
  { type: 'audio', data: 'AP+A', mimeType: 'audio/wav' },
  {
    type: 'resource_link',
    uri: 'file:///notes.txt',
    name: 'notes',
    title: 'Notes',
    mimeType: 'text/plain',
    size: 3,
  },
  { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'abc' } },
  { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'AP+A' } },
]

class ContentTools {
  @McpTool()
  one(): ContentBlock {
    return text('alone')
  }

  @McpTool()
  many(): readonly ContentBlock[] {
    return blocks
  }

  @McpTool()
  byHand(): CallResult {
    return result({ content: [image('AP+A', 'image/png')], isError: true })
  }
}

class ArgumentTools {
  @McpTool()
  greet(person: Person): string {
    return `${person instanceof Person ? 'a Person' : 'no Person'}: ${person.fullName}`
  }

  @McpTool({
    input: Type.Object({
      limit: Type.Integer({ default: 10 }),
      sort: Type.Object({ by: Type.String({ default: 'name' }), keys: Type.Array(Type.String(), { default: [] }) }),
    }),
  })
  search(query: { limit: number; sort: { by: string; keys: string[] } }): object {
    query.sort.keys.push('seen')
    return query
  }

  @McpTool({ inputSchema: { type: 'object', properties: { limit: { type: 'integer', default: 10 } } } })
  rawSearch(query: object): object {
    return query
  }
}

function serving(...controllers: NonNullable<ServerOptions['controllers']>): ServerOptions {
  return { name: 'calls', version: '1.0.0', controllers }
}

/** Calls tools without arguments, one after the other. */
async function callEach(client: Client, names: readonly string[]) {
  const results = []
  for (const name of names) results.push(await client.callTool({ name }))
  return results
}

describe.each(lanes)('tools/call over $lane, $era', (lane) => {
  const isModern = lane.era === 'modern'
  const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'calls', version: '1.0.0' } }
  /** Members of every result in this era. */
  const always = isModern ? { _meta: serverInfo } : {}

  it('returns structured content and its JSON as text when the tool has an output schema', async () => {
    await using connection = await connect(serving(StructuredTools), lane)
    const { client } = connection
    const added = { content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 }, ...always }
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toEqual(added)
    expect(await client.callTool({ name: 'add_later', arguments: { a: 1, b: 2 } })).toEqual(added)
  })

  it('sends structured content that is not an object to modern clients only', async () => {
    await using connection = await connect(serving(StructuredTools), lane)
    expect(await connection.client.callTool({ name: 'primes' })).toEqual({
      content: [{ type: 'text', text: '[2,3,5]' }],
      ...(isModern ? { structuredContent: [2, 3, 5] } : {}),
      ...always,
    })
  })

  it('sends a result object unchanged', async () => {
    await using connection = await connect(serving(StructuredTools, ContentTools), lane)
    expect(await callEach(connection.client, ['with_note', 'by_hand'])).toEqual([
      {
        content: [{ type: 'text', text: 'It is three.' }],
        structuredContent: { sum: 3 },
        _meta: { 'example.com/took': 1, ...(isModern ? serverInfo : {}) },
      },
      { content: [{ type: 'image', data: 'AP+A', mimeType: 'image/png' }], isError: true, ...always },
    ])
  })

  it('sends the result of a tool without output schema as text', async () => {
    await using connection = await connect(serving(PlainTools), lane)
    expect(await callEach(connection.client, ['string', 'nothing', 'number', 'data'])).toEqual([
      { content: [{ type: 'text', text: 'as it is' }], ...always },
      { content: [], ...always },
      { content: [{ type: 'text', text: '42' }], ...always },
      { content: [{ type: 'text', text: '{"list":[1,null],"at":"1970-01-01T00:00:00.000Z"}' }], ...always },
    ])
  })

  it('sends all kinds of content', async () => {
    await using connection = await connect(serving(ContentTools), lane)
    expect(await callEach(connection.client, ['one', 'many'])).toEqual([
      { content: [{ type: 'text', text: 'alone' }], ...always },
      { content: wireBlocks, ...always },
    ])
  })

  it('passes its arguments to a handler as an instance of its model', async () => {
    await using connection = await connect(serving(ArgumentTools), lane)
    const call = { name: 'greet', arguments: { first: 'Ada', last: 'Lovelace' } }
    const { content } = await connection.client.callTool(call)
    expect(content).toEqual([{ type: 'text', text: 'a Person: Ada Lovelace' }])
  })

  it('fills in default values, anew for each call', async () => {
    await using connection = await connect(serving(ArgumentTools), lane)
    const { client } = connection
    const search = async (name: string, args: object): Promise<unknown> => {
      const { content } = await client.callTool({ name, arguments: { ...args } })
      return JSON.parse((content[0] as { text: string }).text)
    }
    const filled = { limit: 10, sort: { by: 'name', keys: ['seen'] } }
    expect(await search('search', { sort: {} })).toEqual(filled)
    expect(await search('search', { sort: {} })).toEqual(filled)
    expect(await search('search', { limit: 3, sort: { by: 'age', keys: [] } })).toEqual({
      limit: 3,
      sort: { by: 'age', keys: ['seen'] },
    })
    expect(await search('raw_search', {})).toEqual({ limit: 10 })
  })

  it('serves concurrent calls, each with its own result', async () => {
    await using connection = await connect(serving(PlainTools, StructuredTools), lane)
    const { client } = connection
    const sums = await Promise.all(
      Array.from({ length: 20 }, (_, a) => client.callTool({ name: 'add_later', arguments: { a, b: 1 } })),
    )
    expect(sums.map(({ structuredContent }) => structuredContent)).toEqual(
      Array.from({ length: 20 }, (_, a) => ({ sum: a + 1 })),
    )
  })

  it('transmits any string', async () => {
    await using connection = await connect(serving(PlainTools), lane)
    const name = 'Zoë \u2028 \n\r\n "quoted" \\ \u{1f600} 世界'.repeat(1000)
    const { content } = await connection.client.callTool({ name: 'person_of', arguments: { name } })
    expect(content).toEqual([{ type: 'text', text: name }])
  })
})

it('a tool call replaces content that an older revision does not support with a line of text, without its _meta', async () => {
  const client = { supportedProtocolVersions: ['2024-11-05'] }
  await using connection = await connect(serving(ContentTools, StructuredTools), { era: 'legacy', client })
  const [many, withNote] = await callEach(connection.client, ['many', 'with_note'])
  const [note, , , , ...resources] = wireBlocks
  expect(many).toEqual({
    content: [
      note,
      { type: 'image', data: 'AP+A', mimeType: 'image/png' },
      { type: 'text', text: '[audio: audio/wav]' },
      { type: 'text', text: '[resource: notes](file:///notes.txt)' },
      ...resources,
    ],
  })
  expect(withNote).toEqual({ content: [{ type: 'text', text: 'It is three.' }] })
})

it('alwaysStructuredContent adds structured content for clients that require it', async () => {
  const options = { ...serving(PlainTools), compat: { alwaysStructuredContent: true } }
  await using connection = await connect(options)
  expect(await connection.client.callTool({ name: 'string' })).toMatchObject({ structuredContent: {} })
})

it('an error of a tool with an output schema has no structured content, because clients would reject it', async () => {
  await using connection = await connect({
    name: 'test',
    version: '1',
    compat: { alwaysStructuredContent: true },
    controllers: [],
  })
  const { client, server } = connection
  const handler = () => result({ isError: true, content: [text('No sum.')] })
  server.catalog.addTool({ name: 'add', output: Type.Object({ sum: Type.Number() }), handler })
  const called = await client.callTool({ name: 'add' })
  expect(called).toMatchObject({ isError: true, content: [{ type: 'text', text: 'No sum.' }] })
  expect(called).not.toHaveProperty('structuredContent')
})
