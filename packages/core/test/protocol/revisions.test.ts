import { audio, embeddedResource, image, type McpServer, resourceLink, result, ToolError, text } from '@toolwright/core'
import { closeClients, legacyVersions, modernVersion, speak, type Version, versions, type WireTool } from './client.js'
import { errorsOf } from './official-schema.js'

afterEach(closeClients)

const serverMeta = { 'io.modelcontextprotocol/serverInfo': { name: 'wire', version: '1.0.0' } }

/** A value as one revision sends it; `null` where the whole value is absent. */
type PerVersion<Value> = Readonly<Record<Version, Value>>

function since<Value>(first: Version, value: Value, before: Value): PerVersion<Value> {
  return Object.fromEntries(
    versions.map((version) => [version, version >= first ? value : before]),
  ) as unknown as PerVersion<Value>
}

describe('the entry of a tool', () => {
  const icons = [{ src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' as const }]
  const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
  const object = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
  const full: WireTool = {
    name: 'full',
    title: 'Everything',
    description: 'Has all there is',
    icons,
    annotations: { title: 'Annotated', readOnlyHint: true, openWorldHint: false },
    _meta: { 'com.example/a': [1] },
    inputSchema,
    outputSchema: object,
    handler: () => ({ sum: 1 }),
  }

  const base = { name: 'full', description: 'Has all there is', inputSchema }
  const { annotations } = full
  const modern = {
    ...base,
    title: 'Everything',
    annotations,
    icons,
    outputSchema: object,
    _meta: { 'com.example/a': [1] },
  }
  const { icons: _icons, ...withoutIcons } = modern
  const expected: PerVersion<object> = {
    '2024-11-05': base,
    '2025-03-26': { ...base, annotations },
    '2025-06-18': withoutIcons,
    '2025-11-25': modern,
    '2026-07-28': modern,
  }

  it.each(versions)('contains in %s the members of that revision', async (version) => {
    const client = await speak(version, [full])

    expect((await client.request('tools/list')).result.tools).toStrictEqual([expected[version]])
  })

  it.each(versions)('contains only the required members in %s', async (version) => {
    const client = await speak(version, [{ name: 'bare', handler: () => 'x' }])

    expect((await client.request('tools/list')).result.tools).toStrictEqual([
      { name: 'bare', inputSchema: { type: 'object', additionalProperties: false } },
    ])
  })

  it.each(versions)('contains in %s schemas of properties in the format of that revision', async (version) => {
    const properties = { any: true, none: false, text: { type: 'string' } }
    const schema = { type: 'object', properties, required: ['any'] }
    const tool: WireTool = { name: 'loose', inputSchema: schema, outputSchema: schema, handler: () => ({ any: 1 }) }
    const client = await speak(version, [tool])

    const asObjects = { ...schema, properties: { any: {}, none: { not: {} }, text: { type: 'string' } } }
    const listed = since<object>('2026-07-28', schema, asObjects)[version]
    const output = since<object>('2025-06-18', { outputSchema: listed }, {})[version]
    expect((await client.request('tools/list')).result.tools).toStrictEqual([
      { name: 'loose', inputSchema: listed, ...output },
    ])
  })

  it('contains its title in the annotations for 2025-03-26, which has no other member for it', async () => {
    const client = await speak('2025-03-26', [
      { name: 'a', title: 'A', handler: () => 'x' },
      { name: 'b', title: 'B', annotations: { title: 'Own', readOnlyHint: true }, handler: () => 'x' },
    ])

    const { tools } = (await client.request('tools/list')).result

    expect(tools.map((tool: { annotations: object }) => tool.annotations)).toStrictEqual([
      { title: 'A' },
      { title: 'Own', readOnlyHint: true },
    ])
  })

  it.each([
    ['an array', { type: 'array', items: { type: 'number' } }],
    ['a scalar', { type: 'string' }],
    ['null', { type: 'null' }],
    ['a union', { anyOf: [{ type: 'object' }, { type: 'array' }] }],
    ['several types', { type: ['object', 'null'] }],
    ['anything', {}],
  ])('has an output schema that allows %s only in 2026-07-28', async (_what, outputSchema) => {
    const schemas = await Promise.all(
      versions.map(async (version) => {
        const client = await speak(version, [{ name: 'tool', outputSchema, handler: () => null }])
        return (await client.request('tools/list')).result.tools[0].outputSchema
      }),
    )

    expect(schemas).toStrictEqual([undefined, undefined, undefined, undefined, outputSchema])
  })
})

it('the entry of a resource contains its modification time from 2025-06-18 on', async () => {
  const [old, uri] = [{ priority: 1 }, 'file:///a']
  const annotations = { ...old, lastModified: '2026-01-01T00:00:00Z' }
  const onReady = ({ catalog }: McpServer) => catalog.addResource({ uri, name: 'a', annotations, handler: () => 'a' })
  const listed = await Promise.all(
    versions.map(async (version) => {
      const { result: list } = await (await speak(version, [], { onReady })).request('resources/list')
      return [version, list.resources[0].annotations] as const
    }),
  )

  expect(Object.fromEntries(listed)).toStrictEqual(since<object>('2025-06-18', annotations, old))
})

/** The result of a tool in each revision, without the `_meta` of the server. */
async function resultsOf(tool: WireTool): Promise<PerVersion<object>> {
  const results = await Promise.all(
    versions.map(async (version) => {
      const client = await speak(version, [tool])
      const { result: given } = await client.call(tool.name)
      if (version !== modernVersion) return [version, given] as const
      const { resultType, _meta, ...rest } = given
      expect([resultType, _meta]).toStrictEqual(['complete', serverMeta])
      return [version, rest] as const
    }),
  )
  return Object.fromEntries(results) as unknown as PerVersion<object>
}

function textOf(value: string): object {
  return { content: [{ type: 'text', text: value }] }
}

describe('the result of a call', () => {
  it.each<[string, unknown, string]>([
    ['text', 'hello', 'hello'],
    ['a number', 42, '42'],
    ['true', true, 'true'],
    ['null', null, 'null'],
    ['an object', { a: [1, { b: null }] }, '{"a":[1,{"b":null}]}'],
    ['a list', [1, 'two'], '[1,"two"]'],
    ['an empty list', [], '[]'],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['NaN', Number.NaN, 'null'],
    ['a promise', Promise.resolve('later'), 'later'],
  ])('without an output schema is text in every revision: %s', async (_what, returned, expected) => {
    const results = await resultsOf({ name: 'plain', handler: () => returned })

    expect(results).toStrictEqual(since('2024-11-05', textOf(expected), {}))
  })

  it('is empty content if the handler returns undefined', async () => {
    const results = await resultsOf({ name: 'nothing', handler: () => undefined })

    expect(results).toStrictEqual(since('2024-11-05', { content: [] }, {}))
  })

  it('with an output schema is structured from 2025-06-18 on, and text everywhere', async () => {
    const results = await resultsOf({
      name: 'structured',
      outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      handler: () => ({ sum: 3 }),
    })

    const plain = textOf('{"sum":3}')
    expect(results).toStrictEqual(since('2025-06-18', { ...plain, structuredContent: { sum: 3 } }, plain))
  })

  it.each<[string, unknown]>([
    ['a list', [1, 2]],
    ['text', 'hello'],
    ['a number', 7],
    ['false', false],
    ['null', null],
  ])('that is not an object is structured only in 2026-07-28: %s', async (_what, returned) => {
    const results = await resultsOf({ name: 'value', outputSchema: {}, handler: () => returned })

    const plain = textOf(JSON.stringify(returned))
    expect(results).toStrictEqual(since('2026-07-28', { ...plain, structuredContent: returned }, plain))
  })

  it('contains each kind of content that the revision supports', async () => {
    const annotations = { audience: ['user' as const], priority: 0.5 }
    const content = [
      text('hello', { annotations }),
      image(Buffer.from([1, 2, 3]), 'image/png'),
      audio('AQID', 'audio/wav'),
      resourceLink('file:///a.txt', 'a.txt', { title: 'A', mimeType: 'text/plain', size: 3 }),
      embeddedResource({ uri: 'file:///b.txt', mimeType: 'text/plain', text: 'bee' }),
      embeddedResource({ uri: 'file:///c.bin', blob: 'AQID' }),
    ]
    const results = await resultsOf({ name: 'media', handler: () => result({ content }) })

    const modern: object[] = [
      { type: 'text', text: 'hello', annotations },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
      { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt', title: 'A', mimeType: 'text/plain', size: 3 },
      { type: 'resource', resource: { uri: 'file:///b.txt', mimeType: 'text/plain', text: 'bee' } },
      { type: 'resource', resource: { uri: 'file:///c.bin', blob: 'AQID' } },
    ]
    const withoutLinks = modern.with(3, { type: 'text', text: '[resource: a.txt](file:///a.txt)' })
    const withoutAudio = withoutLinks.with(2, { type: 'text', text: '[audio: audio/wav]' })
    expect(results).toStrictEqual({
      '2024-11-05': { content: withoutAudio },
      '2025-03-26': { content: withoutLinks },
      '2025-06-18': { content: modern },
      '2025-11-25': { content: modern },
      '2026-07-28': { content: modern },
    })
  })

  it('contains the _meta and the modification time of content from 2025-06-18 on', async () => {
    const [old, _meta] = [{ priority: 1 }, { 'com.example/a': 1 }]
    const annotations = { ...old, lastModified: '2026-01-01T00:00:00Z' }
    const file = { uri: 'file:///a', text: 'a' }
    const content = [
      text('t', { annotations, _meta }),
      embeddedResource({ ...file, _meta }, { annotations, _meta }),
      image('AQID', 'image/png', { _meta }),
    ]
    const results = await resultsOf({ name: 'media', handler: () => result({ content }) })

    const before = [
      { type: 'text', text: 't', annotations: old },
      { type: 'resource', resource: file, annotations: old },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
    ]
    expect(results).toStrictEqual(since<object>('2025-06-18', { content }, { content: before }))
  })

  it('has isError only for an error', async () => {
    const results = await resultsOf({
      name: 'fails',
      outputSchema: { type: 'object', required: ['sum'] },
      handler: () => {
        throw new ToolError('Divide by something else than 0.')
      },
    })

    expect(results).toStrictEqual(
      since('2024-11-05', { ...textOf('Divide by something else than 0.'), isError: true }, {}),
    )
  })

  it.each([undefined, { sum: 'none' }])(
    'with an error is text only where clients reject structured content that does not match the schema: %j',
    async (structuredContent) => {
      const results = await resultsOf({
        name: 'fails',
        outputSchema: { type: 'object', required: ['sum'], properties: { sum: { type: 'number' } } },
        handler: () => result({ isError: true, content: [text('No sum.')], structuredContent }),
      })

      const error = { ...textOf('No sum.'), isError: true }
      expect(results).toEqual(since<object>('2026-07-28', { ...error, structuredContent }, error))
    },
  )

  it('with an error keeps structured content that matches the schema', async () => {
    const structuredContent = { sum: 1 }
    const results = await resultsOf({
      name: 'fails',
      outputSchema: { type: 'object', required: ['sum'] },
      handler: () => result({ isError: true, structuredContent }),
    })

    const error = { ...textOf('{"sum":1}'), isError: true }
    expect(results).toEqual(since<object>('2025-06-18', { ...error, structuredContent }, error))
  })

  it('contains its _meta from 2025-06-18 on', async () => {
    const tool: WireTool = { name: 'meta', handler: () => result({ content: [], _meta: { 'com.example/a': 1 } }) }
    const metas = await Promise.all(
      versions.map(async (version) => (await (await speak(version, [tool])).call('meta')).result._meta),
    )

    const own = { 'com.example/a': 1 }
    expect(metas).toStrictEqual([undefined, undefined, own, own, { ...own, ...serverMeta }])
  })
})

describe('invalid arguments', () => {
  const tool: WireTool = {
    name: 'add',
    inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    handler: () => 'unreachable',
  }
  const sentence = "Invalid arguments for tool 'add': 'a' must be a number, got a string."

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'] as const)('are a protocol error in %s', async (version) => {
    const client = await speak(version, [tool])

    const { id: _id, ...response } = await client.call('add', { a: 'one' })

    expect(response).toStrictEqual({
      jsonrpc: '2.0',
      error: { code: -32602, message: 'Invalid params', data: { detail: sentence } },
    })
  })

  it.each(['2025-11-25', '2026-07-28'] as const)('are an error result for the model in %s', async (version) => {
    const client = await speak(version, [tool])

    expect((await client.call('add', { a: 'one' })).result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: sentence }],
    })
  })

  it.each(versions)('are a protocol error in %s when they are not an object', async (version) => {
    const client = await speak(version, [tool])
    const codes = await Promise.all(
      [[], 'a', 1, true].map(
        async (args) => (await client.request('tools/call', { name: 'add', arguments: args })).error.code,
      ),
    )

    expect(codes).toStrictEqual([-32602, -32602, -32602, -32602])
  })

  it.each(versions)('are not reported when the tool is unknown in %s', async (version) => {
    const client = await speak(version, [tool])

    const { id: _id, ...response } = await client.call('ad', { a: 'one' })

    expect(response).toStrictEqual({
      jsonrpc: '2.0',
      error: { code: -32602, message: 'Unknown tool: ad', data: { suggestions: ['add'] } },
    })
  })
})

describe('every message', () => {
  const tools: WireTool[] = [
    {
      name: 'structured',
      title: 'Structured',
      description: 'Returns an object',
      icons: [{ src: 'https://example.com/i.png', theme: 'dark' }],
      annotations: { title: 'T', destructiveHint: false, idempotentHint: true },
      _meta: { 'com.example/a': {} },
      inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'number' } } },
      outputSchema: { type: 'object', properties: { list: { type: 'array' } } },
      handler: () => ({ list: [1, null, {}] }),
    },
    { name: 'list', outputSchema: { type: 'array' }, handler: () => [1, 2] },
    { name: 'scalar', outputSchema: { type: 'number' }, handler: () => 0 },
    { name: 'null', outputSchema: { type: 'null' }, handler: () => null },
    { name: 'nothing', handler: () => undefined },
    {
      name: 'media',
      handler: () =>
        result({
          content: [
            text('t', { annotations: { audience: ['assistant'], priority: 1, lastModified: '2026-01-01T00:00:00Z' } }),
            image('AQID', 'image/png', { _meta: { a: 1 } }),
            audio('AQID', 'audio/wav'),
            resourceLink('https://example.com/a', 'a', { description: 'A', annotations: { priority: 0 } }),
            embeddedResource({ uri: 'file:///a', text: 'a', mimeType: 'text/plain', _meta: { b: 2 } }),
            embeddedResource({ uri: 'file:///b', blob: 'AQID' }),
          ],
          structuredContent: { a: 1 },
          _meta: { 'com.example/b': true },
        }),
    },
    {
      name: 'progress',
      handler: async function* () {
        yield { progress: 0.5, total: 1, message: 'half' }
        yield { progress: 1 }
        return 'done'
      },
    },
    {
      name: 'fails',
      handler: () => {
        throw new Error('secret')
      },
    },
  ]

  it.each(legacyVersions)('is valid by the official schema of %s', async (version) => {
    const client = await speak(version, tools, { pageSize: 3, title: 'Wire', description: 'D', instructions: 'I' })
    const first = await client.request('tools/list')
    const second = await client.request('tools/list', { cursor: first.result.nextCursor })
    const calls = await Promise.all(tools.map(({ name }) => client.call(name, {}, { progressToken: name })))
    const errors = await Promise.all([
      client.request('nothing'),
      client.call('nobody'),
      client.call('structured', { a: 'x' }),
      client.request('tools/list', { cursor: 'forged' }),
    ])
    const ping = await client.request('ping')
    const notifications = client.received.filter(({ method }) => method === 'notifications/progress')
    const errorName = version === '2025-11-25' ? 'JSONRPCErrorResponse' : 'JSONRPCError'

    expect(errorsOf(version, 'InitializeResult', client.received[0].result)).toStrictEqual([])
    for (const { result: page } of [first, second]) {
      expect(page.tools).toHaveLength(3)
      expect(errorsOf(version, 'ListToolsResult', page)).toStrictEqual([])
    }
    for (const { result: called } of calls) expect(errorsOf(version, 'CallToolResult', called)).toStrictEqual([])
    expect(notifications).toHaveLength(2)
    for (const sent of notifications) expect(errorsOf(version, 'ProgressNotification', sent)).toStrictEqual([])
    for (const sent of errors.filter(({ error }) => error !== undefined)) {
      expect(errorsOf(version, errorName, sent)).toStrictEqual([])
    }
    expect(errorsOf(version, 'EmptyResult', ping.result)).toStrictEqual([])
    for (const sent of client.received) expect(errorsOf(version, 'JSONRPCMessage', sent)).toStrictEqual([])
  })

  it('is valid by the official schema of 2026-07-28', async () => {
    const client = await speak(modernVersion, tools, {
      pageSize: 3,
      title: 'Wire',
      description: 'D',
      instructions: 'I',
    })
    const discovered = await client.request('server/discover')
    const first = await client.request('tools/list')
    const second = await client.request('tools/list', { cursor: first.result.nextCursor })
    const calls = await Promise.all(tools.map(({ name }) => client.call(name, {}, { progressToken: name })))
    const errors = await Promise.all([
      client.request('nothing'),
      client.call('nobody'),
      client.request('tools/list', { cursor: 'forged' }),
      client.request('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '1999-01-01' } }),
      client.request('tools/list', { _meta: { 'io.modelcontextprotocol/clientCapabilities': null } }),
    ])
    const notifications = client.received.filter(({ method }) => method === 'notifications/progress')

    expect(errorsOf(modernVersion, 'DiscoverResultResponse', discovered)).toStrictEqual([])
    for (const page of [first, second]) {
      expect(page.result.tools).toHaveLength(3)
      expect(errorsOf(modernVersion, 'ListToolsResultResponse', page)).toStrictEqual([])
    }
    for (const called of calls) expect(errorsOf(modernVersion, 'CallToolResultResponse', called)).toStrictEqual([])
    expect(notifications).toHaveLength(2)
    for (const sent of notifications) expect(errorsOf(modernVersion, 'ProgressNotification', sent)).toStrictEqual([])
    expect(errors.map(({ error }) => error.code)).toStrictEqual([-32601, -32602, -32602, -32022, -32602])
    for (const sent of errors) expect(errorsOf(modernVersion, 'JSONRPCErrorResponse', sent)).toStrictEqual([])
    for (const sent of client.received) expect(errorsOf(modernVersion, 'JSONRPCMessage', sent)).toStrictEqual([])
  })

  it('is checked by schemas that reject wrong messages', () => {
    expect(errorsOf('2025-11-25', 'CallToolResult', { content: [{ type: 'text' }] })).toHaveLength(1)
    expect(
      errorsOf('2024-11-05', 'CallToolResult', { content: [{ type: 'audio', data: '', mimeType: 'a/b' }] }),
    ).toHaveLength(1)
    expect(errorsOf('2026-07-28', 'ListToolsResult', { tools: [] })).toHaveLength(1)
  })
})
