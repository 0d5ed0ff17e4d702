import { type ClientRequest, request } from 'node:http'
import { ProtocolError } from '@toolwright/core'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  legacyMessage,
  listen,
  modernMessage,
  openApp,
  serverMeta,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'

const version: TestTool = {
  name: 'version',
  handler: (_args, context) => {
    context.progress(1, 2)
    return context.protocolVersion
  },
}

function send(app: FastifyInstance, payload: unknown, headers: Record<string, string> = {}) {
  return app.inject({
    method: 'POST',
    url: '/rpc',
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    headers: { 'content-type': 'application/json', ...headers },
  })
}

afterEach(closeApps)

it('the JSON-RPC endpoint is disabled by default', async () => {
  const app = await openApp()

  expect((await send(app, legacyMessage('ping'))).statusCode).toBe(404)
})

it('the JSON-RPC endpoint sends 503 with Retry-After if a tool is unavailable', async () => {
  const handler = () => {
    throw new ProtocolError('unavailable', 'The archive is closed')
  }
  const app = await openApp({ rpc: true, tools: [{ name: 'closed', handler }] })

  const reply = await send(app, modernMessage('tools/call', toolCall('closed')))

  expect([reply.statusCode, reply.headers['retry-after']]).toStrictEqual([503, '1'])
})

it('the JSON-RPC endpoint responds to one request with JSON in either era, regardless of the Accept header', async () => {
  const app = await openApp({ rpc: true, tools: [version] })
  const withToken = { ...toolCall('version'), _meta: { progressToken: 1 } }

  const old = await send(app, legacyMessage('tools/call', withToken, 'a'), { accept: 'text/html' })
  const now = await send(app, modernMessage('tools/call', withToken), { 'mcp-protocol-version': '2024-11-05' })

  expect([old.statusCode, old.headers['content-type'], old.json()]).toStrictEqual([
    200,
    'application/json; charset=utf-8',
    { jsonrpc: '2.0', id: 'a', result: { content: [{ type: 'text', text: '2025-11-25' }] } },
  ])
  expect([now.statusCode, now.json()]).toStrictEqual([
    200,
    {
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', content: [{ type: 'text', text: '2026-07-28' }], _meta: serverMeta },
    },
  ])
})

it('the JSON-RPC endpoint has no sessions, streams or batches, and no response to a notification', async () => {
  const app = await openApp({ rpc: { path: '/plain' }, tools: [version] })
  const post = (payload: unknown, headers = {}) =>
    app.inject({ method: 'POST', url: '/plain', payload: payload as object, headers })

  const handshake = await post(
    legacyMessage('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    }),
  )
  const notified = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': 'x' })
  const batch = await post([legacyMessage('ping')])
  const listening = await post(modernMessage('subscriptions/listen', { notifications: {} }))
  const get = await app.inject('/plain')

  expect([handshake.json().result.protocolVersion, handshake.headers['mcp-session-id']]).toStrictEqual([
    '2025-06-18',
    undefined,
  ])
  expect([notified.statusCode, notified.body]).toStrictEqual([204, ''])
  expect([batch.statusCode, batch.json().error.code]).toStrictEqual([400, -32600])
  expect([listening.statusCode, listening.json().error.code]).toStrictEqual([406, -32600])
  expect([get.statusCode, get.headers.allow]).toStrictEqual([405, 'POST'])
})

it('the JSON-RPC endpoint rejects all requests that the MCP endpoint rejects', async () => {
  const app = await openApp({ rpc: true, limits: { maxMessageBytes: 200, maxDepth: 4, maxKeys: 4, maxItems: 8 } })
  const rejected = await Promise.all([
    send(app, legacyMessage('ping'), { origin: 'https://evil.example.com' }),
    send(app, legacyMessage('ping'), { host: 'evil.example.com' }),
    send(app, '{'),
    send(app, ''),
    send(app, '[[[[[]]]]]'),
    send(app, JSON.stringify({ ...legacyMessage('ping'), a: 1, b: 2 })),
    send(app, '[1,2,3,4,5,6,7,8,9]'),
    send(app, `"${'x'.repeat(200)}"`),
    send(app, legacyMessage('ping'), { 'content-type': 'text/plain' }),
    send(app, legacyMessage('unknown')),
  ])

  expect(rejected.map(({ statusCode, body }) => [statusCode, JSON.parse(body).error.code])).toStrictEqual([
    [403, -32600],
    [403, -32600],
    [400, -32700],
    [400, -32700],
    [400, -32600],
    [400, -32600],
    [400, -32600],
    [413, -32600],
    [415, -32600],
    [200, -32601],
  ])
})

it('the JSON-RPC endpoint cancels a modern call when its client disconnects, and no legacy call', async () => {
  const gate = createGate()
  const aborted: string[] = []
  let started = 0
  const wait: TestTool = {
    name: 'wait',
    handler: async (_args, { signal, protocolVersion }) => {
      started++
      signal.addEventListener('abort', () => aborted.push(protocolVersion))
      await gate.opened
    },
  }
  const port = await listen(await openApp({ rpc: true, tools: [wait] }))
  const sent = [modernMessage('tools/call', toolCall('wait')), legacyMessage('tools/call', toolCall('wait'))].map(
    (message) => start(port, JSON.stringify(message)),
  )
  await until(() => started === 2)

  for (const running of sent) running.destroy()
  await until(() => aborted.length > 0)
  gate.open()

  expect(aborted).toStrictEqual(['2026-07-28'])
})

function start(port: number, body: string): ClientRequest {
  const headers = { 'content-type': 'application/json' }
  const sent = request({ host: '127.0.0.1', port, path: '/rpc', method: 'POST', headers })
  sent.on('error', () => undefined)
  sent.end(body)
  return sent
}
