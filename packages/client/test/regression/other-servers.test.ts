// Servers that differ from Toolwright servers.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, StreamError } from '@toolwright/client'
import { WebSocketServer } from 'ws'
import { serveFake } from '../support/fake-server.js'

const result = {
  protocolVersion: '2025-11-25',
  capabilities: { experimental: { 'toolwright/streams': {} } },
  serverInfo: { name: 'other', version: '1.0.0' },
}

/** A WebSocket server that answers only `initialize`. */
async function serveOther(options: { readonly hasSubprotocol: boolean }) {
  const http = createServer()
  const handleProtocols = () => (options.hasSubprotocol ? 'mcp' : false)
  const sockets = new WebSocketServer({ server: http, handleProtocols })
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { id?: number; method?: string }
      if (method === 'initialize') socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  const close = async (): Promise<void> => {
    for (const socket of sockets.clients) socket.terminate()
    await new Promise((resolve) => http.close(resolve))
  }
  return { url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/ws`, [Symbol.asyncDispose]: close }
}

test('a client connects over a WebSocket to a server that selects no subprotocol', async () => {
  await using server = await serveOther({ hasSubprotocol: false })
  await using client = await connect(server.url, { era: 'legacy' })
  expect(client.serverInfo?.name).toBe('other')
})

test('a stream that the server ignores fails after the timeout', async () => {
  await using server = await serveOther({ hasSubprotocol: true })
  await using client = await connect(server.url, { era: 'legacy', timeoutMs: 500 })
  await using stream = await client.stream('echo')
  await expect(stream.writable.getWriter().write(new Uint8Array(1))).rejects.toThrow(StreamError)
  await expect(stream.readable.getReader().read()).rejects.toThrow(StreamError)
  await expect(stream.done).rejects.toThrow('The server did not accept the stream within 500 ms')
})

test('a server without streams rejects a stream at once', async () => {
  await using server = await serveFake()
  await using client = await connect(server.url, { era: 'legacy' })
  await expect(client.stream('echo')).rejects.toMatchObject({
    code: 'unsupported',
    message: 'The server has no stream tools.',
  })
})

test('the error for an empty response names the status', async () => {
  await using server = await serveFake((_request, response) => {
    response.writeHead(405).end()
    return null
  })
  await expect(connect(server.url, { era: 'legacy' })).rejects.toThrow(/HTTP status 405\. Is it the endpoint\?/)
})
