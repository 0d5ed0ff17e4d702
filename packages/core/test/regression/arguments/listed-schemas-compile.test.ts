import { Client as Client2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type AddedTool, connectInMemory, type McpServer, Type } from '@toolwright/core'
import { serve } from '../../protocol/client.js'

interface OfficialClient {
  connect(transport: object): Promise<void>
  listTools(): Promise<{ tools: { name: string; outputSchema?: object }[] }>
  callTool(params: object): Promise<object>
  close(): Promise<void>
}

const identity = { name: 'official', version: '1.0.0' }

const clients: readonly [string, () => OfficialClient][] = [
  ['1.x', () => new Client1(identity)],
  ['2.x, legacy', () => new Client2(identity, { versionNegotiation: { mode: 'legacy' } })],
  ['2.x, modern', () => new Client2(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } })],
]

/** The transport of the official SDK, in memory. */
function transportTo(server: McpServer): object {
  const transport = {
    onmessage: undefined as ((message: JSONRPCMessage) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    start: () => Promise.resolve(),
    send: (message: JSONRPCMessage) => Promise.resolve(connection.send(message)),
    close: () => {
      void connection.close()
      transport.onclose?.()
      return Promise.resolve()
    },
  }
  const connection = connectInMemory(server, {
    onMessage: (message) => transport.onmessage?.(message as JSONRPCMessage),
  })
  return transport
}

const User = Type.Object({ id: Type.String() }, { $id: 'User' })
const Point = Type.Object({ x: Type.Number() }, { $id: 'Shape' })
const Circle = Type.Object({ radius: Type.Number() }, { $id: 'Shape' })

const Tree = Type.Cyclic(
  { Tree: Type.Object({ owner: User, left: Type.Optional(Type.Ref('Tree')) }, { additionalProperties: false }) },
  'Tree',
)

const ada = { id: 'ada' }

const dynamicTree = {
  type: 'object',
  properties: { tree: { $ref: '#/$defs/tree' } },
  required: ['tree'],
  $defs: {
    tree: {
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { size: { type: 'number' }, children: { type: 'array', items: { $dynamicRef: '#node' } } },
      required: ['size'],
    },
  },
}

const tools: readonly (AddedTool & { readonly returned: object; readonly unfit: object })[] = [
  {
    name: 'twice',
    output: Type.Object({ one: User, two: User }),
    returned: { one: ada, two: ada },
    unfit: { one: ada, two: { id: 1 } },
  },
  {
    name: 'by-id',
    output: Type.Object({ a: User, b: Type.Ref('User') }),
    returned: { a: ada, b: ada },
    unfit: { a: ada },
  },
  { name: 'point', output: Point, returned: { x: 1 }, unfit: { radius: 1 } },
  { name: 'circle', output: Circle, returned: { radius: 1 }, unfit: { x: 1 } },
  {
    name: 'trees',
    output: Type.Object({ a: Tree, b: Tree, user: User }),
    returned: { a: { owner: ada, left: { owner: ada } }, b: { owner: ada }, user: ada },
    unfit: { a: { owner: ada, left: { owner: 1 } }, b: { owner: ada }, user: ada },
  },
  {
    name: 'plain',
    outputSchema: {
      $id: 'https://example.com/root',
      type: 'object',
      properties: { a: { $ref: 'part#/properties/b~1c' }, b: { $ref: '#/$defs/other' }, c: { $ref: 'part#named' } },
      required: ['a', 'b', 'c'],
      $defs: {
        other: { $id: 'other', type: 'boolean' },
        part: {
          $id: 'part',
          type: 'object',
          properties: { 'b/c': { type: 'number' } },
          $defs: { named: { $anchor: 'named', type: 'string' } },
        },
      },
    },
    returned: { a: 1, b: true, c: '' },
    unfit: { a: '', b: true, c: '' },
  },
  {
    name: 'draft-07',
    outputSchema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { a: { $ref: '#user' } },
      definitions: { user: { $id: '#user', type: 'string' } },
    },
    returned: { a: '' },
    unfit: { a: 1 },
  },
  {
    name: 'draft-2020',
    outputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { $ref: '#user' } },
      $defs: { user: { $anchor: 'user', type: 'string' } },
    },
    returned: { a: '' },
    unfit: { a: 1 },
  },
  {
    name: 'dynamic',
    outputSchema: dynamicTree,
    returned: { tree: { size: 1, children: [{ size: 1 }] } },
    unfit: { tree: { size: 1, children: [{}] } },
  },
].map((tool) => ({
  ...tool,
  handler: ({ unfit }: { unfit?: boolean }) => (unfit ? tool.unfit : tool.returned),
})) as never

describe.each(clients)('the official client %s', (_which, create) => {
  test('accepts lists whose schemas share an $id, and validates each result with its own schema', async () => {
    const server = await serve()
    for (const { returned: _returned, unfit: _unfit, ...tool } of tools) {
      server.catalog.addTool({ ...tool, inputSchema: { type: 'object' } })
    }
    const client = create()
    await client.connect(transportTo(server))

    const listed = (await client.listTools()).tools.map(({ name }) => name)
    const good = await Promise.all(tools.map(({ name }) => client.callTool({ name, arguments: {} })))
    const bad = await Promise.all(tools.map(({ name }) => client.callTool({ name, arguments: { unfit: true } })))

    expect(listed.toSorted()).toEqual(tools.map(({ name }) => name).toSorted())
    expect(good).toMatchObject(tools.map(({ returned }) => ({ structuredContent: returned })))
    expect(bad).toMatchObject(tools.map(() => ({ isError: true })))
    await client.close()
    await server.close()
  })
})

describe('an input schema with an $id in several places', () => {
  test('reports the error in a value with thousands of items', async () => {
    const server = await serve()
    const input = Type.Object({ owner: User, users: Type.Array(User) })
    server.catalog.addTool({ name: 'import', input, handler: () => 'ran' })

    const { content } = await server.callTool('import', { owner: ada, users: Array.from({ length: 3000 }, () => ({})) })

    expect(content).toMatchObject([{ text: expect.stringContaining("Invalid arguments for tool 'import'") }])
    await server.close()
  })

  test('follows a $dynamicRef to the part with its anchor', async () => {
    const server = await serve()
    server.catalog.addTool({ name: 'plant', inputSchema: dynamicTree, handler: () => 'ran' })
    const call = async (tree: object): Promise<boolean> => (await server.callTool('plant', { tree })).isError ?? false

    expect(await call({ size: 1, children: [{ size: 2 }] })).toBe(false)
    expect(await call({ size: 1, children: [{ size: 'x' }] })).toBe(true)
    await server.close()
  })
})
