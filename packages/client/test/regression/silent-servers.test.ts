// A server accepts connections, and never answers.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { ConnectionError, connect, RequestTimeoutError } from '@toolwright/client'
import { McpController } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { createServer as createMcpServer } from '@toolwright/server'
import { StreamTool, streams, ToolStream } from '@toolwright/streams'
import Fastify from 'fastify'
import { pino } from 'pino'
import { serveShop } from '../support/lanes.js'

@McpController()
class EchoTools {
  @StreamTool({ description: 'Returns' })
  echo(_stream: ToolStream): void {}
}

let silent: Server
let sockets: Socket[]
let url: string

beforeEach(async () => {
  sockets = []
  silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve)
  })
  url = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}/ws`
})

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => silent.close(resolve))
})

test.each(['modern', 'legacy', 'auto'] as const)('a %s connect over WebSocket ends on time', async (era) => {
  await expect(connect(url, { era, timeoutMs: 100 })).rejects.toThrow(RequestTimeoutError)
  const signal = AbortSignal.timeout(100)
  await expect(connect(url, { era, signal })).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }))
})

test.each(['modern', 'auto'] as const)('a signal ends a %s connect over HTTP', async (era) => {
  const signal = AbortSignal.timeout(100)
  const connecting = connect(url.replace('ws:', 'http:'), { era, signal })
  await expect(connecting).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }))
})

describe('a client of streams', () => {
  async function serveStreams() {
    const logger = pino({ level: 'silent' })
    const controllers = [EchoTools]
    const server = await createMcpServer({ name: 'e', version: '1.0.0', controllers, extensions: [streams()], logger })
    const app = Fastify({ forceCloseConnections: true })
    await app.register(mcp, { server, allowAnonymous: true, webSocket: true })
    return { app, http: `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp` }
  }

  test('rejects a stream whose WebSocket does not open within the timeout', async () => {
    const { app, http } = await serveStreams()
    await using client = await connect(http, { webSocketPath: url, timeoutMs: 500 })
    await expect(client.stream('echo')).rejects.toThrow(RequestTimeoutError)
    await app.close()
  })

  test('closes while a WebSocket opens', async () => {
    const { app, http } = await serveStreams()
    const client = await connect(http, { webSocketPath: url })
    const opening = client.stream('echo').catch((error: unknown) => error)
    await new Promise(setImmediate)
    await client.close()
    expect(await opening).toBeInstanceOf(ConnectionError)
    await app.close()
  })
})

test('timeout and signal of a request count while the client reconnects', async () => {
  const shop = await serveShop()
  const port = Number(new URL(shop.http).port)
  const client = await connect(shop.webSocket, { era: 'modern', reconnect: { attempts: 100, delayMs: 20 } })
  await client.ping()
  await shop[Symbol.asyncDispose]()
  // The server is gone.
  await expect(client.ping({ timeoutMs: 100 })).rejects.toThrow(RequestTimeoutError)
  await new Promise((resolve) => silent.close(resolve))
  silent.listen(port, '127.0.0.1')
  // The server accepts connections, and is silent.
  await expect(client.ping({ timeoutMs: 300 })).rejects.toThrow(RequestTimeoutError)
  const signal = AbortSignal.timeout(100)
  await expect(client.ping({ signal })).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }))
  await client.close()
})
