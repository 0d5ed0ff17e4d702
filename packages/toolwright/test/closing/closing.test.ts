import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { createHost, type HostOptions, McpTool } from 'toolwright'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'

let closed: string[] = []
let gate = createGate()

/** All ways to close an application while it is served, and its released resources. */
async function open(options: Partial<HostOptions> = {}): Promise<FastifyInstance> {
  class Stops {
    @McpTool()
    stop(): string {
      void app.close()
      void app.mcp.close()
      return 'stopping'
    }

    @McpTool()
    async waitForEver(): Promise<void> {
      await new Promise(() => undefined)
    }

    @McpTool()
    async waitForTest(): Promise<string> {
      await gate.opened
      return 'stopping'
    }

    @McpTool()
    async stopSlowly(): Promise<string> {
      void app.close()
      await sleep(50)
      return 'stopping'
    }

    dispose(): void {
      closed.push('controller')
    }
  }
  const app = await createHost({
    name: 'closing',
    version: '1.0.0',
    controllers: [Stops],
    fastify: { logger: false },
    drainTimeoutMs: 5000,
    ...options,
  })
  app.addHook('onClose', async () => {
    closed.push('application')
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

async function callStop(app: FastifyInstance): Promise<unknown> {
  const { port } = app.server.address() as AddressInfo
  return (await callTool(port, 'stop')).json()
}

function callTool(port: number, name: string, path = '/mcp'): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } }),
  })
}

const stopping = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'stopping' }] } }

beforeEach(() => {
  closed = []
  gate = createGate()
})

test('a server that is closed many times at once releases everything once', async () => {
  const app = await open()
  await Promise.all([app.close(), app.mcp.close(), app.close(), app.mcp.close()])
  await app.close()

  expect(closed.toSorted()).toEqual(['application', 'controller'])
})

test('a tool that closes its own server is answered, and the server ends once', async () => {
  const app = await open()

  expect(await callStop(app)).toEqual(stopping)
  await app.close()
  expect(app.server.listening).toBe(false)
  expect(closed.toSorted()).toEqual(['application', 'controller'])
})

test('a call whose hook closes its server is answered, and the server ends once', async () => {
  const onCompleted = (): void => void app.close()
  const app = await open({ hooks: [{ onCompleted }] })

  expect(await callStop(app)).toEqual(stopping)
  await app.close()
  expect(closed.toSorted()).toEqual(['application', 'controller'])
})

test('a connection without a request does not delay the shutdown', async () => {
  let wasCut = false
  const app = await open({ onDrainTimeout: () => void (wasCut = true) })
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  await Promise.all([once(app.server, 'connection'), once(socket, 'connect')])
  const [ended, answer] = [once(socket.resume(), 'end'), callTool(port, 'stop_slowly')]

  expect(await (await answer).json()).toEqual(stopping)
  await app.close()
  await ended
  expect(wasCut).toBe(false)
  expect(closed.toSorted()).toEqual(['application', 'controller'])
})

test('calls can have an infinite drain timeout, or one longer than any timer', async () => {
  let wasCut = false
  const app = await open({ drainTimeoutMs: 2 ** 31, onDrainTimeout: () => void (wasCut = true) })
  const { port } = app.server.address() as AddressInfo

  expect(await (await callTool(port, 'stop_slowly')).json()).toEqual(stopping)
  await app.close()
  expect(wasCut).toBe(false)
})

test('a client that calls again right after the last response gets 503, not a reset', async () => {
  const app = await open()
  const { port } = app.server.address() as AddressInfo
  const first = speak(port, 'stop_slowly')
  await first.answered
  // With raw sockets, which are fast enough: the test has 100 ms.
  const again = speak(port, 'stop')

  expect(await again.ended).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n[^]*connection: close\r\n/i)
  expect(await first.ended).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/i)
  await app.close()
})

/** A raw client with one request: the time of its response, and all bytes until the server closed the connection. */
function speak(port: number, name: string): { answered: Promise<unknown>; ended: Promise<string> } {
  const socket = connect(port, '127.0.0.1')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })
  const head = 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json'
  socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  return { answered: once(socket, 'data'), ended: text(socket) }
}

/** Its stream ends when the application closes. */
const listen = {
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: {
    notifications: { toolsListChanged: true },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

async function sendListen(port: number, agent: Agent): Promise<{ sent: ClientRequest; answer: IncomingMessage }> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
  }
  const sent = request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers, agent })
  sent.end(JSON.stringify(listen))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { sent, answer }
}

test('a client whose stream has ended can use the connection until the last call is answered, and gets 503', async () => {
  const app = await open()
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const waiting = callTool(port, 'wait_for_test')
  const { answer: stream } = await sendListen(port, agent)
  await until(() => app.mcp.inFlight.count === 1)
  void app.close()
  expect(await text(stream)).toContain('"resultType":"complete"')
  await sleep(100)

  const { sent, answer } = await sendListen(port, agent)

  expect([answer.statusCode, answer.headers.connection, sent.reusedSocket]).toEqual([503, 'close', true])
  answer.resume()
  gate.open()
  expect(await (await waiting).json()).toEqual(stopping)
  await app.close()
  agent.destroy()
})

/** Responses for these paths while a call delays the shutdown. */
async function callWhileClosing(fastify: object, paths: readonly string[]) {
  const app = await open({ fastify, legacySse: true, rpc: true, path: '/api/mcp' })
  const { port } = app.server.address() as AddressInfo
  const waiting = callTool(port, 'wait_for_test', '/api/mcp')
  await until(() => app.mcp.inFlight.count === 1)
  void app.close()
  const answers = await Promise.all(
    paths.map(async (path) => {
      const answer = await callTool(port, 'stop', path)
      const { status, headers } = answer
      return [status, headers.get('connection'), headers.get('retry-after'), await answer.json()]
    }),
  )
  gate.open()
  expect(await (await waiting).json()).toEqual(stopping)
  await app.close()
  return answers
}

test('requests during the shutdown get the 503 of Fastify, with Retry-After', async () => {
  const paths = ['/api/mcp', '/rpc', '/messages', '/health/live', '/mcp']
  const answers = await callWhileClosing({ logger: false }, paths)

  const error = { error: 'Service Unavailable', message: 'Service Unavailable', statusCode: 503 }
  expect(answers).toEqual(paths.map(() => [503, 'close', '1', error]))
})

test('the endpoint rejects requests during the shutdown if Fastify does not', async () => {
  const paths = ['/api/mcp', '/api/mcp/', '/rpc', '/messages']
  const answers = await callWhileClosing({ logger: false, return503OnClosing: false }, paths)

  const error = { code: -32603, message: 'The server is closing. Try again in 1 s', data: { retryAfterMs: 1000 } }
  expect(answers).toEqual(paths.map(() => [503, 'close', '1', { jsonrpc: '2.0', error }]))
})

test.each([
  [20_000, 30_000],
  [2 ** 31 - 1, 0],
])('Fastify waits for calls with a drain timeout of %d ms', async (drainTimeoutMs, pluginTimeout) => {
  const app = await open({ drainTimeoutMs })
  expect(app.initialConfig.pluginTimeout).toBe(pluginTimeout)
  await app.close()
})

test('calls are cut at the deadline, also if onDrainTimeout throws', async () => {
  const onDrainTimeout = (): void => {
    throw new Error('thrown by onDrainTimeout')
  }
  const app = await open({ drainTimeoutMs: 50, onDrainTimeout, limits: { callTimeoutMs: 300 } })
  const { port } = app.server.address() as AddressInfo
  const answer = callTool(port, 'wait_for_ever').then(
    () => 'answered',
    () => 'cut',
  )
  await until(() => app.mcp.inFlight.count === 1)

  await app.close()
  expect(await answer).toBe('cut')
})

test('a deadline beyond the range of timers cuts nothing', async () => {
  const app = await open({ drainTimeoutMs: 2 ** 31 })
  const { port } = app.server.address() as AddressInfo

  expect(await (await callTool(port, 'stop_slowly')).json()).toEqual(stopping)
  await app.close()
})
