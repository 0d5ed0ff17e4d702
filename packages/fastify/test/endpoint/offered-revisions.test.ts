import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemorySessionStore } from '@toolwright/sessions'
import {
  closeApps,
  connectTo,
  legacyMessage,
  listen,
  modernVersion,
  openApp,
  openSession,
  type TestTool,
} from '../../../../test/support/client/index.js'

const tools: readonly TestTool[] = [{ name: 'version', handler: (_args, context) => context.protocolVersion }]

const unsupportedHeader = 'Invalid Request: unsupported MCP-Protocol-Version header'

afterEach(closeApps)

describe('a server of one legacy revision', () => {
  const open = () => openApp({ tools, revisions: ['2025-11-25'] })

  it.each(['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'])(
    'responds to initialize of %s with its own revision',
    async (version) => {
      const { status, json } = await connectTo(await open(), { era: 'legacy' }).initialize(version)
      expect(status).toBe(200)
      expect(json.result.protocolVersion).toBe('2025-11-25')
    },
  )

  it('rejects headers of other revisions, and names the offered one', async () => {
    const client = connectTo(await open(), { era: 'legacy' })
    for (const version of ['2025-06-18', modernVersion]) {
      // oxlint-disable-next-line no-await-in-loop
      const { status, json } = await client.send(legacyMessage('tools/list'), { 'mcp-protocol-version': version })
      expect(status).toBe(400)
      expect(json.error).toEqual({
        code: -32600,
        message: unsupportedHeader,
        data: { supported: ['2025-11-25'], requested: version },
      })
    }
  })

  it('does not assume 2025-03-26 for messages without a header', async () => {
    const { status, json } = await connectTo(await open(), { era: 'legacy' }).request('tools/list')
    expect(status).toBe(400)
    expect(json.error).toEqual({
      code: -32600,
      message: 'Invalid Request: the MCP-Protocol-Version header is missing',
      data: { supported: ['2025-11-25'] },
    })
  })

  it('rejects modern requests with an error that clients do not take for a modern server', async () => {
    const client = connectTo(await open())
    for (const method of ['server/discover', 'tools/list']) {
      // oxlint-disable-next-line no-await-in-loop
      const { status, json } = await client.request(method)
      expect(status).toBe(400)
      expect(json.error).toEqual({
        code: -32600,
        message: 'Invalid Request: unsupported protocol version. Call initialize',
        data: { supported: ['2025-11-25'], requested: modernVersion },
      })
    }
  })

  it('is called by an official client that tries the modern revision first', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const port = await listen(await open())
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))
    const { content } = await client.callTool({ name: 'version', arguments: {} })
    expect(content).toEqual([{ type: 'text', text: '2025-11-25' }])
    await client.close()
  })

  it('has no sessions of other revisions, which another node may have opened', async () => {
    const sessionStore = new InMemorySessionStore()
    const other = await openApp({ tools, sessionStore })
    const session = await openSession(other, { version: '2025-06-18' })
    expect((await session.request('ping')).status).toBe(200)
    const app = await openApp({ tools, sessionStore, revisions: ['2025-11-25'] })
    expect((await session.at(app).request('ping')).status).toBe(404)
  })

  it('has no batches', async () => {
    const { json } = await connectTo(await open(), { era: 'legacy' }).send([legacyMessage('ping')], {
      'mcp-protocol-version': '2025-11-25',
    })
    expect(json.error.message).toBe('Invalid Request: this protocol version does not support batches')
  })
})

describe('a server of the modern revision', () => {
  const open = () => openApp({ tools, revisions: [modernVersion] })

  it('names the revision in server/discover', async () => {
    const { json } = await connectTo(await open()).request('server/discover')
    expect(json.result.supportedVersions).toEqual([modernVersion])
  })

  it('rejects initialize, and names the offered revision', async () => {
    const { status, json } = await connectTo(await open(), { era: 'legacy' }).initialize('2025-11-25')
    expect(status).toBe(400)
    expect(json.error).toEqual({
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported: [modernVersion], requested: '2025-11-25' },
    })
  })

  it('rejects other legacy messages', async () => {
    const client = connectTo(await open(), { era: 'legacy' })
    const list = await client.send(legacyMessage('tools/list'), { 'mcp-protocol-version': '2025-11-25' })
    expect([list.status, list.json.error.code]).toEqual([400, -32602])
    const response = await client.send({ jsonrpc: '2.0', id: 1, result: {} })
    expect([response.status, response.json.error.code]).toEqual([400, -32600])
    const batch = await client.send([legacyMessage('ping')])
    expect([batch.status, batch.json.error.code]).toEqual([400, -32600])
    // The modern revision has no client notifications over HTTP: the server drops them.
    expect((await client.notify('notifications/initialized')).status).toBe(202)
  })

  it('has no sessions', async () => {
    const app = await open()
    for (const method of ['GET', 'DELETE'] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await app.inject({ method, url: '/mcp', headers: { 'mcp-session-id': 'a' } })
      expect([response.statusCode, response.headers['allow']]).toEqual([405, 'POST'])
    }
  })

  it('rejects an official client of older revisions', async () => {
    const port = await listen(await open())
    const client = new LegacyClient({ name: 'test', version: '1' })
    const transport = new LegacyTransport(new URL(`http://127.0.0.1:${port}/mcp`))
    await expect(client.connect(transport as never)).rejects.toThrow('Unsupported protocol version')
  })
})

describe('a server of two revisions', () => {
  it('agrees on either revision, and on the newer one with clients of other revisions', async () => {
    const app = await openApp({ tools, revisions: ['2025-03-26', '2025-06-18'] })
    const client = connectTo(app, { era: 'legacy' })
    const agreed = async (version: string) => (await client.initialize(version)).json.result.protocolVersion
    expect(await Promise.all(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map(agreed))).toEqual([
      '2025-06-18',
      '2025-03-26',
      '2025-06-18',
      '2025-06-18',
    ])
    expect((await client.call('version')).json.result.content[0].text).toBe('2025-03-26')
    expect(app.mcp.revisions).toEqual(['2025-06-18', '2025-03-26'])
  })
})

it.each([
  [['2025-11-26'], "revisions has '2025-11-26', which does not exist. Did you mean 2025-11-25?"],
  [['latest'], "revisions has 'latest', which does not exist. Give one of 2024-11-05,"],
  [[], "revisions is empty. Give at least one of '2026-07-28',"],
  ['2025-11-25', "revisions is the string '2025-11-25'. Give an array of '2026-07-28',"],
])('the revisions %j are a boot problem', async (revisions, message) => {
  await expect(openApp({ tools, revisions: revisions as readonly string[] })).rejects.toThrow(message)
})
