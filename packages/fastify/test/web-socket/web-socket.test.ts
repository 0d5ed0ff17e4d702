import { once } from 'node:events'
import { Server } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import websocket from '@fastify/websocket'
import { Client } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import { Type } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { WebSocket } from 'ws'
import {
  closeApps,
  initializeMessage,
  legacyMessage,
  listen,
  modernMessage,
  modernVersion,
  openApp,
  serverMeta,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { createGate, type Gate } from '../../../../test/support/gate.js'
import { gaugesOf } from '../../../../test/support/gauges.js'
import { until } from '../../../../test/support/until.js'
import { openSocket, SocketTransport } from '../support/web-socket-client.js'

const version: TestTool = {
  name: 'version',
  handler: (_args, context) => context.protocolVersion,
}

const padding = 'x'.repeat(1_000_000)

interface Waiting {
  readonly tool: TestTool
  readonly gate: Gate
  readonly aborted: string[]
  readonly finished: string[]
  started: number
}

/** A tool that waits for its gate, and lists cancelled calls by their names. */
function createWaiting(): Waiting {
  const gate = createGate()
  const waiting: Waiting = {
    gate,
    aborted: [],
    finished: [],
    started: 0,
    tool: {
      name: 'wait',
      inputSchema: { type: 'object' },
      handler: async ({ as = '' }: { as?: string }, { signal }) => {
        waiting.started++
        signal.addEventListener('abort', () => waiting.aborted.push(as))
        await gate.opened
        waiting.finished.push(as)
        return as
      },
    },
  }
  return waiting
}

afterEach(closeApps)

it('WebSocket is disabled by default', async () => {
  const port = await listen(await openApp())

  await expect(openSocket(port)).rejects.toThrow('404')
})

it.each([
  ['2026-07-28', { mode: { pin: modernVersion } }],
  ['2025-11-25', { mode: 'legacy' }],
] as const)(
  'WebSocket works with the current official client in %s, including progress',
  async (revision, versionNegotiation) => {
    const gate = createGate()
    const reporting: TestTool = {
      name: 'report',
      handler: async (_args, context) => {
        context.progress(1, 2)
        await gate.opened
        return context.protocolVersion
      },
    }
    const port = await listen(await openApp({ webSocket: true, tools: [reporting] }))
    const client = new Client({ name: 'today', version: '1' }, { versionNegotiation })
    await client.connect(new SocketTransport(port))
    const seen: unknown[] = []
    const onprogress = (progress: unknown): void => {
      seen.push(progress)
      gate.open()
    }

    const { content } = await client.callTool({ name: 'report' }, { onprogress })

    expect(content).toStrictEqual([{ type: 'text', text: revision }])
    expect(seen).toStrictEqual([{ progress: 1, total: 2 }])
    await client.close()
  },
)

it('WebSocket works with the WebSocket transport of the official SDK 1', async () => {
  const app = await openApp({ webSocket: true, tools: [version] })
  Object.assign(globalThis, { WebSocket })
  const client = new LegacyClient({ name: 'old', version: '1' })
  const changed = new Promise<string>((resolve) => {
    client.fallbackNotificationHandler = async ({ method }) => resolve(method)
  })
  await client.connect(new WebSocketClientTransport(new URL(`ws://127.0.0.1:${await listen(app)}/ws`)))

  const result = await client.callTool({ name: 'version' })
  app.mcp.catalog.addTool({ name: 'late', handler: () => '' })

  expect(result).toStrictEqual({ content: [{ type: 'text', text: '2025-11-25' }] })
  expect(await changed).toBe('notifications/tools/list_changed')
  await client.close()
})

it('WebSocket needs no headers: the body of each message determines its era', async () => {
  const client = await openSocket(
    await listen(await openApp({ webSocket: { path: '/socket' }, tools: [version] })),
    '/socket',
  )

  const now = await client.request(modernMessage('tools/call', toolCall('version')))
  const then = await client.request(initializeMessage('2025-03-26'))
  const batch = await client.request([legacyMessage('ping', {}, 1), legacyMessage('ping', {}, 2)] as never)

  expect(now).toStrictEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { resultType: 'complete', content: [{ type: 'text', text: '2026-07-28' }], _meta: serverMeta },
  })
  expect(then.result.protocolVersion).toBe('2025-03-26')
  expect(batch).toStrictEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 2, result: {} },
  ])
})

it('WebSocket sends requests to a legacy client during a call', async () => {
  const asks: TestTool = {
    name: 'ask',
    handler: async (_args, context) => {
      const { action } = await context.elicit({ message: 'Sure?', schema: Type.Object({}) })
      return action
    },
  }
  const client = await openSocket(await listen(await openApp({ webSocket: true, tools: [asks] })))
  await client.request(initializeMessage('2025-11-25', { capabilities: { elicitation: {} } }))

  const question = await client.request(legacyMessage('tools/call', toolCall('ask'), 2))
  client.send(JSON.stringify({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } }))

  expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } })
  expect((await client.next()).result.content).toStrictEqual([{ type: 'text', text: 'decline' }])
})

it('WebSocket checks Host, Origin and credentials before the upgrade', async () => {
  const port = await listen(await openApp({ webSocket: true }))

  await expect(openSocket(port, '/ws', { origin: 'https://evil.example.com' })).rejects.toThrow('403')
  await expect(openSocket(port, '/ws', { headers: { host: 'evil.example.com' } })).rejects.toThrow('403')
  const page = await openSocket(port, '/ws', { origin: 'http://localhost:5173' })

  expect(page.socket.protocol).toBe('mcp')
  page.socket.close()
})

it('WebSocket responds to a plain GET with the fix, and to no other method', async () => {
  const app = await openApp({ webSocket: true })

  const get = await app.inject('/ws')
  const post = await app.inject({ method: 'POST', url: '/ws', payload: legacyMessage('ping') })

  expect([get.statusCode, get.headers['upgrade'], get.json().error.code]).toStrictEqual([400, 'websocket', -32600])
  expect(post.statusCode).toBe(404)
})

it('WebSocket responds to a GET over HTTP/2, too, which has no upgrades', async () => {
  const port = await listen(await openApp({ webSocket: true, fastify: { http2: true } as never }))
  const client = connectHttp2(`http://127.0.0.1:${port}`)
  const stream = client.request({ ':path': '/ws' })

  const [headers] = await once(stream, 'response')

  expect([headers[':status'], headers['upgrade']]).toStrictEqual([400, undefined])
  expect(await json(stream)).toMatchObject({ error: { code: -32600 } })
  client.close()
})

it('WebSocket limits its connections to the number of sessions', async () => {
  const app = await openApp({ webSocket: true, limits: { maxSessions: 1 } })
  const port = await listen(app)
  const first = await openSocket(port)

  await expect(openSocket(port)).rejects.toThrow('503')
  expect(gaugesOf(app.mcp, 'web_sockets')).toEqual({
    web_sockets_open: 1,
    web_sockets_open_max: 1,
    web_sockets_rejected_total: 1,
  })
  expect(gaugesOf(app.mcp, 'connections')['connections_open']).toBeGreaterThanOrEqual(1)
  first.socket.close()
  await first.closed

  await until(async () => {
    try {
      ;(await openSocket(port)).socket.close()
      return true
    } catch {
      return false
    }
  })
})

it('WebSocket rejects invalid messages, and continues', async () => {
  const app = await openApp({ webSocket: true, limits: { maxDepth: 4, maxKeys: 4, maxItems: 3 } })
  const client = await openSocket(await listen(app))
  const fiveKeys = '{"a":1,"b":2,"c":3,"d":4,"e":5}'
  const errors: unknown[] = []
  for (const message of ['{', '[]', '[[[[[]]]]]', '{"__proto__":1}', 'null', '"text"', fiveKeys, '[1,2,3,4]']) {
    // oxlint-disable-next-line no-await-in-loop
    errors.push((await client.request(message as never)).error.code)
  }

  expect(errors).toStrictEqual([-32700, -32600, -32600, -32600, -32600, -32600, -32600, -32600])
  expect(await client.request(legacyMessage('ping'))).toStrictEqual({ jsonrpc: '2.0', id: 1, result: {} })
})

it('WebSocket rejects a request with too many keys, with its id', async () => {
  const app = await openApp({ webSocket: true, limits: { maxItems: 3 } })
  const client = await openSocket(await listen(app))

  expect(await client.request(legacyMessage('ping', { list: [1, 2, 3, 4] }, 'many'))).toMatchObject({
    id: 'many',
    error: { code: -32600 },
  })
})

it('WebSocket closes after a message that is too long or not text', async () => {
  const app = await openApp({ webSocket: true, limits: { maxMessageBytes: 1000 } })
  const port = await listen(app)
  const [long, binary, broken] = await Promise.all([openSocket(port), openSocket(port), openSocket(port)])

  long.send('x'.repeat(1001))
  binary.send(Buffer.from(JSON.stringify(legacyMessage('ping'))))
  broken.socket.send(Buffer.from([0xff]), { binary: false })

  const codes = (await Promise.all([long.closed, binary.closed, broken.closed])).map(([code]) => code)
  expect(codes).toStrictEqual([1009, 1003, 1007])
  expect(app.mcp.metrics().oversizedMessages).toBe(1)
})

it('WebSocket cancels modern calls when the client disconnects, and lets legacy calls end', async () => {
  const waiting = createWaiting()
  const app = await openApp({ webSocket: true, tools: [waiting.tool] })
  const client = await openSocket(await listen(app))
  client.send(modernMessage('tools/call', toolCall('wait', { as: 'modern' })))
  client.send(legacyMessage('tools/call', toolCall('wait', { as: 'legacy' }), 2))
  await until(() => waiting.started === 2)

  client.socket.terminate()
  await until(() => waiting.aborted.length > 0)
  waiting.gate.open()
  await until(() => waiting.finished.length === 2)

  expect(waiting.aborted).toStrictEqual(['modern'])
})

it('WebSocket fails the client requests of a legacy call when the client disconnects', async () => {
  const failures: string[] = []
  const ask = async (context: Parameters<TestTool['handler']>[1]): Promise<void> => {
    await context.elicit({ message: 'Sure?', schema: Type.Object({}) }).catch((error: Error) => {
      failures.push(error.message)
    })
  }
  const asks: TestTool = {
    name: 'ask',
    handler: async (_args, context) => {
      await ask(context)
      await ask(context)
    },
  }
  const client = await openSocket(await listen(await openApp({ webSocket: true, tools: [asks] })))
  await client.request(initializeMessage('2025-11-25', { capabilities: { elicitation: {} } }))
  await client.request(legacyMessage('tools/call', toolCall('ask'), 2))

  client.socket.terminate()
  await until(() => failures.length === 2)

  expect(failures).toStrictEqual([
    'The client disconnected before it answered the question.',
    'The client disconnected before it answered elicitation/create.',
  ])
})

it('WebSocket limits concurrent requests of a client, and still handles cancellations', async () => {
  const waiting = createWaiting()
  const app = await openApp({ webSocket: true, tools: [waiting.tool] })
  const client = await openSocket(await listen(app))
  for (let id = 1; id <= 100; id++) client.send(legacyMessage('tools/call', toolCall('wait', { as: String(id) }), id))

  const rejected = await client.request(legacyMessage('ping', {}, 101))
  client.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }))
  await until(() => waiting.aborted.length > 0)

  expect(rejected).toStrictEqual({
    jsonrpc: '2.0',
    id: 101,
    error: {
      code: -32603,
      message: 'At most 100 requests are served at once. Try again in 1 s',
      data: { retryAfterMs: 1000 },
    },
  })
  expect(waiting.aborted).toStrictEqual(['7'])
  expect(await client.request(legacyMessage('ping', {}, 102))).toStrictEqual({ jsonrpc: '2.0', id: 102, result: {} })
  waiting.gate.open()
})

it('WebSocket counts each request of a batch', async () => {
  const waiting = createWaiting()
  const app = await openApp({ webSocket: true, tools: [waiting.tool] })
  const client = await openSocket(await listen(app))
  await client.request(initializeMessage('2025-03-26'))
  const batchFrom = (first: number): string =>
    JSON.stringify(
      Array.from({ length: 50 }, (_, index) => legacyMessage('tools/call', toolCall('wait'), first + index)),
    )
  client.send(batchFrom(1))
  client.send(batchFrom(51))
  client.send(batchFrom(101))

  expect(await client.next()).toMatchObject({
    error: { message: 'At most 100 requests are served at once. Try again in 1 s' },
  })
  expect(app.mcp.metrics().inFlight.value).toBe(100)
  waiting.gate.open()
  await client.next()
  await client.next()
  expect(app.mcp.metrics().inFlight.value).toBe(0)
  expect(await client.request(legacyMessage('ping', {}, 200))).toStrictEqual({ jsonrpc: '2.0', id: 200, result: {} })
})

it('WebSocket counts subscriptions separately from requests: a client at the limit can still call', async () => {
  const app = await openApp({ webSocket: true, tools: [version] })
  const client = await openSocket(await listen(app))
  const subscribe = (id: number): Promise<unknown> =>
    client.request({ ...modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }), id })
  for (let id = 1; id <= 100; id++) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await subscribe(id)).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
  }

  expect(await subscribe(101)).toMatchObject({
    error: { code: -32603, message: 'Too many subscriptions are open. Try again in 10 s' },
  })
  expect(await client.request({ ...modernMessage('tools/call', toolCall('version')), id: 102 })).toMatchObject({
    result: { content: [{ type: 'text', text: modernVersion }] },
  })
})

it('WebSocket serves messages in order, also long ones and those after them', async () => {
  const started: string[] = []
  const note: TestTool = {
    name: 'note',
    inputSchema: { type: 'object' },
    handler: ({ as }: { as: string }) => void started.push(as),
  }
  const client = await openSocket(await listen(await openApp({ webSocket: true, tools: [note] })))
  const names = ['long', 'short', 'longer', 'shorter', 'last']
  // A message of 1 MB is served in a separate turn.
  for (const as of names) {
    client.send(
      modernMessage('tools/call', { name: 'note', arguments: { as, ...(as.startsWith('long') ? { padding } : {}) } }),
    )
  }
  for (const _ of names) await client.next()

  expect(started).toStrictEqual(names)
})

it('WebSocket disconnects a client that does not read', async () => {
  const text = 'x'.repeat(500_000)
  const big: TestTool = { name: 'big', handler: () => text }
  const app = await openApp({ webSocket: true, keepAliveMs: 300, tools: [big], limits: { maxBufferedBytes: 100_000 } })
  const client = await openSocket(await listen(app))

  client.socket.pause()
  for (let id = 1; id <= 60; id++) client.send(legacyMessage('tools/call', toolCall('big'), id))
  await until(async () => (await connections(app)) === 0)
  client.socket.resume()

  expect((await client.closed)[0]).toBe(1006)
  expect(app.mcp.metrics().cutStreams).toBe(1)
})

it('WebSocket sends pings, and disconnects a client that misses three pongs', async () => {
  const app = await openApp({ webSocket: true, keepAliveMs: 20 })
  const port = await listen(app)
  const alive = await openSocket(port)
  const silent = await openSocket(port, '/ws', { autoPong: false })
  let pings = 0
  silent.socket.on('ping', () => pings++)

  expect((await silent.closed)[0]).toBe(1006)
  expect(pings).toBe(3)
  expect(await alive.request(legacyMessage('ping'))).toStrictEqual({ jsonrpc: '2.0', id: 1, result: {} })
})

it('WebSocket waits for a message that arrives slowly, regardless of pings', async () => {
  const socket = await upgrade(await listen(await openApp({ webSocket: true, keepAliveMs: 20 })), '/ws')
  // The head of a masked text frame of 100 bytes.
  socket.write(Buffer.from([0x81, 0x80 | 100, 0, 0, 0, 0]))
  for (let byte = 0; byte < 30; byte++) {
    // oxlint-disable-next-line no-await-in-loop
    await delay(10)
    socket.write('x')
  }

  expect(socket.closed).toBe(false)
  expect(await gone(socket)).toBe(true)
})

it('WebSocket handles many concurrent messages in several turns of the event loop, in order', async () => {
  let sinceTurn = 0
  const counted: TestTool = { name: 'counted', handler: () => ++sinceTurn }
  const app = await openApp({ webSocket: true, tools: [counted] })
  const client = await openSocket(await listen(app))
  let most = 0
  let turn = setImmediate(function look() {
    most = Math.max(most, sinceTurn)
    sinceTurn = 0
    turn = setImmediate(look)
  })
  const ids = Array.from({ length: 3000 }, (_, index) => index + 1)

  // In as few chunks as possible.
  const { _socket: link } = client.socket as unknown as { readonly _socket: Socket }
  link.cork()
  for (const id of ids) client.send(legacyMessage('tools/call', toolCall('counted'), id))
  link.uncork()
  const answers = await Promise.all(ids.map(() => client.next()))
  clearImmediate(turn)

  expect(answers.map(({ id }) => id)).toStrictEqual(ids)
  // Two hundred may arrive between two samples.
  expect(most).toBeLessThan(500)
})

it('WebSocket closes gracefully with the application: calls are answered, subscriptions end, new requests are rejected', async () => {
  const waiting = createWaiting()
  const app = await openApp({ webSocket: true, tools: [waiting.tool] })
  const client = await openSocket(await listen(app))
  client.send(legacyMessage('tools/call', toolCall('wait', { as: 'last' }), 1))
  await until(() => waiting.started === 1)
  const listenMessage = modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } })
  await client.request({ ...listenMessage, id: 2 })

  const closed = app.close()
  const ended = await client.next()
  const rejected = await client.request(legacyMessage('ping', {}, 3))
  waiting.gate.open()

  expect([ended.id, ended.result.resultType]).toStrictEqual([2, 'complete'])
  expect(rejected.error.message).toBe('The server is closing. Try again in 1 s')
  expect((await client.next()).result.content).toStrictEqual([{ type: 'text', text: 'last' }])
  expect(await client.closed).toStrictEqual([1001, 'the server is closing'])
  await closed
})

it('WebSocket does not wait for a client that sends no close frame', async () => {
  const app = await openApp({ webSocket: true })
  const port = await listen(app)
  const socket = await upgrade(port, '/ws')

  await app.close()

  expect(await gone(socket)).toBe(true)
})

it('WebSocket does not wait for a client whose upgrade is rejected during the shutdown and that stays connected', async () => {
  const waiting = createWaiting()
  const app = await openApp({ webSocket: true, keepAliveMs: 600_000, tools: [waiting.tool] })
  const port = await listen(app)
  const client = await openSocket(port)
  client.send(legacyMessage('tools/call', toolCall('wait'), 1))
  await until(() => waiting.started === 1)

  const closed = app.close()
  const socket = await upgrade(port, '/ws')

  await until(() => socket.closed)
  expect(socket.bytesRead).toBeGreaterThan(0)
  waiting.gate.open()
  await closed
})

it('WebSocket does not wait for a client whose upgrade was rejected before the shutdown and that stays connected', async () => {
  const app = await openApp({ webSocket: true, keepAliveMs: 600_000 })
  const port = await listen(app)
  const [stranger, webSocket] = [await upgrade(port, '/nowhere'), await openSocket(port)]

  await app.close()

  expect(await gone(stranger)).toBe(true)
  expect(await webSocket.closed).toStrictEqual([1001, 'the server is closing'])
})

it('WebSocket closes connections whose upgrade was rejected', async () => {
  const app = await openApp({ webSocket: true, keepAliveMs: 50 })
  const port = await listen(app)
  const socket = await upgrade(port, '/nowhere')

  expect(await gone(socket)).toBe(true)
})

describe('two WebSocket endpoints of one application', () => {
  async function openTwo(app: FastifyInstance): Promise<number> {
    for (const prefix of ['/a', '/b']) {
      // oxlint-disable-next-line no-await-in-loop
      await app.register(
        async (scope) => {
          await scope.register(mcp, { name: prefix, version: '1.0.0', controllers: [], webSocket: true })
        },
        { prefix },
      )
    }
    return listen(app)
  }

  function namesAt(port: number): Promise<string[]> {
    return Promise.all(
      ['/a/ws', '/b/ws'].map(async (path) => {
        const client = await openSocket(port, path)
        return (await client.request(initializeMessage('2025-11-25'))).result.serverInfo.name as string
      }),
    )
  }

  it('have separate upgrades, without logged failures', async () => {
    const lines: string[] = []
    const app = Fastify({ logger: { level: 'warn', stream: { write: (line) => void lines.push(line) } } })
    const port = await openTwo(app)

    expect(await namesAt(port)).toStrictEqual(['/a', '/b'])
    await upgrade(port, '/nowhere')
    await app.close()
    expect(lines).toStrictEqual([])
  })

  it('work beside a WebSocket of the application', async () => {
    const app = Fastify({ logger: false })
    await app.register(websocket)
    app.get('/chat', { websocket: true }, (socket) => socket.send('"hello"'))
    const port = await openTwo(app)
    const chat = await openSocket(port, '/chat')

    expect(await namesAt(port)).toStrictEqual(['/a', '/b'])
    expect(await chat.next()).toBe('hello')
    await app.close()
  })
})

/** Java's client does so with each request. */
it('WebSocket serves a request that offers HTTP/2 over HTTP/1, if Node supports it', async () => {
  const port = await listen(await openApp({ webSocket: true }))
  const socket = connectTcp(port, '127.0.0.1')
  const body = JSON.stringify(legacyMessage('ping'))
  const offer = 'Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA'
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  socket.write(`${head}\r\n${offer}\r\n\r\n${body}`)
  const [answer] = (await once(socket, 'data')) as [Buffer]

  expect(String(answer)).toMatch('shouldUpgradeCallback' in new Server() ? /^HTTP\/1.1 200 / : /^HTTP\/1.1 400 /)
  socket.destroy()
})

function connections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve) => {
    app.server.getConnections((_error, count) => resolve(count))
  })
}

/** A raw upgrade, of a client that then sends nothing. */
async function upgrade(port: number, path: string): Promise<Socket> {
  const socket = connectTcp(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  await once(socket, 'data')
  return socket
}

async function gone(socket: Socket): Promise<boolean> {
  if (!socket.closed) await once(socket, 'close')
  return socket.closed
}
