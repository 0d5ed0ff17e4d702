// A stream is a call: access, limits, hooks and lists apply as over any transport.

import { connect } from '@toolwright/client'
import {
  AuthenticationError,
  type Authenticator,
  type CallHook,
  type FeatureCall,
  failureKindOf,
  type Principal,
} from '@toolwright/core'
import { MetricsHook } from '@toolwright/server'
import { until } from '../../../test/support/until.js'
import { closeApps, openApp, openStream } from './support/app.js'
import { upload } from './support/content.js'
import { closeSockets, openRaw } from './support/raw-socket.js'
import { RestrictedTools, shared } from './support/stream-tools.js'

afterEach(async () => {
  closeSockets()
  await closeApps()
})

const users: Readonly<Record<string, Principal>> = {
  ada: { subject: 'ada', roles: ['writer'], scopes: [], claims: {} },
  bob: { subject: 'bob', roles: [], scopes: [], claims: {} },
}

/** Accepts the names of users as tokens. */
const authentication: Authenticator = {
  authenticate: ({ headers }) => {
    const user = users[String(headers.authorization).replace('Bearer ', '')]
    if (user === undefined) throw new AuthenticationError(null, 'Unauthorized')
    return user
  },
}

test('a role is required of the caller of a stream', async () => {
  const { url } = await openApp({ authentication, controllers: [RestrictedTools] })
  const ada = await openStream(url, 'restricted', {}, { credentials: () => 'ada' })
  const bob = await openStream(url, 'restricted', {}, { credentials: async () => ({ authorization: 'Bearer bob' }) })

  await upload(10, ada.writable)

  expect(await ada.done).toBe('written')
  await expect(bob.done).rejects.toMatchObject({ code: -32600 })
  await expect(bob.done).rejects.toThrow('Forbidden')
  await expect(connect(url)).rejects.toThrow(`The server rejected the WebSocket at ${url} with status 401`)
  expect(shared.read).toBe(10)
})

test('a client over HTTP opens streams with its own credentials', async () => {
  const { url } = await openApp({ authentication, controllers: [RestrictedTools] })
  await using ada = await connect(url.replace('ws:', 'http:').replace('/ws', '/mcp'), { credentials: () => 'ada' })
  const stream = await ada.stream('restricted')
  await upload(10, stream.writable)

  expect(await stream.done).toBe('written')
  expect(shared.read).toBe(10)
})

test('arguments are validated before the tool begins', async () => {
  const { url } = await openApp()
  const stream = await openStream(url, 'produce', { bytes: -1 })

  await expect(stream.done).rejects.toThrow(/Invalid arguments for tool 'produce'/)
  expect(shared.written).toBe(0)
})

test('hooks and metrics observe streams, and can reject them', async () => {
  const seen: string[] = []
  const hook: CallHook = {
    onInvoking: ({ name }: FeatureCall) => void seen.push(`${name} begins`),
    onCompleted: ({ name }, result) => void seen.push(`${name}: ${JSON.stringify(result)}`),
    onFailed: ({ name }, error) => void seen.push(`${name}: ${failureKindOf(error)}`),
  }
  const metrics = new MetricsHook()
  const { url } = await openApp({ hooks: [hook, metrics] })
  await using client = await connect(url)
  const good = await client.stream('add')
  await good.writable.close()
  await good.done
  const bad = await client.stream('fail')
  await bad.done.catch(() => undefined)

  expect(seen).toStrictEqual(['add begins', 'add: "sum 0"', 'fail begins', 'fail: unexpected'])
})

test('rate limits apply to streams', async () => {
  // The client itself sends one request.
  const { url } = await openApp({ rateLimit: { calls: 2, windowMs: 60_000 } })
  await using client = await connect(url)
  const first = await client.stream('produce', { bytes: 1 })
  const second = await client.stream('produce', { bytes: 1 })

  expect(await first.done).toStrictEqual({ bytes: 1 })
  await expect(second.done).rejects.toThrow(/Try again/)
})

const needsStream =
  "Tool 'hash' needs a stream. Send it a 'start' message over the WebSocket of the server, or use client.stream of " +
  '@toolwright/client.'

test('lists mark stream tools, and a call without a stream fails with the fix', async () => {
  const { url } = await openApp()
  const socket = await openRaw(url)
  socket.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const { tools } = (await socket.next()).result
  socket.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hash' } })

  const kinds = tools.map((tool: { name: string; _meta?: object }) => [tool.name, tool._meta])
  expect(kinds).toEqual(
    expect.arrayContaining([
      ['hash', { 'toolwright/stream': 'binary' }],
      ['add', { 'toolwright/stream': 'text' }],
      ['plain', undefined],
    ]),
  )
  expect((await socket.next()).result).toStrictEqual({ content: [{ type: 'text', text: needsStream }], isError: true })
})

test('other transports do not list stream tools, and a call names the transport', async () => {
  const { app } = await openApp()
  const post = async (message: object) =>
    (
      await app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { accept: 'application/json, text/event-stream' },
        payload: { jsonrpc: '2.0', id: 1, ...message },
      })
    ).json()

  const { tools } = (await post({ method: 'tools/list' })).result
  const call = await post({ method: 'tools/call', params: { name: 'hash' } })

  expect(tools.map(({ name }: { name: string }) => name)).toStrictEqual(['plain'])
  expect(call.error).toMatchObject({
    code: -32602,
    message: "Tool 'hash' is not served over http. It needs websocket",
    data: { transports: ['websocket'] },
  })
  await expect(app.mcp.callTool('hash')).rejects.toThrow('It needs websocket')
})

test.each([[['2026-07-28']], [['2025-11-25']], [['2024-11-05']]])(
  'a server that offers only %j serves streams',
  async (revisions) => {
    const { url } = await openApp({ revisions })
    const stream = await openStream(url, 'endless')
    const other = await openStream(url, 'produce', { bytes: 5 })

    expect(await other.done).toStrictEqual({ bytes: 5 })
    stream.abort()
    await until(() => shared.aborted.length === 1)
  },
)

test('the server declares the protocol and its limits', async () => {
  const { url } = await openApp()
  const socket = await openRaw(url)
  socket.send({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
  })

  expect((await socket.next()).result.capabilities.experimental).toStrictEqual({
    'toolwright/streams': { version: '1.0', window: 524_288, maxStreams: 100 },
  })
})
