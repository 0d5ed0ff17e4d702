// Requests for features that a server does not serve, and special requests of browsers and proxies.
import { Authorize, McpPrompt } from '@toolwright/core'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  legacyMessage,
  legacyVersions,
  listen,
  openApp,
  type TestTool,
} from '../../../../test/support/client/index.js'

afterEach(closeApps)

const nothing: TestTool = { name: 'nothing', handler: () => undefined }
const tools = [nothing]

class Hidden {
  @McpPrompt('hidden')
  @Authorize({ roles: ['admin'] })
  prompt(): string {
    return 'hidden'
  }
}

describe('lists of feature kinds that are not served', () => {
  const lists = [
    ['prompts/list', { prompts: [] }],
    ['resources/list', { resources: [] }],
    ['resources/templates/list', { resourceTemplates: [] }],
  ] as const

  it.each(legacyVersions)('are empty in %s', async (version) => {
    const client = connectTo(await openApp({ tools }), { era: 'legacy' })
    for (const [method, result] of lists) {
      // oxlint-disable-next-line no-await-in-loop
      const reply = await client.send(legacyMessage(method), { 'mcp-protocol-version': version })
      expect(reply.json).toEqual({ jsonrpc: '2.0', id: 1, result })
    }
    const opened = await client.initialize(version)
    expect(Object.keys(opened.json.result.capabilities)).toEqual(['tools', 'logging'])
  })

  it('are unknown in 2026-07-28', async () => {
    const client = connectTo(await openApp({ tools }))
    for (const [method] of lists) {
      // oxlint-disable-next-line no-await-in-loop
      const reply = await client.request(method)
      expect([reply.status, reply.json.error.code]).toEqual([404, -32601])
    }
  })

  it('look the same if all features are hidden', async () => {
    const authorization = { hideForbidden: true, default: 'anonymous' } as const
    const absent = await openApp({ tools, authorization })
    const hidden = await openApp({ tools, controllers: [Hidden], authorization })
    for (const send of [
      (app: FastifyInstance) => connectTo(app, { era: 'legacy' }).request('prompts/list'),
      (app: FastifyInstance) => connectTo(app).request('prompts/list'),
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      const [one, other] = [await send(absent), await send(hidden)]
      expect([one.status, one.text]).toEqual([other.status, other.text])
    }
  })
})

describe('a subscription without possible notifications', () => {
  it.each([
    [{ promptsListChanged: true }, {}],
    [{ resourceSubscriptions: ['x://y'] }, {}],
    [{ toolsListChanged: true }, { notifyChanges: false }],
  ])('is acknowledged and ends: %j, with the options %j', async (notifications, options) => {
    const app = await openApp({ tools, ...options })
    const reply = await connectTo(app).request('subscriptions/listen', { notifications })
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 1 }
    expect(reply.messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications: {} } },
      { id: 1, result: { resultType: 'complete', _meta } },
    ])
    expect(app.mcp.metrics().subscriptions.value).toBe(0)
  })
})

describe('a server with notifyChanges: false', () => {
  it('declares no list changes, and rejects subscriptions', async () => {
    const app = await openApp({ tools, notifyChanges: false })
    const legacy = connectTo(app, { era: 'legacy' })
    app.mcp.catalog.addResource({ uri: 'note://one', name: 'one', handler: () => 'one' })
    const opened = await legacy.initialize('2025-11-25')
    expect(opened.json.result.capabilities).toEqual({ tools: {}, logging: {}, resources: {} })
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const subscribed = await legacy.request('resources/subscribe', { uri: 'note://one' }, { headers })
    expect(subscribed.json.error.code).toBe(-32601)
    const discovered = await connectTo(app).request('server/discover')
    expect(discovered.json.result.capabilities).toMatchObject({ tools: {}, resources: {} })
    expect(discovered.text).not.toContain('listChanged')
  })
})

test('compat completes the result of a tool that returns nothing', async () => {
  const app = await openApp({ tools, compat: { alwaysStructuredContent: true } })
  const complete = { content: [{ type: 'text', text: '' }], structuredContent: {}, isError: false }
  const reply = await connectTo(app, { era: 'legacy' }).call(
    'nothing',
    {},
    { headers: { 'mcp-protocol-version': '2025-06-18' } },
  )
  expect(reply.json.result).toEqual(complete)
  expect((await connectTo(app).call('nothing')).json.result).toMatchObject(complete)
})

describe('cors: true without allowedOrigins', () => {
  const preflight = (app: FastifyInstance, origin: string) =>
    app.inject({
      method: 'OPTIONS',
      url: '/mcp',
      headers: { host: '127.0.0.1:3000', origin, 'access-control-request-method': 'POST' },
    })

  it.each(['http://localhost:6274', 'http://127.0.0.1:8080'])('answers the preflight request of %s', async (origin) => {
    const app = await openApp({ tools, cors: true })
    const reply = await preflight(app, origin)
    expect([reply.statusCode, reply.headers['access-control-allow-origin']]).toEqual([204, origin])
    const called = await connectTo(app, { era: 'legacy' }).send(legacyMessage('ping'), { origin })
    expect([called.status, called.headers['access-control-allow-origin']]).toEqual([200, origin])
  })

  it('rejects pages of other origins', async () => {
    const app = await openApp({ tools, cors: true })
    const reply = await preflight(app, 'https://evil.example.com')
    expect([reply.statusCode, reply.headers['access-control-allow-origin']]).toEqual([403, undefined])
  })
})

test.each([
  ['/sse', 'messages'],
  ['/sse/', '../messages'],
])('the endpoint event of HTTP+SSE at %s is relative, for proxies that strip a prefix', async (path, expected) => {
  const app = await openApp({ tools, legacySse: true, fastify: { routerOptions: { ignoreTrailingSlash: true } } })
  const port = await listen(app)
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/event-stream' } })
  const reader = response.body?.getReader()
  const first = await reader?.read()
  expect(Buffer.from(first?.value ?? []).toString()).toMatch(
    new RegExp(`^event: endpoint\ndata: ${expected}\\?sessionId=`),
  )
  await reader?.cancel()
})
