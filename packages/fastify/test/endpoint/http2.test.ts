import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { createGunzip } from 'node:zlib'
import type { McpContext } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  headersOf,
  legacyMessage,
  modernMessage,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { until } from '../../../../test/support/until.js'
import { requestAndReset } from '../support/http2-frames.js'

const drainTimeoutMs = 300

/** An application that serves HTTP/2, and one connection to it. */
async function openHttp2(
  tool?: TestTool,
  requestTimeout = 0,
  prepare: (app: FastifyInstance) => void = () => undefined,
) {
  const app = Fastify({ http2: true, logger: false, requestTimeout })
  prepare(app as never)
  const limits = { maxMessageBytes: 100_000 }
  // oxlint-disable-next-line typescript/no-explicit-any -- The plugin's type is for the server that Fastify makes by default.
  await (app as any).register(mcp, {
    name: 'wire',
    version: '1',
    controllers: [],
    limits,
    drainTimeoutMs,
    legacySse: true,
  })
  if (tool !== undefined) app.mcp.catalog.addTool(tool)
  const streams = new Set<object>()
  app.server.on('stream', (stream) => {
    streams.add(stream)
    stream.once('close', () => streams.delete(stream))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const client = connect(`http://127.0.0.1:${port}`)
  client.on('error', () => undefined)
  const finish = async (): Promise<void> => {
    client.close()
    await app.close()
  }
  return { app, client, streams, finish }
}

interface Http2Reply {
  readonly status: number | undefined
  readonly json: unknown
}

function post(client: ClientHttp2Session, body: string): Promise<Http2Reply> {
  const stream = client.request({ ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' })
  stream.end(body)
  return answerOf(stream)
}

function answerOf(stream: ClientHttp2Stream): Promise<Http2Reply> {
  return new Promise((resolve, reject) => {
    let [status, text]: [number | undefined, string] = [undefined, '']
    stream.on('response', (headers) => (status = headers[':status']))
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
    stream.on('end', () => resolve({ status, json: JSON.parse(text) as unknown }))
    stream.on('error', reject)
  })
}

const ping = (length: number): string =>
  JSON.stringify(legacyMessage('ping', { _meta: { filler: 'x'.repeat(length) } }))

it('a rejected body leaves no stream open, and its connection continues', async () => {
  const { app, client, streams } = await openHttp2()

  const replies = await Promise.all([1, 150_000, 2_000_000, 50_000].map((length) => post(client, ping(length))))

  const pong = { status: 200, json: { jsonrpc: '2.0', id: 1, result: {} } }
  const message = 'Content Too Large: a message must have at most 100000 bytes'
  const rejected = { status: 413, json: { jsonrpc: '2.0', error: { code: -32600, message } } }
  expect(replies).toStrictEqual([pong, rejected, rejected, pong])
  await until(() => streams.size === 0)
  client.close()
  await app.close()
})

it('an error has no Connection header, about which Node would warn', async () => {
  const asked: unknown[] = []
  const { client, finish } = await openHttp2(undefined, 0, (app) => {
    app.addHook('onSend', async (_request, reply) => void asked.push(reply.getHeader('connection')))
  })

  const replies = [await post(client, '{'), await post(client, ping(150_000))]

  expect(replies.map(({ status }) => status)).toStrictEqual([400, 413])
  expect(asked).toStrictEqual([undefined, undefined])
  await finish()
})

describe('a body that never ends', () => {
  const beginnings: [string, string, number, string][] = [
    ['is rejected when the request timeout has passed', '{"jsonrpc"', 408, 'Request Timeout'],
    [
      'is rejected when it is too long, without waiting for the rest',
      ping(150_000),
      413,
      'Content Too Large: a message must have at most 100000 bytes',
    ],
  ]

  it.each(beginnings)('%s', async (_what, beginning, status, message) => {
    const { client, streams, finish } = await openHttp2(undefined, 200)
    const stream = client.request({ ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' })
    stream.on('error', () => undefined)
    stream.write(beginning)

    expect(await answerOf(stream)).toStrictEqual({
      status,
      json: { jsonrpc: '2.0', error: { code: -32600, message } },
    })
    // The body is no longer read, and its stream is reset when its time limit has passed.
    await until(() => streams.size === 0)
    expect(await post(client, ping(1))).toMatchObject({ status: 200 })
    await finish()
  })

  it('does not affect other bodies: the timeout ends when a body has arrived, however long its call takes', async () => {
    const { client, finish } = await openHttp2({ name: 'slow', handler: () => delay(400).then(() => 'done') }, 200)
    const stream = client.request({ ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' })
    stream.write(' ')
    stream.end(JSON.stringify(legacyMessage('tools/call', toolCall('slow'))))

    expect(await answerOf(stream)).toMatchObject({ status: 200 })
    await finish()
  })
})

it('a body that cannot be decompressed leaves no timer behind', async () => {
  const { client, finish } = await openHttp2(undefined, 60_000, (own) => {
    own.addHook('preParsing', (_request, _reply, payload, done) => done(null, payload.pipe(createGunzip())))
  })
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()

  expect(await post(client, ping(1))).toMatchObject({ status: 400 })
  await until(() => timers() <= before)

  await finish()
})

it('a request that never ends is reset with the others when the application closes', async () => {
  const { app, client } = await openHttp2()
  const stream = client.request({ ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' })
  stream.on('error', () => undefined)
  stream.write('{')
  await post(client, ping(1))

  const began = performance.now()
  await app.close()

  expect(performance.now() - began).toBeGreaterThan(drainTimeoutMs - 20)
  client.destroy()
})

const message = modernMessage('tools/call', toolCall('wait'))
const callHeaders = {
  ':method': 'POST',
  ':path': '/mcp',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  ...headersOf(message),
}

/** A server with a tool that runs until its call is aborted. */
async function openWaiting(before: (context: McpContext) => void = () => undefined) {
  const seen = { began: false, aborted: false }
  const http2 = await openHttp2({
    name: 'wait',
    handler: async (_args, context) => {
      before(context)
      seen.began = true
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve))
      seen.aborted = true
    },
  })
  return { ...http2, seen }
}

/** The same server, with one call in flight. */
async function callWaiting(before?: (context: McpContext) => void) {
  const { client, seen, finish } = await openWaiting(before)
  const stream = client.request(callHeaders)
  stream.on('error', () => undefined)
  stream.end(JSON.stringify(message))
  return { seen, stream, finish }
}

it('a call is aborted when its client resets the stream', async () => {
  const { seen, stream, finish } = await callWaiting()
  await until(() => seen.began)
  stream.close(constants.NGHTTP2_CANCEL)
  await until(() => seen.aborted)
  await finish()
  expect(seen).toStrictEqual({ began: true, aborted: true })
})

it('a call is aborted when its client resets the stream after its first event', async () => {
  const { seen, stream, finish } = await callWaiting((context) => {
    context.sendNotification('notifications/com.example/x')
  })
  await once(stream, 'data')
  stream.close(constants.NGHTTP2_CANCEL)
  await until(() => seen.aborted)
  await finish()
  expect(seen).toStrictEqual({ began: true, aborted: true })
})

it('a call is aborted when its client sends the request and the reset in one packet', async () => {
  const { app, seen, finish } = await openWaiting()
  const { port } = app.server.address() as { port: number }
  const socket = connectSocket(port, '127.0.0.1')
  const headers = { ':scheme': 'http', ':authority': '127.0.0.1', ...callHeaders }
  socket.write(requestAndReset(headers, JSON.stringify(message)))
  await until(() => seen.aborted)
  expect(seen).toStrictEqual({ began: true, aborted: true })
  socket.destroy()
  await finish()
})

// Some proxies do so when their own client has disconnected.
it('an event stream ends when a client that reads nothing resets it without an error', async () => {
  const { app, streams, finish } = await openHttp2()
  const { port } = app.server.address() as { port: number }
  const client = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } })
  const stream = client.request({ ':path': '/sse' })
  await once(stream, 'response')

  expect(streams.size).toBe(1)
  stream.close(constants.NGHTTP2_NO_ERROR)

  await until(() => streams.size === 0)
  client.close()
  await finish()
})
