import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { createGunzip, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  legacyMessage,
  listen,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { until } from '../../../../test/support/until.js'

afterEach(closeApps)

/** An application that accepts compressed bodies, like one with a decompression plugin. */
async function openInflating(): Promise<FastifyInstance> {
  const app = await openApp({ limits: { maxMessageBytes: 1000 } })
  app.addHook('preParsing', (_request, _reply, payload: Readable, done) => {
    const inflated = createGunzip()
    payload.pipe(inflated)
    done(null, inflated)
  })
  return app
}

const ping = JSON.stringify(legacyMessage('ping', undefined, 'ä—👍'))
const pong = JSON.stringify({ jsonrpc: '2.0', id: 'ä—👍', result: {} })

/** Sends the head of a request, and returns the response to its body. */
async function beginPost(app: FastifyInstance, length: number): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(await listen(app), '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${length}\r\n\r\n`,
  )
  const answer = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(Buffer.concat(received).toString().split('\r\n\r\n')[1] ?? ''))
  })
  return { socket, answer }
}

it('a body can arrive in pieces that split its characters', async () => {
  const bytes = Buffer.from(ping)
  const { socket, answer } = await beginPost(await openApp(), bytes.length)
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]))
    await new Promise((resolve) => setImmediate(resolve))
  }

  expect(await answer).toBe(pong)
})

it('a body can arrive in pieces before the caller is authenticated', async () => {
  const app = await openApp()
  const bytes = Buffer.from(ping)
  // A slow authenticator.
  app.addHook('onRequest', async ({ raw }) => {
    for (const half of [bytes.subarray(0, 20), bytes.subarray(20)]) {
      const length = raw.readableLength + half.length
      socket.write(half)
      await until(() => raw.readableLength === length)
    }
  })
  const { socket, answer } = await beginPost(app, bytes.length)

  expect(await answer).toBe(pong)
})

it('a decompressed body is read like any other body', async () => {
  const client = connectTo(await openInflating(), { era: 'legacy' })

  const reply = await client.send(gzipSync(ping), { 'content-encoding': 'gzip' })

  expect([reply.status, reply.text]).toStrictEqual([200, pong])
})

it('the length of a decompressed body is limited', async () => {
  const app = await openInflating()

  const reply = await connectTo(app, { era: 'legacy' }).send(gzipSync(' '.repeat(100_000)), {
    'content-encoding': 'gzip',
  })

  expect([reply.status, reply.json]).toStrictEqual([
    413,
    { jsonrpc: '2.0', error: { code: -32600, message: 'Content Too Large: a message must have at most 1000 bytes' } },
  ])
  expect(app.mcp.metrics().oversizedMessages).toBe(1)
})

it('a body that the application cannot decompress is a bad request', async () => {
  const client = connectTo(await openInflating(), { era: 'legacy' })

  const reply = await client.send(Buffer.from('no gzip at all'), { 'content-encoding': 'gzip' })

  expect([reply.status, reply.json]).toStrictEqual([
    400,
    { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request' } },
  ])
})

it('one connection accepts bodies of every size, also those sent before the previous response', async () => {
  const port = await listen(await openApp())
  const messages = [1, 20_000, 70_000, 1, 300_000].map((length, id) =>
    JSON.stringify(legacyMessage('ping', { _meta: { filler: 'x'.repeat(length) } }, id)),
  )
  const requestOf = (message: string): string =>
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${message.length}\r\n\r\n${message}`
  const socket = connect(port, '127.0.0.1')
  let received = ''
  const pongs = (): string[] => received.match(/\{"jsonrpc".*?\}\}/g) ?? []
  const hear = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const onData = (chunk: Buffer): void => {
        received += chunk.toString()
        if (pongs().length < count) return
        socket.off('data', onData)
        resolve()
      }
      socket.on('data', onData)
    })

  for (const [index, message] of messages.entries()) {
    socket.write(requestOf(message))
    await hear(index + 1)
  }
  socket.write(messages.map(requestOf).join(''))
  await hear(2 * messages.length)
  socket.destroy()

  const expected = messages.map((_message, id) => JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
  expect(pongs()).toStrictEqual([...expected, ...expected])
})

it.each([
  ['one', [70_000]],
  ['equal pieces', [16_384, 16_384, 16_384]],
  ['pieces of odd sizes', [1, 16_383, 2, 16_385, 50_000, 1, 1, 40_001]],
  ['small pieces', Array.from({ length: 400 }, () => 100)],
])('a body is joined from %s', async (_what, lengths) => {
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }
  const handler = ({ text: given }: { text: string }): string => given
  const app = await openApp({ tools: [{ name: 'echo', inputSchema, handler }] })
  const message = JSON.stringify(legacyMessage('tools/call', toolCall('echo', { text: '' })))
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const text = Array.from({ length: total }, (_, index) => (index % 7919) % 10)
    .join('')
    .slice(message.length)
  const body = Buffer.from(message.replace('""', `"${text}"`))
  let end = 0
  const pieces = lengths.map((length) => body.subarray(end, (end += length)))
  app.addHook('preParsing', (_request, _reply, _payload, done) => done(null, Readable.from(pieces)))

  const reply = await connectTo(app, { era: 'legacy' }).send('x')

  expect(reply.json.result.content).toStrictEqual([{ type: 'text', text }])
})

const tooManyPieces = {
  jsonrpc: '2.0',
  error: { code: -32600, message: 'Content Too Large: the message comes in too many chunks. Send larger chunks' },
}

it.each([
  ['ten thousand pieces of a byte', 10_000, 1, { jsonrpc: '2.0', id: 1, result: {} }],
  ['more pieces of a byte', 10_200, 1, tooManyPieces],
  ['many larger pieces', 20_000, 100, { jsonrpc: '2.0', id: 1, result: {} }],
])('a body in %s is accepted or rejected: %d pieces of %d bytes', async (_what, count, length, expected) => {
  const app = await openApp()
  const filler = 'x'.repeat(count * length - JSON.stringify(legacyMessage('ping', { _meta: { filler: '' } })).length)
  const body = Buffer.from(JSON.stringify(legacyMessage('ping', { _meta: { filler } })))
  const pieces = Array.from({ length: count }, (_, index) => body.subarray(index * length, (index + 1) * length))
  app.addHook('preParsing', (_request, _reply, _payload, done) => done(null, Readable.from(pieces)))

  const reply = await connectTo(app, { era: 'legacy' }).send('x')

  expect(reply.json).toStrictEqual(expected)
})

type Listen = (payload: Readable, raw: Readable) => Readable

/** Hooks of applications that use a body before it is read, such as to count its bytes or to verify its signature. */
const listeners: Record<string, Listen> = {
  'listens to it': (payload) => payload.on('data', () => undefined),
  'listens to the request behind it': (payload, raw) => {
    raw.on('data', () => undefined)
    return payload
  },
  'has paused it': (payload) => payload.pause(),
  'puts a stream of texts in its place': (payload) => Readable.from(readTexts(payload)),
  'decodes it': (payload) => payload.setEncoding('utf8'),
}

async function* readTexts(payload: Readable): AsyncGenerator<string> {
  for await (const piece of payload) yield String(piece)
}

it.each(Object.entries(listeners))('a body is read if the application %s', async (_what, prepare) => {
  const app = await openApp()
  app.addHook('preParsing', (request, _reply, payload, done) => done(null, prepare(payload, request.raw) as never))
  const url = `http://127.0.0.1:${await listen(app)}/mcp`
  const headers = { 'content-type': 'application/json' }

  const replies: unknown[] = []
  for (const length of [1, 300_000]) {
    const body = JSON.stringify(legacyMessage('ping', { _meta: { filler: 'ä'.repeat(length) } }, length))
    const reply = await fetch(url, { method: 'POST', headers, body })
    replies.push(await reply.json())
  }

  expect(replies).toStrictEqual([1, 300_000].map((id) => ({ jsonrpc: '2.0', id, result: {} })))
})

it('long bodies that end together are read one after the other, in separate turns of the event loop', async () => {
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn++
    if (!isOver) setImmediate(count)
  }
  const turns: number[] = []
  const long: TestTool = { name: 'long', inputSchema: { type: 'object' }, handler: () => void turns.push(turn) }
  const port = await listen(await openApp({ tools: [long] }))
  const text = JSON.stringify(legacyMessage('tools/call', toolCall('long', { text: 'x'.repeat(1_000_000) })))
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`
  const sockets = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'))
  for (const socket of sockets) socket.write(head + text.slice(0, -1))
  await until(() => sockets.every((socket) => socket.writableLength === 0))
  await delay(100)

  count()
  for (const socket of sockets) socket.write(text.slice(-1))
  await until(() => turns.length === sockets.length)
  isOver = true

  const apart = turns.slice(1).map((each, index) => each - (turns[index] ?? 0))
  expect(apart.filter((between) => between < 2)).toStrictEqual([])
  for (const socket of sockets) socket.destroy()
})

it('pipelined long bodies on one connection wait in the socket', async () => {
  const text = JSON.stringify(legacyMessage('tools/call', toolCall('long', { text: 'x'.repeat(1_000_000) })))
  const request = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  const behind: number[] = []
  let link: Socket | undefined
  const handler = (): void => void behind.push((link?.bytesRead ?? 0) - (behind.length + 1) * request.length)
  const app = await openApp({ tools: [{ name: 'long', inputSchema: { type: 'object' }, handler }] })
  const socket = connect(await listen(app), '127.0.0.1')
  app.server.once('connection', (accepted: Socket) => {
    link = accepted
  })

  socket.resume().write(request.repeat(30))
  await until(() => behind.length === 30)
  socket.destroy()

  expect(Math.max(...behind)).toBeLessThan(2 * request.length)
})

it('a long body is read while long responses are sent to other clients', async () => {
  const text = 'x'.repeat(300_000)
  const large: TestTool = { name: 'large', handler: () => text }
  const long: TestTool = { name: 'long', inputSchema: { type: 'object' }, handler: () => 'taken' }
  const client = connectTo(await openApp({ tools: [large, long] }), { era: 'legacy' })
  let answers = 0
  const crowd = Array.from({ length: 20 }, async () => {
    // oxlint-disable-next-line no-await-in-loop
    for (; answers < 200; answers++) await client.call('large')
  })

  const { json } = await client.call('long', { text })

  expect(json.result.content).toStrictEqual([{ type: 'text', text: 'taken' }])
  expect(answers).toBeLessThan(100)
  await Promise.all(crowd)
})

it('a body that ends early is a bad request', async () => {
  const app = await openApp()
  app.addHook('preParsing', (_request, _reply, _payload, done) => {
    const broken = new Readable({ read() {} })
    broken.destroy(new Error('broken'))
    done(null, broken as never)
  })

  const reply = await connectTo(app, { era: 'legacy' }).send('x')

  expect([reply.status, reply.json]).toStrictEqual([
    400,
    { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request' } },
  ])
})
