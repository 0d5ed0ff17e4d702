import { connect as connectHttp2 } from 'node:http2'
import {
  closeApps,
  connectTo,
  headersOf,
  legacyMessage,
  listen,
  modernMessage,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { openSocket } from '../support/raw-client.js'

const mebibyte = 1024 * 1024

const large: TestTool = {
  name: 'large',
  inputSchema: { type: 'object', properties: { mebibytes: { type: 'number' } } },
  handler: ({ mebibytes }: { mebibytes: number }) => 'x'.repeat(mebibytes * mebibyte),
}

afterEach(closeApps)

it('a client that keeps sending requests and reads no response is disconnected', async () => {
  const app = await openApp({ tools: [large], limits: { maxResultBytes: 2 * mebibyte }, keepAliveMs: 50 })
  const socket = await openSocket(await listen(app))
  socket.pause()

  for (let id = 1; id <= 30; id++) socket.send(legacyMessage('tools/call', toolCall('large', { mebibytes: 1 }), id))

  await until(() => app.mcp.metrics().cutStreams === 1)
  await until(async () => (await connectionsOf(app.server)) === 0)
  expect(app.mcp.metrics().cutStreams).toBe(1)
  socket.destroy()
})

it('a client that keeps sending requests and reads no event stream is disconnected', async () => {
  const app = await openApp({ tools: [large], limits: { maxResultBytes: 2 * mebibyte }, keepAliveMs: 50 })
  const socket = await openSocket(await listen(app))
  socket.pause()

  const accept = { accept: 'text/event-stream' }
  for (let id = 1; id <= 30; id++)
    socket.send(legacyMessage('tools/call', toolCall('large', { mebibytes: 1 }), id), accept)

  await until(async () => app.mcp.metrics().cutStreams === 1 && (await connectionsOf(app.server)) === 0)
  expect(app.mcp.metrics().cutStreams).toBe(1)
  socket.destroy()
})

it('a client that keeps sending requests in a session and reads no stream is disconnected', async () => {
  const limits = { maxResultBytes: 2 * mebibyte, maxStoredBytes: 40 * mebibyte }
  const app = await openApp({ tools: [large], limits, keepAliveMs: 50 })
  const opened = await connectTo(app, { era: 'legacy' }).initialize('2025-11-25')
  const socket = await openSocket(await listen(app))
  socket.pause()

  const headers = { accept: 'text/event-stream', 'mcp-session-id': String(opened.headers['mcp-session-id']) }
  for (let id = 1; id <= 30; id++)
    socket.send(legacyMessage('tools/call', toolCall('large', { mebibytes: 1 }), id), headers)

  await until(async () => app.mcp.metrics().cutStreams === 1 && (await connectionsOf(app.server)) === 0)
  expect(app.mcp.metrics().cutStreams).toBe(1)
  socket.destroy()
})

it('a client that keeps sending requests and reads late gets all responses, few of which are prepared in advance', async () => {
  let made = 0
  const counted: TestTool = { ...large, handler: () => (made++, 'x'.repeat(2 * mebibyte)) }
  const app = await openApp({ tools: [counted], limits: { maxResultBytes: 2.5 * mebibyte } })
  const socket = await openSocket(await listen(app))
  socket.pause()

  for (let id = 1; id <= 20; id++) socket.send(legacyMessage('tools/call', toolCall('large'), id))
  await until(() => made > 1)
  await delay(50)
  expect(made).toBeLessThan(12)
  socket.resume()
  await socket.until('"id":20')

  expect(made).toBe(20)
  expect(app.mcp.metrics().cutStreams).toBe(0)
  socket.destroy()
})

it('responses wait for a slow earlier call, and are sent in order', async () => {
  const gate = createGate()
  const wait: TestTool = { name: 'wait', handler: () => gate.opened.then(() => 'waited') }
  const app = await openApp({ tools: [large, wait], limits: { maxResultBytes: 2 * mebibyte } })
  const socket = await openSocket(await listen(app))

  socket.send(legacyMessage('tools/call', toolCall('wait'), 1))
  for (const id of [2, 3]) socket.send(legacyMessage('tools/call', toolCall('large', { mebibytes: 1 }), id))
  await until(() => app.mcp.metrics().inFlight.value === 1)
  gate.open()
  await socket.until('"id":3')

  expect(socket.received().match(/"id":\d/g)).toStrictEqual(['"id":1', '"id":2', '"id":3'])
  socket.destroy()
})

it('a slow call behind a long response has its full time after the response was read', async () => {
  const slow: TestTool = { name: 'slow', handler: () => delay(600).then(() => 'done') }
  const app = await openApp({ tools: [large, slow], keepAliveMs: 100 })
  const socket = await openSocket(await listen(app))

  socket.send(legacyMessage('tools/call', toolCall('large', { mebibytes: 1 }), 1))
  socket.send(legacyMessage('tools/call', toolCall('slow'), 2))
  await socket.until('"id":2')

  expect(socket.received().match(/"id":\d/g)).toStrictEqual(['"id":1', '"id":2'])
  socket.destroy()
})

describe('a client that reads nothing of a long response is disconnected', () => {
  const message = modernMessage('tools/call', toolCall('large', { mebibytes: 9 }))

  it('over HTTP/1', async () => {
    const app = await openApp({ tools: [large], keepAliveMs: 20 })
    const socket = await openSocket(await listen(app))
    socket.pause()

    socket.send(message)

    await expect(until(async () => (await connectionsOf(app.server)) === 0)).resolves.toBeUndefined()
    socket.destroy()
  })

  it('over HTTP/2, whose connection stays open', async () => {
    const app = await openApp({ tools: [large], keepAliveMs: 20, fastify: { http2: true } as never })
    const session = connectHttp2(`http://127.0.0.1:${await listen(app)}`)
    const headers = {
      ':method': 'POST',
      ':path': '/mcp',
      ':authority': 'localhost',
      'content-type': 'application/json',
    }
    const stream = session.request({ ...headers, ...headersOf(message) })
    stream.on('error', () => undefined)
    stream.end(JSON.stringify(message))

    await until(() => stream.closed)

    expect(session.closed).toBe(false)
    session.destroy()
  })
})

function connectionsOf(server: { getConnections(callback: (error: Error | null, count: number) => void): void }) {
  return new Promise<number>((resolve) => {
    server.getConnections((_error, count) => resolve(count))
  })
}
