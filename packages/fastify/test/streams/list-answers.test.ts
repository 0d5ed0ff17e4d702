import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  legacyMessage,
  messagesOf,
  openApp,
  serverMeta,
  type TestClient,
} from '../../../../test/support/client/index.js'

const description = 'Fügt ein „—“ hinzu: ✓ 👍'
const tool = { name: 'dash', description, inputSchema: { type: 'object' } }
const listed = { tools: [tool] }

let app: FastifyInstance
let modern: TestClient
let legacy: TestClient

beforeAll(async () => {
  app = await openApp({ tools: [{ ...tool, handler: () => '—' }] })
  modern = connectTo(app)
  legacy = connectTo(app, { era: 'legacy' })
})

afterAll(closeApps)

it('a list is sent as JSON with its length in bytes', async () => {
  const { status, headers, text, json } = await modern.request('tools/list')

  const result = { resultType: 'complete', ...listed, ttlMs: 0, cacheScope: 'private', _meta: serverMeta }
  expect([status, headers['content-type'], headers['content-length'], json]).toStrictEqual([
    200,
    'application/json; charset=utf-8',
    String(Buffer.byteLength(text)),
    { jsonrpc: '2.0', id: 1, result },
  ])
})

it('a list is sent as an event to a client that accepts only events', async () => {
  const { text } = await legacy.request('tools/list', undefined, { id: 'é', headers: { accept: 'text/event-stream' } })

  expect(messagesOf(text)).toStrictEqual([{ jsonrpc: '2.0', id: 'é', result: listed }])
})

it('lists are part of a batch like any other response', async () => {
  const batch = [
    legacyMessage('tools/list', undefined, 1),
    legacyMessage('ping', undefined, 2),
    legacyMessage('tools/list', undefined, 3),
  ]

  const { json } = await legacy.send(batch, { 'mcp-protocol-version': '2025-03-26' })

  expect(json).toStrictEqual([
    { jsonrpc: '2.0', id: 1, result: listed },
    { jsonrpc: '2.0', id: 2, result: {} },
    { jsonrpc: '2.0', id: 3, result: listed },
  ])
})
