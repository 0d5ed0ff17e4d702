// A tool or a client that writes from memory awaits only its writes.
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { StreamConnection } from '@toolwright/streams/client'
import { WebSocket, WebSocketServer } from 'ws'
import { until } from '../../../../test/support/until.js'
import { closeApps, openApp, openStreams } from '../support/app.js'
import { closeSockets, openRaw, start } from '../support/raw-socket.js'
import { countTurns, shared } from '../support/stream-tools.js'

const many = 200_000

afterEach(async () => {
  closeSockets()
  await closeApps()
})

const windows = [
  ['without flow control', {}],
  ['with a large window', { window: 2 ** 30 }],
] as const

describe.each(windows)('a tool that writes from memory to a client %s', (_which, window) => {
  test('lets the event loop turn', async () => {
    const socket = await openRaw((await openApp()).url)
    socket.send(start('pour', 'pour', { binary: false, arguments: { values: 10_000 }, ...window }))

    const { summary } = (await socket.until('done', 'pour')).at(-1)

    expect(summary).toBeGreaterThan(5)
  })

  test.each([
    ['a close frame', (socket: WebSocket) => socket.close()],
    ['FIN', (socket: WebSocket) => tcpOf(socket).end()],
    ['RST', (socket: WebSocket) => tcpOf(socket).resetAndDestroy()],
  ])('fails after %s of the client', async (_how, leave) => {
    const opened = await openApp()
    const socket = await openRaw(opened.url)
    socket.send(start('pour', 'pour', { binary: false, arguments: { values: many }, ...window }))
    await socket.until('chunk')

    leave(socket.socket)

    await until(() => openStreams(opened) === 0 && shared.aborted.length > 0)
    expect(shared.aborted).toStrictEqual(['StreamError: The client disconnected'])
    expect(shared.written).toBeLessThan(many)
  })
})

describe('a client that writes from memory', () => {
  let server: WebSocketServer
  let accepted: WebSocket
  let connection: StreamConnection

  beforeEach(async () => {
    server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    const connected = once(server, 'connection')
    const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await once(socket, 'open')
    ;[accepted] = (await connected) as [WebSocket]
    connection = new StreamConnection(socket)
  })

  afterEach(async () => {
    for (const client of server.clients) client.terminate()
    server.close()
    await connection.closed
  })

  /** Opens a stream, and lets the client send a number of bytes. */
  async function openGranted<Chunk>(bytes: number, binary: boolean) {
    const started = once(accepted, 'message')
    const stream = connection.open<Chunk>('tool')
    await started
    accepted.send(JSON.stringify({ type: 'window', id: stream.id, bytes, binary }))
    return stream
  }

  test('lets the event loop turn while the server grants enough', async () => {
    const stream = await openGranted<number>(2 ** 30, false)
    const writer = stream.writable.getWriter()
    await writer.write(0)
    const counter = countTurns()
    for (let value = 0; value < 10_000; value++) await writer.write(value)
    counter.stop()

    expect(counter.turns).toBeGreaterThan(5)
  })

  test('waits while the server grants, but does not read', async () => {
    const stream = await openGranted<Uint8Array>(2 ** 30, true)
    accepted.pause()
    const writer = stream.writable.getWriter()
    const piece = new Uint8Array(64 * 1024)
    let written = 0
    const writing = (async () => {
      for (; written < 1000; written++) await writer.write(piece)
    })()
    let before = -1
    await until(async () => {
      const isStill = written > 0 && written === before
      before = written
      await new Promise((resolve) => setTimeout(resolve, 100))
      return isStill && written === before
    })

    expect(written).toBeLessThan(500)
    stream.abort()
    await expect(writing).rejects.toThrow('The client aborted the stream')
  })

  test('fails at once when its WebSocket is closing', async () => {
    const stream = await openGranted<number>(2 ** 30, false)
    const writer = stream.writable.getWriter()
    await writer.write(0)
    void connection.close()

    await expect(writer.write(1)).rejects.toThrow('The connection was closed')
    await expect(stream.done).rejects.toThrow('The connection was closed')
    expect(() => connection.open('tool')).toThrow('The connection is closed')
  })

  test('fails when the server grants too much', async () => {
    const stream = await openGranted<number>(2 ** 30, false)
    accepted.send(JSON.stringify({ type: 'window', id: stream.id, bytes: 1 }))

    await expect(stream.done).rejects.toThrow('The window exceeds 1073741824 bytes')
  })
})

function tcpOf(socket: WebSocket): Socket {
  const { _socket: tcp } = socket as unknown as { readonly _socket: Socket }
  return tcp
}
