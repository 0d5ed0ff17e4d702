import type { FastifyInstance } from 'fastify'
import {
  call,
  closeApps,
  headersOf,
  initialize,
  legacy,
  legacyVersions,
  type Message,
  metaKeys,
  modern,
  modernVersion,
  openApp,
  post,
  postModern,
  serverMeta,
} from '../support/wire.js'

const echo = {
  name: 'echo',
  handler: (_args: unknown, context: { protocolVersion: string }) => context.protocolVersion,
}

/** The revision that a call ran in: the tool answers it. */
function revisionOf(reply: { json: { result?: { content: { text: string }[] } } }): string | undefined {
  return reply.json?.result?.content[0]?.text
}

function notification(method: string, params?: object): object {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }
}

afterEach(closeApps)

describe('the body of a request says its era', () => {
  let app: FastifyInstance

  beforeEach(async () => {
    app = await openApp({ tools: [echo] })
  })

  it('serves a request that claims a modern version as modern', async () => {
    const reply = await postModern(app, modern('tools/call', call('echo')))

    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', content: [{ type: 'text', text: modernVersion }], _meta: serverMeta },
    })
  })

  it.each(legacyVersions)(
    'serves a request without a claim as legacy %s when its header names that',
    async (version) => {
      const reply = await post(app, legacy('tools/call', call('echo')), { 'mcp-protocol-version': version })

      expect(reply.json).toStrictEqual({
        jsonrpc: '2.0',
        id: 1,
        result: { content: [{ type: 'text', text: version }] },
      })
    },
  )

  it('takes a request that names no version at all for 2025-03-26', async () => {
    const reply = await post(app, legacy('tools/call', call('echo')))

    expect(revisionOf(reply)).toBe('2025-03-26')
  })

  it('does not take a _meta without a version for modern', async () => {
    const params = { ...call('echo'), _meta: { progressToken: 'p', [metaKeys.capabilities]: {} } }

    const reply = await post(app, legacy('tools/call', params), { 'mcp-protocol-version': '2025-06-18' })

    expect(revisionOf(reply)).toBe('2025-06-18')
  })

  it.each([
    ['a legacy version', '2025-11-25'],
    ['an unknown version', 'v999.0.0'],
    ['an empty version', ''],
  ])('refuses a claim of %s and names the versions that can be claimed', async (_what, version) => {
    const message = modern('tools/list', {}, { [metaKeys.version]: version })

    const reply = await postModern(app, message)

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
  ])('never falls back to legacy when the claim is %s', async (_what, version) => {
    const message = modern('tools/list', {}, { [metaKeys.version]: version })

    const reply = await post(app, message)

    expect(reply.status).toBe(400)
    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: `Missing required _meta fields: ${metaKeys.version}` },
    })
  })

  it('refuses a request without a claim whose header names a modern version', async () => {
    const reply = await post(app, legacy('tools/list'), { 'mcp-protocol-version': modernVersion })

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

  it('names only the keys that a half-finished _meta lacks', async () => {
    const message = legacy('tools/list', { _meta: { [metaKeys.capabilities]: {} } })

    const reply = await post(app, message, { 'mcp-protocol-version': modernVersion })

    expect(reply.json.error.message).toBe(`Missing required _meta fields: ${metaKeys.version}`)
  })

  it('refuses a version header that no revision has', async () => {
    const reply = await post(app, legacy('tools/list'), { 'mcp-protocol-version': '1900-01-01' })

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

  it('lists no version that a legacy message cannot have, where its header names one', async () => {
    const response = { jsonrpc: '2.0', id: 1, result: {} }

    const reply = await post(app, response, { 'mcp-protocol-version': modernVersion })

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

  beforeEach(async () => {
    app = await openApp({ tools: [echo] })
  })

  it.each(legacyVersions)('agrees on %s when that is asked for', async (version) => {
    const reply = await post(app, initialize(version))

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
    'answers %p with the latest legacy version',
    async (version) => {
      const reply = await post(app, initialize(version))

      expect(reply.json.result.protocolVersion).toBe('2025-11-25')
    },
  )

  it.each(['2025-11-25', '2024-11-05', 'nonsense'])(
    'tolerates a version header of %p, which is not in force yet',
    async (version) => {
      const reply = await post(app, initialize('2025-06-18'), { 'mcp-protocol-version': version })

      expect(reply.status).toBe(200)
      expect(reply.json.result.protocolVersion).toBe('2025-06-18')
    },
  )

  it('contradicts a header that names a modern version', async () => {
    const reply = await post(app, initialize('2025-11-25'), { 'mcp-protocol-version': modernVersion })

    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ id: 1, error: { code: -32020 } })
  })

  it('is the legacy handshake when its _meta claims a legacy version', async () => {
    const message = initialize('2025-06-18', {
      _meta: { [metaKeys.version]: '2025-06-18', [metaKeys.capabilities]: {} },
    })

    const reply = await post(app, message, { 'mcp-protocol-version': '2025-06-18' })

    expect(reply.status).toBe(200)
    expect(reply.json.result.protocolVersion).toBe('2025-06-18')
  })

  it('refuses a handshake without a version', async () => {
    const reply = await post(app, legacy('initialize', { capabilities: {} }))

    expect(reply.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'Invalid params: "protocolVersion" must be a string' },
    })
  })

  it('gives the server identity as far as the agreed revision knows it', async () => {
    const icons = [{ src: 'https://example.com/icon.png', sizes: ['48x48'] }]
    const described = await openApp({
      title: 'Wire',
      description: 'For tests',
      websiteUrl: 'https://example.com',
      icons,
      instructions: 'Be raw.',
    })
    const identities = await Promise.all(
      legacyVersions.map(async (version) => (await post(described, initialize(version))).json.result),
    )

    const plain = { name: 'wire', version: '1.0.0' }
    const titled = { ...plain, title: 'Wire' }
    const full = { ...titled, description: 'For tests', websiteUrl: 'https://example.com', icons }
    expect(identities.map(({ serverInfo }) => serverInfo)).toStrictEqual([plain, plain, titled, full])
    expect(identities.map(({ instructions }) => instructions)).toStrictEqual(Array(4).fill('Be raw.'))
  })
})

describe('methods that only the other era has', () => {
  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'unknown/method'])(
    'does not know %s in the modern era',
    async (method) => {
      const app = await openApp()

      const reply = await postModern(app, modern(method))

      expect(reply.status).toBe(404)
      expect(reply.json).toStrictEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32601, message: `Method not found: ${method}` },
      })
    },
  )

  it.each(['server/discover', 'subscriptions/listen', 'tasks/get', 'resources/read', 'unknown/method'])(
    'does not know %s in the legacy era, and says so in a 200',
    async (method) => {
      const app = await openApp()

      const reply = await post(app, legacy(method))

      expect(reply.status).toBe(200)
      expect(reply.json).toStrictEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32601, message: `Method not found: ${method}` },
      })
    },
  )

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('knows no method called %s', async (method) => {
    const app = await openApp()

    const replies = [await post(app, legacy(method)), await postModern(app, modern(method))]

    expect(replies.map(({ status, json }) => [status, json.error.code])).toStrictEqual([
      [200, -32601],
      [404, -32601],
    ])
  })

  it('answers ping with nothing in it', async () => {
    const app = await openApp()

    const replies = await Promise.all(
      legacyVersions.map((version) => post(app, legacy('ping'), { 'mcp-protocol-version': version })),
    )

    for (const { text } of replies) expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{}}')
  })
})

describe('notifications and responses', () => {
  let app: FastifyInstance

  beforeEach(async () => {
    app = await openApp()
  })

  it.each<[string, object, Record<string, string>]>([
    ['a legacy one', notification('notifications/initialized'), {}],
    [
      'a legacy one with its version',
      notification('notifications/initialized'),
      { 'mcp-protocol-version': '2025-06-18' },
    ],
    ['one announced as modern', notification('notifications/initialized'), { 'mcp-protocol-version': modernVersion }],
    [
      'one with modern headers',
      notification('notifications/initialized'),
      { 'mcp-protocol-version': modernVersion, 'mcp-method': 'notifications/initialized' },
    ],
    ['an unknown one', notification('notifications/nobody/knows', { a: 1 }), {}],
    ['a cancellation of nothing', notification('notifications/cancelled', { requestId: 77 }), {}],
    ['a malformed cancellation', notification('notifications/cancelled', { requestId: { a: [] } }), {}],
    ['one named like a request', notification('tools/call', { name: 'x' }), {}],
    ['one whose params are a list', notification('notifications/cancelled', [1]), {}],
    [
      'one that claims to be modern',
      notification('notifications/cancelled', { requestId: 1, _meta: { [metaKeys.version]: modernVersion } }),
      {},
    ],
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }, {}],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } }, {}],
  ])('accepts %s with 202 and an empty body', async (_what, message, headers) => {
    const reply = await post(app, message, headers)

    expect([reply.status, reply.text]).toStrictEqual([202, ''])
  })

  it.each<[string, object]>([
    ['notification', notification('notifications/initialized')],
    ['response', { jsonrpc: '2.0', id: 1, result: {} }],
  ])('does not accept a %s whose version header nobody knows', async (_what, message) => {
    const reply = await post(app, message, { 'mcp-protocol-version': '1999-01-01' })

    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
    expect(reply.json).not.toHaveProperty('id')
  })
})

it('serves both eras at once, with nothing carried over from one request to the next', async () => {
  const app = await openApp({ tools: [echo] })
  const messages: [Message, Record<string, string>][] = Array.from({ length: 30 }, (_, index) => {
    const version = legacyVersions[index % 5]
    if (version !== undefined) return [legacy('tools/call', call('echo')), { 'mcp-protocol-version': version }]
    const message = modern('tools/call', call('echo'))
    return [message, headersOf(message)]
  })

  const replies = await Promise.all(messages.map(([message, headers]) => post(app, message, headers)))

  expect(replies.map(revisionOf)).toStrictEqual(messages.map(([, headers]) => headers['mcp-protocol-version']))
})
