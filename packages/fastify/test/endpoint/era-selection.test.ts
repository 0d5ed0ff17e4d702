import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  headersOf,
  initializeMessage,
  legacyMessage,
  legacyVersions,
  type Message,
  metaKeys,
  modernMessage,
  modernVersion,
  openApp,
  serverMeta,
  type TestClient,
  toolCall,
} from '../../../../test/support/client/index.js'

const echo = {
  name: 'echo',
  handler: (_args: unknown, context: { protocolVersion: string }) => context.protocolVersion,
}

/** Revision of a call: the result of the tool. */
function revisionOf(reply: { json: { result?: { content: { text: string }[] } } }): string | undefined {
  return reply.json?.result?.content[0]?.text
}

function notification(method: string, params?: object): object {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }
}

afterEach(closeApps)

describe('the era of a request', () => {
  let app: FastifyInstance
  let modern: TestClient
  let legacy: TestClient

  beforeEach(async () => {
    app = await openApp({ tools: [echo] })
    modern = connectTo(app)
    legacy = connectTo(app, { era: 'legacy' })
  })

  it('is modern for a body with a modern version', async () => {
    const reply = await modern.call('echo')

    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', content: [{ type: 'text', text: modernVersion }], _meta: serverMeta },
    })
  })

  it.each(legacyVersions)(
    'is legacy %s without a version in the body, when the header has that version',
    async (version) => {
      const reply = await legacy.call('echo', {}, { headers: { 'mcp-protocol-version': version } })

      expect(reply.json).toStrictEqual({
        jsonrpc: '2.0',
        id: 1,
        result: { content: [{ type: 'text', text: version }] },
      })
    },
  )

  it('is 2025-03-26 without any version', async () => {
    const reply = await legacy.call('echo')

    expect(revisionOf(reply)).toBe('2025-03-26')
  })

  it('is legacy for a _meta without a version', async () => {
    const params = { ...toolCall('echo'), _meta: { progressToken: 'p', [metaKeys.capabilities]: {} } }

    const reply = await legacy.request('tools/call', params, { headers: { 'mcp-protocol-version': '2025-06-18' } })

    expect(revisionOf(reply)).toBe('2025-06-18')
  })

  it.each([
    ['a legacy version', '2025-11-25'],
    ['an unknown version', 'v999.0.0'],
    ['an empty version', ''],
  ])('cannot be chosen for %s, and the error lists the supported versions', async (_what, version) => {
    const message = modernMessage('tools/list', {}, { [metaKeys.version]: version })

    const reply = await modern.send(message)

    expect(reply.status).toBe(400)
    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32022,
        message: 'Unsupported protocol version',
        data: { supported: [modernVersion], requested: version },
      },
    })
  })

  it.each([
    ['null', null],
    ['a number', 20260728],
    ['an object', {}],
  ])('is never legacy when the version is %s', async (_what, version) => {
    const message = modernMessage('tools/list', {}, { [metaKeys.version]: version })

    const reply = await legacy.send(message)

    expect(reply.status).toBe(400)
    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: `Missing required _meta fields: ${metaKeys.version}` },
    })
  })

  it('cannot be chosen for a modern header without a modern body', async () => {
    const reply = await legacy.send(legacyMessage('tools/list'), { 'mcp-protocol-version': modernVersion })

    expect(reply.status).toBe(400)
    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32602,
        message: `Missing required _meta fields: ${metaKeys.version}, ${metaKeys.capabilities}`,
      },
    })
  })

  it('cannot be chosen for an incomplete _meta, and the error names the missing keys', async () => {
    const message = legacyMessage('tools/list', { _meta: { [metaKeys.capabilities]: {} } })

    const reply = await legacy.send(message, { 'mcp-protocol-version': modernVersion })

    expect(reply.json.error.message).toBe(`Missing required _meta fields: ${metaKeys.version}`)
  })

  it('is unknown for a header with an unknown version, which is rejected', async () => {
    const reply = await legacy.send(legacyMessage('tools/list'), { 'mcp-protocol-version': '1900-01-01' })

    expect(reply.status).toBe(400)
    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32600,
        message: 'Invalid Request: unsupported MCP-Protocol-Version header',
        data: { supported: [modernVersion, ...legacyVersions.toReversed()], requested: '1900-01-01' },
      },
    })
  })

  it('is legacy for a response, so a modern version in its header is rejected', async () => {
    const response = { jsonrpc: '2.0', id: 1, result: {} }

    const reply = await legacy.send(response, { 'mcp-protocol-version': modernVersion })

    expect(reply.status).toBe(400)
    expect(reply.json.error).toStrictEqual({
      code: -32600,
      message: 'Invalid Request: unsupported MCP-Protocol-Version header',
      data: { supported: legacyVersions.toReversed(), requested: modernVersion },
    })
  })
})

describe('initialize', () => {
  let app: FastifyInstance
  let client: TestClient

  beforeEach(async () => {
    app = await openApp({ tools: [echo] })
    client = connectTo(app, { era: 'legacy' })
  })

  it.each(legacyVersions)('agrees on %s when the client requests it', async (version) => {
    const reply = await client.initialize(version)

    expect(reply.status).toBe(200)
    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: version,
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: 'wire', version: '1.0.0' },
      },
    })
  })

  it.each([modernVersion, '2024-10-07', '2099-01-01', 'DRAFT', ''])(
    'responds to %p with the latest legacy version',
    async (version) => {
      const reply = await client.initialize(version)

      expect(reply.json.result.protocolVersion).toBe('2025-11-25')
    },
  )

  it.each(['2025-11-25', '2024-11-05', 'nonsense'])(
    'ignores a version header of %p before the handshake',
    async (version) => {
      const reply = await client.initialize('2025-06-18', {}, { 'mcp-protocol-version': version })

      expect(reply.status).toBe(200)
      expect(reply.json.result.protocolVersion).toBe('2025-06-18')
    },
  )

  it('rejects a header with a modern version', async () => {
    const reply = await client.initialize('2025-11-25', {}, { 'mcp-protocol-version': modernVersion })

    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ id: 1, error: { code: -32020 } })
  })

  it('is the legacy handshake when its _meta has a legacy version', async () => {
    const message = initializeMessage('2025-06-18', {
      _meta: { [metaKeys.version]: '2025-06-18', [metaKeys.capabilities]: {} },
    })

    const reply = await client.send(message, { 'mcp-protocol-version': '2025-06-18' })

    expect(reply.status).toBe(200)
    expect(reply.json.result.protocolVersion).toBe('2025-06-18')
  })

  it('rejects a handshake without a version', async () => {
    const reply = await client.request('initialize', { capabilities: {} })

    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'Invalid params: "protocolVersion" must be a string' },
    })
  })

  it('returns the server information in the format of the agreed revision', async () => {
    const icons = [{ src: 'https://example.com/icon.png', sizes: ['48x48'] }]
    const described = await openApp({
      title: 'Wire',
      description: 'For tests',
      websiteUrl: 'https://example.com',
      icons,
      instructions: 'Be raw.',
    })
    const identities = await Promise.all(
      legacyVersions.map(
        async (version) => (await connectTo(described, { era: 'legacy' }).initialize(version)).json.result,
      ),
    )

    const plain = { name: 'wire', version: '1.0.0' }
    const titled = { ...plain, title: 'Wire' }
    const full = { ...titled, description: 'For tests', websiteUrl: 'https://example.com', icons }
    expect(identities.map(({ serverInfo }) => serverInfo)).toStrictEqual([plain, plain, titled, full])
    expect(identities.map(({ instructions }) => instructions)).toStrictEqual(Array(4).fill('Be raw.'))
  })
})

describe('methods of the other era', () => {
  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'unknown/method'])(
    'are unknown in the modern era: %s',
    async (method) => {
      const client = connectTo(await openApp())

      const reply = await client.request(method)

      expect(reply.status).toBe(404)
      expect(reply.json).toStrictEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32601, message: `Method not found: ${method}` },
      })
    },
  )

  it.each(['server/discover', 'subscriptions/listen', 'tasks/get', 'resources/read', 'unknown/method'])(
    'are unknown in the legacy era, with status 200: %s',
    async (method) => {
      const client = connectTo(await openApp(), { era: 'legacy' })

      const reply = await client.request(method)

      expect(reply.status).toBe(200)
      expect(reply.json).toStrictEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32601, message: `Method not found: ${method}` },
      })
    },
  )

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'are unknown if they do not exist: %s',
    async (method) => {
      const app = await openApp()

      const replies = [await connectTo(app, { era: 'legacy' }).request(method), await connectTo(app).request(method)]

      expect(replies.map(({ status, json }) => [status, json.error.code])).toStrictEqual([
        [200, -32601],
        [404, -32601],
      ])
    },
  )

  it('do not include ping, which has an empty result', async () => {
    const client = connectTo(await openApp(), { era: 'legacy' })

    const replies = await Promise.all(
      legacyVersions.map((version) => client.send(legacyMessage('ping'), { 'mcp-protocol-version': version })),
    )

    for (const { text } of replies) expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{}}')
  })
})

describe('notifications and responses', () => {
  let app: FastifyInstance
  let client: TestClient

  beforeEach(async () => {
    app = await openApp()
    client = connectTo(app, { era: 'legacy' })
  })

  it.each<[string, object, Record<string, string>]>([
    ['a legacy notification', notification('notifications/initialized'), {}],
    [
      'a legacy notification with its version',
      notification('notifications/initialized'),
      { 'mcp-protocol-version': '2025-06-18' },
    ],
    [
      'a notification with a modern version',
      notification('notifications/initialized'),
      { 'mcp-protocol-version': modernVersion },
    ],
    [
      'a notification with modern headers',
      notification('notifications/initialized'),
      { 'mcp-protocol-version': modernVersion, 'mcp-method': 'notifications/initialized' },
    ],
    ['an unknown notification', notification('notifications/nobody/knows', { a: 1 }), {}],
    ['a cancellation of an unknown request', notification('notifications/cancelled', { requestId: 77 }), {}],
    ['a malformed cancellation', notification('notifications/cancelled', { requestId: { a: [] } }), {}],
    ['a notification named like a request', notification('tools/call', { name: 'x' }), {}],
    ['a notification with a list as params', notification('notifications/cancelled', [1]), {}],
    [
      'a notification with a modern _meta',
      notification('notifications/cancelled', { requestId: 1, _meta: { [metaKeys.version]: modernVersion } }),
      {},
    ],
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }, {}],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } }, {}],
  ])('are accepted with 202 and an empty body: %s', async (_what, message, headers) => {
    const reply = await client.send(message, headers)

    expect([reply.status, reply.text]).toStrictEqual([202, ''])
  })

  it.each<[string, object]>([
    ['notification', notification('notifications/initialized')],
    ['response', { jsonrpc: '2.0', id: 1, result: {} }],
  ])('are rejected with an unknown version header: %s', async (_what, message) => {
    const reply = await client.send(message, { 'mcp-protocol-version': '1999-01-01' })

    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
    expect(reply.json).not.toHaveProperty('id')
  })
})

it('both eras are served concurrently, without shared state', async () => {
  const client = connectTo(await openApp({ tools: [echo] }), { era: 'legacy' })
  const messages: [Message, Record<string, string>][] = Array.from({ length: 30 }, (_, index) => {
    const version = legacyVersions[index % 5]
    if (version !== undefined)
      return [legacyMessage('tools/call', toolCall('echo')), { 'mcp-protocol-version': version }]
    const message = modernMessage('tools/call', toolCall('echo'))
    return [message, headersOf(message)]
  })

  const replies = await Promise.all(messages.map(([message, headers]) => client.send(message, headers)))

  expect(replies.map(revisionOf)).toStrictEqual(messages.map(([, headers]) => headers['mcp-protocol-version']))
})
