import { once } from 'node:events'
import { connect as connectHttp2, type Settings } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { createHost, type HostFastifyOptions } from 'toolwright'

const apps: FastifyInstance[] = []
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())))

async function listen(options: HostFastifyOptions = {}): Promise<number> {
  const fastify = { logger: false, ...options }
  const app = await createHost({ name: 'slow', version: '1.0.0', controllers: [], fastify })
  apps.push(app)
  app.mcp.catalog.addTool({ name: 'quick', handler: () => 'done' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

/** Milliseconds until the server closes a connection after these bytes. */
async function holdOpen(port: number, beginning: string): Promise<number> {
  const socket: Socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  const began = performance.now()
  socket.resume().write(beginning)
  await once(socket, 'close')
  return performance.now() - began
}

async function timeGoodCall(port: number): Promise<number> {
  const began = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'quick' } }),
  })
  expect(await response.json()).toMatchObject({ result: { content: [{ type: 'text', text: 'done' }] } })
  return performance.now() - began
}

const head = 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'

test('500 connections that send half a request are closed on time, and valid calls are served meanwhile', async () => {
  const http = { headersTimeout: 1000, connectionsCheckingInterval: 100 }
  const port = await listen({ requestTimeout: 1500, http })
  const beginnings = [`${head}X-Slow`, `${head}Content-Length: 100\r\n\r\n{"jsonrpc"`]
  const held = Array.from({ length: 500 }, (_, index) => holdOpen(port, beginnings[index % 2] as string))
  const took: number[] = []
  for (let round = 0; round < 10; round++) {
    // oxlint-disable-next-line no-await-in-loop
    took.push(await timeGoodCall(port))
    // oxlint-disable-next-line no-await-in-loop
    await setTimeout(50)
  }
  const closedAfter = await Promise.all(held)

  expect(Math.min(...closedAfter)).toBeGreaterThan(500)
  expect(Math.max(...closedAfter)).toBeLessThan(6500)
  // The median instead of the maximum, which includes the creation of 500 connections.
  expect(took.toSorted((a, b) => a - b)[5]).toBeLessThan(200)
})

test.each<[string, HostFastifyOptions]>([
  ['HTTP', { http: { maxHeaderSize: 9000 } }],
  ['HTTPS', { https: { maxHeaderSize: 9000 } }],
])(
  'a request over %s times out after 10 seconds for its headers, and after 30 seconds in total',
  async (_how, fastify) => {
    await listen(fastify)
    expect(apps[0]?.server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2000,
    })
  },
)

test.each<[string, HostFastifyOptions, number]>([
  ['the usual number of streams', {}, 100],
  ['fewer streams by an option of the application', { http: { settings: { enableConnectProtocol: true } } }, 100],
  ['the configured number of streams', { http: { settings: { maxConcurrentStreams: 7 } } }, 7],
])('an HTTP/2 connection can have %s at once', async (_how, fastify, expected) => {
  const client = connectHttp2(`http://127.0.0.1:${await listen({ http2: true, ...fastify })}`)

  const [settings] = (await once(client, 'remoteSettings')) as [Settings]

  expect(settings.maxConcurrentStreams).toBe(expected)
  client.close()
})
