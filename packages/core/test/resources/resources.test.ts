import {
  connectInMemory,
  McpContext,
  McpResource,
  Model,
  type ResourceContents,
  ResourceNotFoundError,
  type Static,
  Type,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'

const PageInput = Type.Object({ number: Type.Integer({ minimum: 1 }) })

class UserModel extends Model(Type.Object({ id: Type.String() })) {
  get label(): string {
    return `user ${this.id}`
  }
}

class Resources {
  @McpResource('config://app', {
    title: 'Configuration',
    description: 'How the application is set up',
    mimeType: 'application/json',
    annotations: { audience: ['user'], priority: 0.5 },
    icons: [{ src: 'https://example.com/c.svg' }],
    size: 12,
    _meta: { 'example.com/kind': 'config' },
  })
  config(): object {
    return { debug: true }
  }

  @McpResource('notes://today')
  notes(): string {
    return 'Write tests'
  }

  @McpResource('pixel://red', { mimeType: 'image/png' })
  pixel(): Uint8Array {
    return Buffer.from([1, 2, 3])
  }

  @McpResource('bundle://all')
  async bundle(): Promise<ResourceContents[]> {
    return Promise.resolve([
      { uri: 'bundle://a', text: 'a' },
      { uri: 'bundle://b', mimeType: 'application/zip', blob: 'AAAA' },
    ])
  }

  @McpResource('users://{id}/profile{?full}', { mimeType: 'text/markdown' })
  user({ id, full }: { id: string; full?: string }, context: McpContext): string | undefined {
    return id === 'nobody' ? undefined : `# ${id} ${full ?? 'short'} ${context.method}`
  }

  @McpResource('pages://{number}', { input: PageInput })
  page({ number }: Static<typeof PageInput>): string {
    return `page ${number + 1}`
  }

  @McpResource('models://{id}', { input: UserModel })
  model(user: UserModel): string {
    return user.label
  }

  @McpResource('gone://{id}')
  gone({ id }: { id: string }): never {
    throw new ResourceNotFoundError(`gone://${id}`)
  }

  @McpResource('broken://{id}')
  broken(): never {
    throw new Error('the password is hunter2')
  }
}

const options = { name: 'test', version: '1', controllers: [Resources] }

describe.each(lanes)('resources: $lane, $era', (lane) => {
  it('are listed by URI, with their metadata', async () => {
    await using connection = await connect(options, lane)
    const { resources } = await connection.client.listResources()
    expect(resources).toEqual([
      { uri: 'bundle://all', name: 'bundle' },
      {
        uri: 'config://app',
        name: 'config',
        title: 'Configuration',
        description: 'How the application is set up',
        mimeType: 'application/json',
        annotations: { audience: ['user'], priority: 0.5 },
        icons: [{ src: 'https://example.com/c.svg' }],
        size: 12,
        _meta: { 'example.com/kind': 'config' },
      },
      { uri: 'notes://today', name: 'notes' },
      { uri: 'pixel://red', name: 'pixel', mimeType: 'image/png' },
    ])
  })

  it('of a template are listed separately', async () => {
    await using connection = await connect(options, lane)
    const { resourceTemplates } = await connection.client.listResourceTemplates()
    expect(resourceTemplates).toEqual([
      { uriTemplate: 'broken://{id}', name: 'broken' },
      { uriTemplate: 'gone://{id}', name: 'gone' },
      { uriTemplate: 'models://{id}', name: 'model' },
      { uriTemplate: 'pages://{number}', name: 'page' },
      { uriTemplate: 'users://{id}/profile{?full}', name: 'user', mimeType: 'text/markdown' },
    ])
  })

  it.each([
    ['config://app', [{ uri: 'config://app', mimeType: 'application/json', text: '{"debug":true}' }]],
    ['notes://today', [{ uri: 'notes://today', mimeType: 'text/plain', text: 'Write tests' }]],
    ['pixel://red', [{ uri: 'pixel://red', mimeType: 'image/png', blob: 'AQID' }]],
    [
      'bundle://all',
      [
        { uri: 'bundle://a', text: 'a' },
        { uri: 'bundle://b', mimeType: 'application/zip', blob: 'AAAA' },
      ],
    ],
    [
      'users://ada/profile',
      [{ uri: 'users://ada/profile', mimeType: 'text/markdown', text: '# ada short resources/read' }],
    ],
    [
      'users://a%20b/profile?full=yes',
      [{ uri: 'users://a%20b/profile?full=yes', mimeType: 'text/markdown', text: '# a b yes resources/read' }],
    ],
    ['pages://41', [{ uri: 'pages://41', mimeType: 'text/plain', text: 'page 42' }]],
    ['models://7', [{ uri: 'models://7', mimeType: 'text/plain', text: 'user 7' }]],
  ])('are read: %s', async (uri, contents) => {
    await using connection = await connect(options, lane)
    expect((await connection.client.readResource({ uri })).contents).toEqual(contents)
  })

  it.each(['nothing://here', 'users://nobody/profile', 'pages://zero', 'pages://0', 'gone://1'])(
    'are not found: %s',
    async (uri) => {
      await using connection = await connect(options, lane)
      // The official client maps the legacy code to the modern one.
      await expect(connection.client.readResource({ uri })).rejects.toMatchObject({ code: -32602, data: { uri } })
    },
  )

  it('that fail write their error text to the log only', async () => {
    await using connection = await connect(options, lane)
    await expect(connection.client.readResource({ uri: 'broken://1' })).rejects.toMatchObject({
      code: -32603,
      message: expect.not.stringContaining('hunter2'),
    })
  })

  it('add their media type to returned contents with the same URI, and to no other contents', async () => {
    await using connection = await connect(options, lane)
    connection.server.catalog.addResource({
      uri: 'album://{name}',
      name: 'album',
      mimeType: 'text/markdown',
      handler: () => ['album://a%62', 'album://a%20b', 'album://ab/1'].map((uri) => ({ uri, text: '' })),
    })
    expect((await connection.client.readResource({ uri: 'album://ab' })).contents).toEqual([
      { uri: 'album://a%62', mimeType: 'text/markdown', text: '' },
      { uri: 'album://a%20b', text: '' },
      { uri: 'album://ab/1', text: '' },
    ])
  })

  it('with bytes or a data URL as base64 fail on the server, not in the client', async () => {
    await using connection = await connect(options, lane)
    const { client, server } = connection
    const blobs = [Buffer.from('AAAA'), 'data:image/png;base64,AAAA', '_-8']
    server.catalog.addResource({
      uri: 'blobs://{index}',
      name: 'blob',
      handler: ({ index }) => ({ contents: [{ uri: 'blobs://', blob: blobs[Number(index)] }] }),
    })
    for (const index of blobs.keys()) {
      // oxlint-disable-next-line no-await-in-loop
      await expect(client.readResource({ uri: `blobs://${index}` })).rejects.toMatchObject({ code: -32603 })
    }
  })

  it('can be added and removed at run time', async () => {
    await using connection = await connect(options, lane)
    const { catalog } = connection.server
    catalog.addResource({ uri: 'late://{id}', name: 'late', handler: ({ id }) => `late ${id}` })
    const read = () => connection.client.readResource({ uri: 'late://1' })
    expect((await read()).contents).toEqual([{ uri: 'late://1', mimeType: 'text/plain', text: 'late 1' }])
    expect(catalog.removeResource('late://{id}')).toBe(true)
    await expect(read()).rejects.toMatchObject({ data: { uri: 'late://1' } })
    expect(catalog.removeResource('late://{id}')).toBe(false)
  })
})

it('resources that are not found have their own error code in the legacy era', async () => {
  const server = await createServer(options)
  const code = (params: object) =>
    new Promise((resolve) => {
      const client = connectInMemory(server, { onMessage: resolve })
      client.send({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'nothing://here', ...params } })
    })
  const error = (number: number) => ({
    jsonrpc: '2.0',
    id: 1,
    error: { code: number, message: 'Resource not found', data: { uri: 'nothing://here' } },
  })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  expect(await code({})).toEqual(error(-32002))
  expect(await code({ _meta })).toEqual(error(-32602))
  await server.close()
})

it('a server without resources does not declare them', async () => {
  await using connection = await connect({ name: 'test', version: '1', controllers: [] })
  expect(connection.client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, logging: {} })
})

it('a template whose variables and input schema disagree is a boot problem', async () => {
  class Slip {
    @McpResource('pages://{page}', { input: PageInput })
    page({ number }: Static<typeof PageInput>): string {
      return String(number)
    }
  }
  await expect(createServer({ name: 'test', version: '1', controllers: [Slip] })).rejects.toThrow(
    [
      'The server cannot start: 2 problems found.',
      "  1. Slip.page: its input has number, but the template 'pages://{page}' has no such variable. Correct one of the two. [bad-uri]",
      "  2. Slip.page: the template 'pages://{page}' has {page}, but its input has no such property. Correct one of the two. [bad-uri]",
    ].join('\n'),
  )
})

it('a URI or template that cannot be parsed is a boot problem', async () => {
  class Odd {
    @McpResource('no scheme')
    plain(): string {
      return ''
    }

    @McpResource('users://{a}{b}')
    both(): string {
      return ''
    }
  }
  await expect(createServer({ name: 'test', version: '1', controllers: [Odd] })).rejects.toThrow(
    [
      'The server cannot start: 2 problems found.',
      "  1. Odd.plain: 'no scheme' is not a URI. Begin it with a scheme, such as notes://. [bad-uri]",
      "  2. Odd.both: the URI template 'users://{a}{b}' has {a} and {b} side by side. Put text between them. [bad-uri]",
    ].join('\n'),
  )
})
