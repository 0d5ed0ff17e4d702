// A server stops, such as after SIGSTOP, and no longer answers close frames.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from '@toolwright/client'
import { WebSocketServer } from 'ws'

const capabilities = { tools: {}, experimental: { 'toolwright/streams': {} } }
const initialized = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'frozen', version: '1.0.0' } }

/** A server that answers only `initialize`, and ignores the close frame. */
async function serveFrozen() {
  const http = createServer()
  const connections: Socket[] = []
  http.on('connection', (connection) => connections.push(connection))
  const sockets = new WebSocketServer({ server: http })
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { id?: number; method?: string }
      if (method !== 'initialize') return
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: initialized }))
      socket.close = () => undefined
    })
    // Without its receiver, ws never sees the close frame of the client.
    socket.once('message', () => void setImmediate(() => socket.pause()))
  })
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  const close = async (): Promise<void> => {
    for (const socket of sockets.clients) socket.terminate()
    await new Promise((resolve) => http.close(resolve))
  }
  return { url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/ws`, sockets, connections, close }
}

test('close ends within some seconds, and leaves no open socket', async () => {
  const { url, sockets, connections, close } = await serveFrozen()
  const client = await connect(url, { era: 'legacy' })
  const stream = await client.stream('echo')
  stream.done.catch(() => undefined)
  const ended = connections.map((connection) => once(connection, 'close'))
  const start = performance.now()
  await client.close()
  for (const socket of sockets.clients) socket.resume()
  await Promise.all(ended)
  // The default of ws is 30 seconds.
  expect(performance.now() - start).toBeLessThan(15_000)
  await close()
}, 60_000)
