import { once } from 'node:events'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { connect } from '@toolwright/testing'
import { type BootError, createHost, createServer, type Extension } from 'toolwright'
import { WebSocket } from 'ws'
import { levels, quotas, translations } from '../../docs/snippets/write-an-extension.js'
import { until } from '../support/until.js'

interface Quota {
  readonly subject: string
  readonly cost: number
  readonly left: number
}

/** A Standard Schema that accepts any result: the client requires one for methods that it does not know. */
const result = {
  '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value: value as Quota }) },
}

describe.each(['modern', 'legacy'] as const)('the extension of the guide, for a %s client', (era) => {
  test('declares its settings, serves its method and extends the list of tools', async () => {
    const host = await createHost({ ...translations, fastify: { logger: false } })
    const address = await host.listen({ port: 0, host: '127.0.0.1' })
    const mode = era === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' as const }
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)))
    try {
      const capabilities = client.getServerCapabilities() as Record<string, unknown>
      const declared = capabilities[era === 'legacy' ? 'experimental' : 'extensions']
      expect(declared).toEqual({ 'com.example/quotas': { unit: 'credits' } })
      const answer = await client.request({ method: 'quotas/get', params: { tool: 'translate' } }, result)
      expect(answer).toMatchObject({ subject: 'anonymous', cost: 5, left: 95 })
      const rejected = client.request({ method: 'quotas/get', params: { tool: 'x' } }, result)
      await expect(rejected).rejects.toMatchObject({ code: -32_602, data: { detail: 'No quota for x' } })
      const { tools } = await client.listTools()
      expect(tools[0]?._meta).toEqual({ 'com.example/cost': 5 })
    } finally {
      await client.close()
      await host.close()
    }
  })
})

test('an extension serves binary frames of a WebSocket, beside JSON-RPC', async () => {
  const host = await createHost({
    ...translations,
    extensions: [levels],
    webSocket: true,
    fastify: { logger: false },
  })
  const address = await host.listen({ port: 0, host: '127.0.0.1' })
  const socket = new WebSocket(`${address.replace('http', 'ws')}/ws`)
  const received: unknown[] = []
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())))
  await once(socket, 'open')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
  socket.send(Buffer.from([3, 200, 5]))
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' }))
  await until(() => received.length === 3)
  socket.close()
  await host.close()

  expect(received).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { peak: 200 },
    { jsonrpc: '2.0', id: 2, result: {} },
  ])
})

const serverOptions = { name: 'test', version: '1.0.0', controllers: [] }

describe('malformed extensions', () => {
  async function problemsOf(extensions: unknown): Promise<readonly string[]> {
    const error = await createServer({ ...serverOptions, extensions: extensions as Extension[] }).then(
      () => null,
      (thrown: unknown) => thrown as BootError,
    )
    return error?.message.split('\n') ?? []
  }

  test.each([
    [{ quotas: {} }, 'Give an array of objects with an id'],
    [[{ id: 'quotas' }], "Give a name with a vendor's prefix"],
    [[{ id: 'a.b/c' }, { id: 'a.b/c' }], "extension 'a.b/c' is declared twice"],
    [[{ id: 'a.b/c', methods: { 'tools/call': () => ({}) } }], "the method 'tools/call' belongs to the protocol"],
    [[{ id: 'a.b/c', methods: { 'own/get': 3 } }], 'methods.own/get'],
    [[{ id: 'a.b/c', webSocket: true }], "extension 'a.b/c'.webSocket is true. Give a function."],
    [[{ id: 'a.b/c', close: 1 }], "extension 'a.b/c'.close is 1. Give a function."],
    [[{ id: 'a.b/c', prepare: true }], "extension 'a.b/c'.prepare is true. Give a function."],
    [[null], 'extensions[0] is null'],
    [[{ id: 'a.b/c', methods: null }], "extension 'a.b/c': methods is null"],
    [[{ id: 'a.b/c', listedMeta: null }], "extension 'a.b/c': listedMeta is null"],
    [[{ id: 'io.modelcontextprotocol/tasks' }], "extension 'io.modelcontextprotocol/tasks' is built in"],
    [[{ id: 'a.b/c', listedMeta: { tasks: () => ({}) } }], 'listedMeta.tasks is not the name of a list'],
  ])('are boot problems: %j', async (extensions, problem) => {
    expect((await problemsOf(extensions)).join('\n')).toContain(problem)
  })
})

describe('an extension with prepare', () => {
  const motto: Extension = {
    id: 'com.example/motto',
    prepare: async ({ catalog }) => {
      await Promise.resolve()
      catalog.addResource({ uri: 'motto://today', name: 'motto', handler: () => 'Carpe diem' })
    },
  }

  test('adds features to the catalog before the server starts', async () => {
    const connection = await connect({ ...serverOptions, extensions: [motto] })
    expect(await connection.client.readResource({ uri: 'motto://today' })).toMatchObject({
      contents: [{ text: 'Carpe diem' }],
    })
    await connection.close()
  })

  test('reports its errors together with other problems', async () => {
    const failing: Extension = {
      id: 'com.example/failing',
      prepare: () => {
        throw new Error('no connection')
      },
    }
    const starting = createServer({
      ...serverOptions,
      pageSize: 0,
      extensions: [motto, { ...motto, id: 'a.b/c' }, failing],
    })
    const { diagnostics } = await starting.then(
      () => ({ diagnostics: [] }),
      (error: unknown) => error as BootError,
    )
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining('pageSize'),
      expect.stringContaining("Resource 'motto://today' is already served"),
      "Extension 'com.example/failing' cannot be used: no connection",
    ])
  })
})

describe('an extension with close', () => {
  test('closes before the application does', async () => {
    const closed: string[] = []
    const close = async (): Promise<void> => {
      await Promise.resolve()
      closed.push('extension')
    }
    const onClose = (): void => {
      closed.push('application')
    }
    const server = await createServer({ ...serverOptions, extensions: [{ id: 'a.b/c', close }], onClose })
    await server.close()
    expect(closed).toEqual(['extension', 'application'])
  })

  test('does not keep the rest of the server open when it fails', async () => {
    let isClosed = false
    const failing: Extension = { id: 'a.b/c', close: () => Promise.reject(new Error('too late')) }
    const onClose = (): void => {
      isClosed = true
    }
    const server = await createServer({ ...serverOptions, extensions: [failing], onClose })
    await expect(server.close()).rejects.toThrow('too late')
    expect(isClosed).toBe(true)
  })
})

test('a method of an extension follows the default rule of the server', async () => {
  const server = await createServer({
    ...serverOptions,
    extensions: [quotas],
    authorization: { default: 'authenticated' },
  })
  const anonymous = await connect(server)
  await expect(
    anonymous.client.request({ method: 'quotas/get', params: { tool: 'translate' } }, result),
  ).rejects.toThrow('Unauthorized')
  await anonymous.close()
  const known = await connect(server, { principal: { subject: 'ada' } })
  const answer = (await known.client.request({ method: 'quotas/get', params: { tool: 'translate' } }, result)) as Quota
  expect(answer.subject).toBe('ada')
  await known.close()
  await server.close()
})

test.each(['modern', 'legacy'] as const)('a result that is only _meta is valid JSON for a %s client', async (era) => {
  const extension: Extension = { id: 'a.b/c', methods: { 'own/get': () => ({ _meta: { a: 1 } }) } }
  const connection = await connect({ ...serverOptions, extensions: [extension] }, { era })
  expect(await connection.client.request({ method: 'own/get' }, result)).toMatchObject({ _meta: { a: 1 } })
  await connection.close()
})

test('a result with resultType is an internal error, because clients would take it for another kind of result', async () => {
  const extension: Extension = { id: 'a.b/c', methods: { 'own/get': () => ({ resultType: 'task' }) } }
  const connection = await connect({ ...serverOptions, extensions: [extension] })
  await expect(connection.client.request({ method: 'own/get' }, result)).rejects.toMatchObject({ code: -32_603 })
  await connection.close()
})
