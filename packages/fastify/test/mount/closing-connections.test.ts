import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { type McpServer } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { createServer } from '@toolwright/server'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  headersOf,
  listen,
  modernMessage,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { createGate, type Gate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { tls } from '../support/tls.js'

const servers: Readonly<Record<string, object>> = {
  'HTTP/1': {},
  HTTPS: { https: tls },
  'HTTP/2': { http2: true },
  'HTTP/2 with TLS': { http2: true, https: tls },
  'HTTP/2 with TLS that allows HTTP/1': { http2: true, https: { ...tls, allowHTTP1: true } },
}

interface Host {
  readonly app: FastifyInstance
  readonly port: number
  /** Opened for `GET /slow`, which then responds. */
  readonly gate: Gate
  readonly slowCalls: () => number
  /** Closes, and returns whether open connections had to be cut. */
  readonly close: () => Promise<{ readonly wasCut: boolean }>
}

/** An ordinary close takes far less than the deadline. */
async function open(fastify: object, drainTimeoutMs = 5000): Promise<Host> {
  let wasCut = false
  const onDrainTimeout = (): void => void (wasCut = true)
  const app = await openApp({ fastify, drainTimeoutMs, onDrainTimeout })
  const gate = createGate()
  let slowCalls = 0
  app.get('/slow', async () => {
    slowCalls++
    await gate.opened
    return 'slow'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = async () => {
    await app.close()
    return { wasCut }
  }
  return { app, port, gate, slowCalls: () => slowCalls, close }
}

/** A connection that the server has accepted, after sending these bytes. */
async function connectRaw({ app, port }: Host, sent?: Buffer): Promise<Socket> {
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  const [other] = await accepted
  if (sent !== undefined) socket.write(sent)
  await until(() => other.bytesRead === (sent?.length ?? 0))
  return socket.resume()
}

/** A connection after its handshake. */
async function connectSecure({ app, port }: Host, protocol?: string): Promise<Socket> {
  const secured = once(app.server, 'secureConnection')
  const offered = protocol === undefined ? {} : { ALPNProtocols: [protocol] }
  const socket = connectTls({ port, host: '127.0.0.1', ca: tls.cert, ...offered }).on('error', () => undefined)
  await Promise.all([secured, once(socket, 'secureConnect')])
  return socket.resume()
}

/** The first bytes of a TLS record with 256 bytes: the beginning of a ClientHello. */
const halfClientHello = Buffer.from('16030101000100', 'hex')

/** Closes while only these connections are open. */
async function expectUncut(host: Host, socket: Socket): Promise<void> {
  const closed = once(socket, 'close')
  expect(await host.close()).toEqual({ wasCut: false })
  await closed
}

describe.each(['HTTPS', 'HTTP/2 with TLS', 'HTTP/2 with TLS that allows HTTP/1'])('a server for %s', (name) => {
  it.each([
    ['has not begun', undefined],
    ['has not ended', halfClientHello],
  ])('closes without waiting for a connection that %s its handshake', async (_what, sent) => {
    const host = await open(servers[name] as object)
    await expectUncut(host, await connectRaw(host, sent))
  })
})

it.each([
  ['HTTPS', undefined],
  ['HTTPS', 'http/1.1'],
  ['HTTP/2 with TLS', undefined],
  ['HTTP/2 with TLS', 'h2'],
  ['HTTP/2 with TLS that allows HTTP/1', undefined],
  ['HTTP/2 with TLS that allows HTTP/1', 'http/1.1'],
  ['HTTP/2 with TLS that allows HTTP/1', 'h2'],
])(
  'a server for %s does not wait for a connection that has sent no request after its handshake, with ALPN %p',
  async (name, protocol) => {
    const host = await open(servers[name] as object)
    await expectUncut(host, await connectSecure(host, protocol))
  },
)

it.each(['HTTPS', 'HTTP/2 with TLS that allows HTTP/1'])(
  'a request over %s is answered while the server closes',
  async (name) => {
    const host = await open(servers[name] as object)
    const sent = request({ port: host.port, host: '127.0.0.1', path: '/slow', ca: tls.cert }).end()
    await until(() => host.slowCalls() === 1)
    const silent = await connectRaw(host)
    const closed = host.close()
    // Idle connections are closed by then, while the request is in flight.
    await once(silent, 'close')
    await delay(100)
    host.gate.open()

    const [response] = await once(sent, 'response')
    expect(await text(response)).toBe('slow')
    expect(await closed).toEqual({ wasCut: false })
  },
)

it.each(['HTTP/2', 'HTTP/2 with TLS'])(
  'a client of %s gets a close notice and its response, and is not waited for',
  async (name) => {
    const host = await open(servers[name] as object)
    const scheme = name === 'HTTP/2' ? 'http' : 'https'
    const client = connectHttp2(`${scheme}://127.0.0.1:${host.port}`, { ca: tls.cert })
    const stream = client.request({ ':path': '/slow' })
    await until(() => host.slowCalls() === 1)
    const [ended, goneAway] = [once(client, 'close'), once(client, 'goaway')]
    const closed = host.close()
    await goneAway
    await delay(100)
    host.gate.open()

    expect(await text(stream)).toBe('slow')
    expect(await closed).toEqual({ wasCut: false })
    await ended
  },
)

it.each([
  ['HTTP/1', connectRaw],
  ['HTTPS', connectSecure],
  ['HTTP/2 with TLS that allows HTTP/1', connectSecure],
])('an HTTP/1 request to a server for %s is cut at the deadline', async (name, connectTo) => {
  const host = await open(servers[name] as object, 200)
  const socket = await connectTo(host)
  const closed = once(socket, 'close')
  socket.write('GET /slow HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  await until(() => host.slowCalls() === 1)

  expect(await host.close()).toEqual({ wasCut: true })
  await closed
})

it.each([
  ['HTTP/2', connectRaw],
  ['HTTP/2 with TLS', (host: Host) => connectSecure(host, 'h2')],
])('a client of %s that does not read is cut at the deadline', async (name, connectTo) => {
  const host = await open(servers[name] as object, 200)
  const socket = await connectTo(host)
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0')
  socket.pause()
  await delay(50)

  expect(await host.close()).toEqual({ wasCut: true })
  socket.destroy()
})

it('connections over a Unix socket that did not begin their handshake are cut at the deadline', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'closing-'))
  const path = join(folder, 'socket')
  let wasCut = false
  const app = await openApp({
    fastify: { https: tls } as object,
    drainTimeoutMs: 200,
    onDrainTimeout: () => void (wasCut = true),
  })
  await app.listen({ path })
  let accepted = 0
  app.server.on('connection', () => accepted++)
  const sockets = Array.from({ length: 3 }, () => connect(path).on('error', () => undefined))
  await until(() => accepted === sockets.length)
  await app.close()

  expect(wasCut).toBe(true)
  for (const socket of sockets) socket.destroy()
  await rm(folder, { recursive: true })
})

describe('the drain timeout of calls', () => {
  const never: TestTool = { name: 'never', handler: () => new Promise(() => undefined) }

  it('ends before the timeout of Fastify for its hooks, so that closing does not fail', async () => {
    let wasCut = false
    const onDrainTimeout = (): void => void (wasCut = true)
    const app = await openApp({ fastify: { pluginTimeout: 1500 }, tools: [never], onDrainTimeout })
    const port = await listen(app)
    const lost = postTo(port, '/mcp', 'never').catch(() => 'lost')
    await until(() => app.mcp.metrics().inFlight.value === 1)

    await app.close()
    expect([wasCut, await lost]).toEqual([true, 'lost'])
  })

  it('applies to each endpoint of an application, which close in parallel', async () => {
    const app = Fastify({ logger: false })
    const gate = createGate()
    const slow: TestTool = { name: 'slow', handler: () => gate.opened.then(() => 'done') }
    const short = await mount(app, '/short', never, 100)
    const long = await mount(app, '/long', slow, 5000)
    const port = await listen(app)
    const answers = [postTo(port, '/short', 'never').catch(() => 'lost'), postTo(port, '/long', 'slow')]
    await until(() => short.metrics().inFlight.value + long.metrics().inFlight.value === 2)

    const closing = app.close()
    await delay(300)
    gate.open()
    expect(await answers[1]).toContain('done')
    await closing
    expect(await answers[0]).toBe('lost')
  })
})

/** An endpoint in a separate scope. */
async function mount(app: FastifyInstance, path: string, tool: TestTool, drainTimeoutMs: number): Promise<McpServer> {
  const server = await createServer({ name: 'several', version: '1.0.0', controllers: [], logger: app.log as never })
  server.catalog.addTool(tool)
  await app.register(async (scope) => scope.register(mcp, { server, path, drainTimeoutMs }))
  return server
}

async function postTo(port: number, path: string, tool: string): Promise<string> {
  const message = modernMessage('tools/call', toolCall(tool))
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...headersOf(message) }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(message),
  })
  return answer.text()
}
