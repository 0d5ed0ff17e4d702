import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import type { Principal } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import Fastify from 'fastify'
import {
  closeApps,
  EventReader,
  initializeMessage,
  legacyMessage,
  listen,
  messagesIn,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { createGate } from '../../../../test/support/gate.js'
import { gaugesOf } from '../../../../test/support/gauges.js'
import { until } from '../../../../test/support/until.js'

const slow: TestTool = {
  name: 'slow',
  handler: async (_args, context) => {
    await delay(20)
    return context.protocolVersion
  },
}

async function openStream(port: number, path = '/sse'): Promise<EventReader> {
  const sent = request({ host: '127.0.0.1', port, path, headers: { accept: 'text/event-stream' } })
  sent.on('error', () => undefined)
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return new EventReader(response, sent)
}

afterEach(closeApps)

it('HTTP+SSE is disabled by default', async () => {
  const app = await openApp()

  expect((await app.inject('/sse')).statusCode).toBe(404)
  expect((await app.inject({ method: 'POST', url: '/messages', payload: legacyMessage('ping') })).statusCode).toBe(404)
})

it('a call over HTTP+SSE gets the headers of its message', async () => {
  const tool: TestTool = { name: 'trace', handler: (_args, context) => String(context.headers?.['traceparent']) }
  const app = await openApp({ legacySse: true, tools: [tool] })
  const stream = await openStream(await listen(app))
  const url = (await stream.next())?.data ?? ''

  await app.inject({
    method: 'POST',
    url,
    payload: legacyMessage('tools/call', toolCall('trace')),
    headers: { host: 'localhost', traceparent: '00-a-b-01', 'mcp-method': 'not read here' },
  })

  expect((await stream.message()).result.content[0].text).toBe('00-a-b-01')
})

it('HTTP+SSE works with the official client, including progress and changes', async () => {
  // The client drops its progress listener when the result arrives, possibly before it has called it.
  const told = createGate()
  const tool: TestTool = {
    name: 'halfway',
    handler: async (_args, context) => {
      context.progress(1, 2)
      await told.opened
      return context.protocolVersion
    },
  }
  const app = await openApp({ legacySse: true, tools: [tool] })
  const client = new Client({ name: 'old', version: '1' })
  const changed = new Promise<string>((resolve) => {
    client.fallbackNotificationHandler = async ({ method }) => resolve(method)
  })
  await client.connect(new SSEClientTransport(new URL(`http://127.0.0.1:${await listen(app)}/sse`)))
  const seen: unknown[] = []
  const onprogress = (progress: object): void => {
    seen.push(progress)
    told.open()
  }

  const result = await client.callTool({ name: 'halfway' }, undefined, { onprogress })
  app.mcp.catalog.addTool({ name: 'late', handler: () => '' })

  expect(result).toStrictEqual({ content: [{ type: 'text', text: '2025-11-25' }] })
  expect(seen).toStrictEqual([{ progress: 1, total: 2 }])
  expect(await changed).toBe('notifications/tools/list_changed')
  await client.close()
})

it('the stream of HTTP+SSE names the endpoint for messages first, and has the responses', async () => {
  const app = await openApp({ legacySse: true, tools: [slow] })
  const port = await listen(app)
  const stream = await openStream(port)
  const endpoint = await stream.next()
  expect(endpoint).toStrictEqual({
    id: undefined,
    retry: undefined,
    data: expect.stringMatching(/^messages\?sessionId=[0-9a-f-]{36}$/) as string,
  })

  const post = (payload: object) => app.inject({ method: 'POST', url: String(endpoint?.data), payload })
  const posted = [
    await post(initializeMessage('2024-11-05')),
    await post(legacyMessage('tools/call', toolCall('slow'), 2)),
  ]

  expect(posted.map(({ statusCode, body }) => [statusCode, body])).toStrictEqual([
    [202, ''],
    [202, ''],
  ])
  expect((await stream.message()).result.protocolVersion).toBe('2024-11-05')
  expect(await stream.message()).toStrictEqual({
    jsonrpc: '2.0',
    id: 2,
    result: { content: [{ type: 'text', text: '2024-11-05' }] },
  })
})

it.each([
  ['/', '/sse?key=1', '/messages'],
  ['/old/', '/old/sse', '/old/messages'],
  ['/of/:tenant', '/of/acme/sse', '/of/acme/messages'],
  ['/:tenant', '//evil.example/sse', '/evil.example/messages'],
])('the endpoint for messages is named with the public prefix %s', async (prefix, path, messages) => {
  const app = Fastify({ logger: false, routerOptions: { ignoreDuplicateSlashes: true } })
  await app.register(mcp, { name: 'wire', version: '1.0.0', controllers: [], legacySse: true, prefix })
  const stream = await openStream(await listen(app), path)
  const reference = String((await stream.next())?.data)
  // Resolves the reference as clients do.
  const { pathname, search } = new URL(reference, `http://127.0.0.1${path.replace(/^\/+/, '/')}`)

  const posted = await app.inject({ method: 'POST', url: pathname + search, payload: legacyMessage('ping') })

  expect([pathname, posted.statusCode]).toStrictEqual([messages, 202])
  await app.close()
})

it('HTTP+SSE accepts messages only for open streams, and cancels their calls when they end', async () => {
  let stop = (): void => undefined
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const waiting: TestTool = {
    name: 'wait',
    handler: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stop()
          reject(new Error('aborted'))
        })
      }),
  }
  const app = await openApp({ legacySse: true, tools: [waiting], limits: { maxSessions: 1 } })
  const port = await listen(app)
  const stream = await openStream(port)
  const url = String((await stream.next())?.data)
  await app.inject({ method: 'POST', url, payload: legacyMessage('tools/call', toolCall('wait')) })

  const full = await openStream(port)
  expect(gaugesOf(app.mcp, 'sse_streams')).toEqual({
    sse_streams_open: 1,
    sse_streams_open_max: 1,
    sse_streams_rejected_total: 1,
  })
  stream.cut()
  await stopped
  const late = await app.inject({ method: 'POST', url, payload: legacyMessage('ping') })
  const foreign = await app.inject({
    method: 'POST',
    url: '/messages?sessionId=__proto__',
    payload: legacyMessage('ping'),
  })

  expect([full.status, full.response.headers['retry-after']]).toStrictEqual([503, '10'])
  expect([late.statusCode, foreign.statusCode]).toStrictEqual([404, 404])
})

it('a client that disconnects during authentication frees its slot', async () => {
  const asked = createGate()
  const answered = createGate()
  const authenticate = async (): Promise<Principal> => {
    asked.open()
    await answered.opened
    return { subject: 'ada', roles: [], scopes: [], claims: {} }
  }
  const app = await openApp({ legacySse: true, authentication: { authenticate }, limits: { maxSessions: 1 } })
  const port = await listen(app)
  const handled = new Promise<void>((resolve) => {
    app.server.once('request', (_request, response) => response.once('close', resolve))
  })
  const sent = request({ host: '127.0.0.1', port, path: '/sse', headers: { accept: 'text/event-stream' } })
  sent.on('error', () => undefined)
  sent.end()
  await asked.opened
  sent.destroy()
  await handled
  answered.open()
  await delay(5)

  expect((await openStream(port)).status).toBe(200)
})

it('HTTP+SSE checks the origin and the body of messages', async () => {
  const app = await openApp({ legacySse: true })
  const stream = await openStream(await listen(app))
  const url = String((await stream.next())?.data)
  const headers = { 'content-type': 'application/json' }

  const evil = await app.inject({ url: '/sse', headers: { origin: 'https://evil.example.com' } })
  const broken = await app.inject({ method: 'POST', url, payload: '{', headers })
  const empty = await app.inject({ method: 'POST', url })

  expect([evil.statusCode, broken.statusCode, empty.statusCode]).toStrictEqual([403, 400, 400])
})

it('calls end without an answer of the client when the application closes', async () => {
  const asks: TestTool = { name: 'asks', handler: (_args, context) => context.listRoots() }
  const app = await openApp({ legacySse: true, tools: [asks] })
  const stream = await openStream(await listen(app))
  const url = String((await stream.next())?.data)
  const send = (payload: object) => app.inject({ method: 'POST', url, payload })
  await send(initializeMessage('2024-11-05', { capabilities: { roots: {} } }))
  await send(legacyMessage('tools/call', toolCall('asks'), 2))
  await until(() => app.mcp.metrics().pendingClientRequests === 1)

  await app.close()

  const [, , , answer] = messagesIn((await stream.rest()).filter(({ data }) => data.startsWith('{')))
  expect(answer).toMatchObject({ id: 2, result: { isError: true } })
})

it('HTTP+SSE streams end when the application closes, after the calls in flight', async () => {
  const app = await openApp({ legacySse: true, tools: [slow] })
  const stream = await openStream(await listen(app))
  const url = String((await stream.next())?.data)
  await app.inject({ method: 'POST', url, payload: legacyMessage('tools/call', toolCall('slow')) })

  const closed = app.close()

  expect((await stream.message()).id).toBe(1)
  expect(await stream.next()).toBeNull()
  await closed
})
