// Streams as a client opens them. Their content and limits are tested in packages/streams.
import { ClientError, ConnectionError, connect, StreamError } from '@toolwright/client'
import { McpController } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { createServer } from '@toolwright/server'
import { StreamTool, streams, ToolStream } from '@toolwright/streams'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'

@McpController({ prefix: 'box_' })
class BoxTools {
  @StreamTool({ description: 'Counts bytes' })
  async countBytes(stream: ToolStream): Promise<{ bytes: number }> {
    let bytes = 0
    for await (const chunk of stream.readable) bytes += chunk.length
    return { bytes }
  }

  @StreamTool({ description: 'Sends JSON', stream: 'text' })
  async sendDate(stream: ToolStream<{ at: Date }>): Promise<void> {
    await stream.writable.getWriter().write({ at: new Date(0) })
  }
}

const logger = pino({ level: 'silent' })
const apps: FastifyInstance[] = []

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

/** @returns The URL of the endpoint. */
async function serveBox(webSocket: { readonly path: string } | true = true): Promise<string> {
  const app = Fastify({ forceCloseConnections: true })
  apps.push(app)
  const server = await createServer({
    name: 'box',
    version: '1.0.0',
    controllers: [BoxTools],
    extensions: [streams()],
    logger,
  })
  await app.register(mcp, { server, allowAnonymous: true, webSocket, drainTimeoutMs: 0 })
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`
}

test('the stream tools of a class are methods, whose names have the prefix of the controller', async () => {
  await using client = await connect(await serveBox())
  const box = client.streams<BoxTools>({ prefix: 'box_' })
  const upload = await box.countBytes()
  const writer = upload.writable.getWriter()
  await writer.write(new Uint8Array(5))
  await writer.close()
  const feed = await box.sendDate()
  const { value } = await feed.readable.getReader().read()

  expect((await upload.done).bytes).toBe(5)
  expect(value?.at).toBe('1970-01-01T00:00:00.000Z')
  expect(await feed.done).toBeUndefined()
})

test('a WebSocket can have another path', async () => {
  const url = await serveBox({ path: '/sockets/mcp' })
  await using client = await connect(url, { webSocketPath: 'sockets/mcp' })
  const stream = await client.stream('box_send_date')
  await stream.done
  await using other = await connect(url)
  await expect(other.stream('box_send_date')).rejects.toThrow(ConnectionError)
})

test('a stream of an unknown tool fails, and the client still works', async () => {
  await using client = await connect(await serveBox())
  const stream = await client.stream('count_bytes')
  await expect(stream.done).rejects.toThrow(StreamError)
  await (await client.stream('box_send_date')).done
})

test('a signal aborts the attempt to open a stream', async () => {
  await using client = await connect(await serveBox())
  const controller = new AbortController()
  const opening = client.stream('box_count_bytes', {}, { signal: controller.signal })
  controller.abort(new Error('changed my mind'))
  await expect(opening).rejects.toThrow('changed my mind')
  await expect(client.stream('box_count_bytes', {}, { signal: controller.signal })).rejects.toThrow('changed my mind')
  await (await client.stream('box_send_date')).done
})

test('a closed client ends its streams, and opens no more', async () => {
  const client = await connect(await serveBox())
  const stream = await client.stream('box_count_bytes')
  await client.close()
  await expect(stream.done).rejects.toThrow('The connection was closed')
  await expect(client.stream('box_count_bytes')).rejects.toThrow('has been closed')
})

test('a stream to an unreachable server rejects with a ConnectionError', async () => {
  const url = await serveBox()
  await using client = await connect(url)
  await apps[0]?.close()
  await expect(client.stream('box_send_date')).rejects.toThrow(ConnectionError)
})

test('a server without a URL has no streams', async () => {
  const server = await createServer({ name: 'box', version: '1.0.0', controllers: [BoxTools], logger })
  await using client = await connect(server)
  const error: unknown = await client.stream('box_send_date').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ClientError)
  expect((error as Error).message).toBe('Streams need a WebSocket. Connect to the URL of a server.')
  await server.close()
})
