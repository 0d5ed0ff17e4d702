// Clients that read at the speed of a real line were disconnected as soon as a result was ready while an earlier result was
// still unread. They lost all calls in flight, over WebSocket and over HTTP+SSE.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  legacyMessage,
  listen,
  messagesOf,
  modernMessage,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { openSocket as openRaw } from '../support/raw-client.js'
import { openSocket } from '../support/web-socket-client.js'

const megabyte = 1_000_000
const calls = 30
/** More than the buffers of the kernel, and more than `maxBufferedBytes`. */
const text = 'x'.repeat(8 * megabyte)
const long: TestTool = { name: 'long', handler: () => text }
const bothTransports = { webSocket: true, legacySse: true } as const

afterEach(closeApps)

interface Reader {
  call(name: string, id: number): void
  pause(): void
  resume(): void
  /** Ids of the answers, in order of arrival. */
  readonly answered: readonly unknown[]
  readonly isClosed: boolean
}

async function overWebSocket(port: number): Promise<Reader> {
  const { socket } = await openSocket(port)
  const answered: unknown[] = []
  socket.on('message', (data: Buffer) => {
    addId(JSON.parse(data.toString()), answered)
  })
  return {
    call: (name, id) => socket.send(JSON.stringify(callOf(name, id))),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    answered,
    get isClosed() {
      return socket.readyState === socket.CLOSED
    },
  }
}

async function overHttpAndSse(port: number): Promise<Reader> {
  const opening = request({ host: '127.0.0.1', port, path: '/sse', headers: { accept: 'text/event-stream' } }).end()
  const [stream] = (await once(opening, 'response')) as [IncomingMessage]
  stream.on('error', () => undefined)
  const answered: unknown[] = []
  let path = ''
  let pieces: string[] = []
  stream.setEncoding('utf8').on('data', (piece: string) => {
    pieces.push(piece)
    if (!piece.endsWith('\n\n')) return
    const lines = pieces.join('').split('\n')
    pieces = []
    for (const data of lines.filter((one) => one.startsWith('data: ')).map((one) => one.slice(6))) {
      if (path === '') path = `/${data}`
      else addId(JSON.parse(data), answered)
    }
  })
  await until(() => path !== '')
  return {
    call: (name, id) => {
      const headers = { 'content-type': 'application/json' }
      const post = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false })
      post.on('response', (response) => response.resume())
      post.on('error', () => undefined)
      post.end(JSON.stringify(callOf(name, id)))
    },
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    answered,
    get isClosed() {
      return stream.destroyed
    },
  }
}

/** Adds the id of an answer. Notifications have no id. */
function addId({ id }: { readonly id?: unknown }, answered: unknown[]): void {
  if (id !== undefined) answered.push(id)
}

function callOf(name: string, id: number): object {
  return legacyMessage('tools/call', { ...toolCall(name), _meta: { progressToken: id } }, id)
}

const transports = [
  ['WebSocket', overWebSocket],
  ['HTTP+SSE', overHttpAndSse],
] as const

describe.each(transports)('a client that reads late over %s', (_name, connect) => {
  it.each([0, 2])('gets all answers, few of which are prepared in advance, if a tool takes %d ms', async (ms) => {
    let made = 0
    const handler = async (): Promise<string> => {
      await (ms === 0 ? null : delay(ms))
      made++
      return 'x'.repeat(2 * megabyte)
    }
    const app = await openApp({ ...bothTransports, tools: [{ name: 'counted', handler }] })
    const reader = await connect(await listen(app))
    reader.pause()
    for (let id = 1; id <= calls; id++) reader.call('counted', id)

    await until(() => made > 2)
    await delay(100)
    expect(made).toBeLessThan(24)
    reader.resume()
    await until(() => reader.answered.length === calls || reader.isClosed)

    expect(reader.answered.toSorted((a, b) => Number(a) - Number(b))).toStrictEqual(
      Array.from({ length: calls }, (_, index) => index + 1),
    )
    expect(app.mcp.metrics().cutStreams).toBe(0)
  })

  it('gets the progress of another call and comments while a long answer is unread', async () => {
    const gate = createGate()
    const chatty: TestTool = {
      name: 'chatty',
      handler: async (_args, context) => {
        await gate.opened
        for (let sent = 0; sent < 10; sent++) context.progress(sent, 10, 'x'.repeat(1000))
        return 'said'
      },
    }
    const app = await openApp({ ...bothTransports, keepAliveMs: 100, tools: [long, chatty] })
    const reader = await connect(await listen(app))
    reader.call('chatty', 1)
    await until(() => app.mcp.metrics().inFlight.value === 1)
    reader.pause()
    reader.call('long', 2)
    reader.call('long', 3)
    await until(() => app.mcp.metrics().inFlight.value === 1)
    gate.open()
    // Two comments are due meanwhile.
    await delay(220)
    reader.resume()
    await until(() => reader.answered.length === 3 || reader.isClosed)

    expect(reader.answered.toSorted((a, b) => Number(a) - Number(b))).toStrictEqual([1, 2, 3])
  })

  it('gets all answers when the application closes', async () => {
    const app = await openApp({ ...bothTransports, tools: [long] })
    const reader = await connect(await listen(app))
    reader.pause()
    const gate = startTogether(app, reader)
    await until(() => app.mcp.metrics().inFlight.value === 3)
    const closed = app.close()
    gate()
    await delay(50)
    reader.resume()
    await closed
    await until(() => reader.isClosed)

    expect(reader.answered).toStrictEqual([1, 2, 3])
  })
})

/** Calls three tools with long results, which end together when the returned function is called. */
function startTogether(app: FastifyInstance, reader: Reader): () => void {
  const gate = createGate()
  app.mcp.catalog.addTool({ name: 'gated', handler: () => gate.opened.then(() => text) })
  for (const id of [1, 2, 3]) reader.call('gated', id)
  return () => gate.open()
}

it('a WebSocket client that sends, but reads nothing, is disconnected after three keep-alive periods', async () => {
  const app = await openApp({ webSocket: true, tools: [long], keepAliveMs: 30 })
  const { socket } = await openSocket(await listen(app))
  const { _socket: link } = socket as unknown as { readonly _socket: Socket }
  socket.pause()
  for (let id = 1; id <= 3; id++) socket.send(JSON.stringify(legacyMessage('tools/call', toolCall('long'), id)))
  // The beginning of a text frame of 60,000 bytes, whose bytes arrive one by one.
  link.write(Buffer.from([0x81, 0xfe, 0xea, 0x60, 0, 0, 0, 0]))
  const trickle = setInterval(() => link.write('x'), 10)
  link.on('error', () => undefined)

  await until(async () => (await connectionsOf(app)) === 0)
  clearInterval(trickle)
  socket.terminate()

  expect(app.mcp.metrics().cutStreams).toBe(1)
})

it('a stream with long progress messages ends with the result for a client that reads late', async () => {
  const gate = createGate()
  const chatty: TestTool = {
    name: 'chatty',
    handler: async (_args, context) => {
      context.progress(1, 2, text)
      await delay(20)
      context.progress(2, 2, text)
      gate.open()
      return 'said'
    },
  }
  const app = await openApp({ tools: [chatty] })
  const socket = await openRaw(await listen(app))
  socket.pause()
  const params = { ...toolCall('chatty'), _meta: { progressToken: 't' } }
  socket.send(modernMessage('tools/call', params), { accept: 'text/event-stream' })
  await gate.opened
  await delay(50)
  socket.resume()
  await socket.until('said')

  expect(messagesOf(socket.received().slice(socket.received().indexOf('event:'))).length).toBeGreaterThan(0)
  expect(app.mcp.metrics().cutStreams).toBe(0)
  socket.destroy()
})

function connectionsOf(app: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}
