// Frames that no well-behaved client sends. Each gets an error, and other streams continue.

import { randomBytes } from 'node:crypto'
import { connect } from '@toolwright/client'
import { closeApps, openApp, openStreams, type StreamApp } from './support/app.js'
import { hashOfContent, pieces } from './support/content.js'
import {
  binaryChunk,
  chunk,
  closeSockets,
  done,
  guid,
  guidBytes,
  openRaw,
  type RawSocket,
  start,
  startWithWindow,
} from './support/raw-socket.js'

const otherGuid = '99999999-9999-4999-8999-999999999999'
const otherBytes = '99999999999999498999999999999999'

let opened: StreamApp
let socket: RawSocket

beforeEach(async () => {
  opened = await openApp({ streams: { windowBytes: 4096 } })
  socket = await openRaw(opened.url)
})

afterEach(async () => {
  closeSockets()
  await closeApps()
})

/** Runs a stream around a function, and checks that its content arrives whole. */
async function besideAnother(act: () => Promise<void>): Promise<void> {
  const client = await connect(opened.url)
  const stream = await client.stream('hash')
  const writer = stream.writable.getWriter()
  const [first, ...rest] = pieces(1_000_000)
  await writer.write(first as Uint8Array)
  await act()
  for (const piece of rest) await writer.write(piece)
  await writer.close()
  expect(await stream.done).toMatchObject({ sha256: hashOfContent(1_000_000) })
  await client.close()
}

test.each([
  ['an unknown type', { type: 'pause', id: guid }, guid, /"type" must be start, chunk, done, error or window/],
  ['no id', { type: 'done' }, null, /"id" must be a string/],
  ['an id that is too long', { type: 'done', id: 'x'.repeat(257) }, null, /at most 256 characters/],
  ['an unknown id', done(otherGuid), otherGuid, /There is no stream with this id/],
  ['a chunk for an unknown id', chunk(otherGuid, 0, 1), otherGuid, /There is no stream with this id/],
  ['no meta data', { type: 'start', id: guid }, guid, /"meta" must be an object/],
  ['no tool', start(guid, ''), guid, /"meta.method" must be the name of a tool/],
  ['arguments that are a list', start(guid, 'hash', { arguments: [] }), guid, /"meta.arguments" must be an object/],
  ['a window of 0', start(guid, 'hash', { window: 0 }), guid, /"meta.window" must be a whole number of at least 1/],
  ['an invalid binary flag', start(guid, 'hash', { binary: 'yes' }), guid, /"meta.binary" must be true or false/],
  [
    'text for a binary tool',
    start(guid, 'hash', { binary: false }),
    guid,
    /'hash' streams bytes: give "meta.binary": true/,
  ],
  ['a negative index', { ...chunk(guid, 0, 1), index: -1 }, guid, /"index" must be a whole number of at least 0/],
] as const)('a message with %s gets an error', async (_what, message, id, expected) => {
  await besideAnother(async () => {
    socket.send(message)

    expect(await socket.next()).toStrictEqual({
      type: 'error',
      timestamp: expect.any(String),
      id,
      error: { code: -32600, message: expect.stringMatching(expected) },
    })
  })
})

test('binary frames without a header, or of an unknown stream, get an error', async () => {
  await besideAnother(async () => {
    socket.send(Buffer.alloc(23))
    socket.send(binaryChunk(otherBytes, 0, 'foreign'))

    expect(await socket.next()).toMatchObject({ id: null, error: { message: expect.stringContaining('shorter') } })
    expect(await socket.next()).toMatchObject({ id: otherGuid, error: { message: 'There is no stream with this id' } })
  })
})

test('a frame with the stream id of another connection does not reach that stream', async () => {
  const owner = await openRaw(opened.url)
  owner.send(startWithWindow(guid, 'hash'))
  await owner.until('window')

  socket.send(binaryChunk(guidBytes, 0, 'foreign'))
  socket.send(done(guid))
  await socket.until('error')
  owner.send(done(guid))

  expect(await owner.next()).toMatchObject({ type: 'done', summary: { bytes: 0 } })
})

test('a chunk after done ends its stream, and no other', async () => {
  await besideAnother(async () => {
    socket.send(startWithWindow(guid, 'endless'))
    socket.send(startWithWindow(otherGuid, 'hash'))
    await socket.until('window', otherGuid)
    socket.send(done(guid))
    socket.send(binaryChunk(guidBytes, 0, 'late'))

    expect(await socket.next()).toMatchObject({
      type: 'error',
      id: guid,
      error: { message: "A chunk was sent after 'done'" },
    })
    socket.send(done(otherGuid))
    expect(await socket.next()).toMatchObject({ type: 'done', id: otherGuid })
  })
  expect(openStreams(opened)).toBe(0)
})

test('a chunk after the end of its stream gets an error', async () => {
  socket.send(startWithWindow(guid, 'hash'))
  socket.send(done(guid))
  await socket.until('done')
  socket.send(binaryChunk(guidBytes, 0, 'late'))

  expect(await socket.next()).toMatchObject({
    type: 'error',
    id: guid,
    error: { message: "A chunk was sent after 'done'" },
  })
})

test('chunks of the wrong kind end their stream', async () => {
  socket.send(startWithWindow(guid, 'hash'))
  socket.send(startWithWindow(otherGuid, 'add', { binary: false }))
  await socket.until('window', otherGuid)
  socket.send(chunk(guid, 0, 'text'))
  socket.send(binaryChunk(otherBytes, 0, 'bytes'))

  const errors = [await socket.next(), await socket.next()]

  expect(errors.map(({ error }) => error.message)).toStrictEqual([
    'A chunk must be binary, but is JSON',
    'A chunk must be JSON, but is binary',
  ])
})

test('a client that exceeds the window loses its stream', async () => {
  await besideAnother(async () => {
    socket.send(startWithWindow(guid, 'stall'))
    await socket.until('window')
    for (let index = 0; index < 100; index++) socket.send(binaryChunk(guidBytes, index, Buffer.alloc(1000)))

    expect(await socket.next()).toMatchObject({
      id: guid,
      error: { message: 'More bytes were sent than the window allows' },
    })
  })
})

test('empty chunks count, too', async () => {
  socket.send(startWithWindow(guid, 'stall'))
  await socket.until('window')
  for (let index = 0; index < 200; index++) socket.send(binaryChunk(guidBytes, index, ''))

  expect(await socket.next()).toMatchObject({
    id: guid,
    error: { message: 'More bytes were sent than the window allows' },
  })
})

test('a chunk before the tool has begun exceeds the window', async () => {
  socket.send(startWithWindow(guid, 'unknown_tool'))
  socket.send(binaryChunk(guidBytes, 0, 'early'))

  expect(await socket.next()).toMatchObject({ type: 'error', id: guid, error: { code: -32601 } })
})

test('an id or a GUID that is in use cannot be used again', async () => {
  socket.send(startWithWindow(guid, 'endless'))
  await socket.until('window')
  socket.send(startWithWindow(guid.toUpperCase(), 'hash'))

  expect(await socket.next()).toMatchObject({
    id: guid.toUpperCase(),
    error: { message: expect.stringContaining('must be a GUID that no other stream has') },
  })
  expect(openStreams(opened)).toBe(1)
})

test('a flood of invalid frames ends its connection, and disturbs no other', async () => {
  await besideAnother(async () => {
    for (let count = 0; count < 5000; count++) socket.send(randomBytes(40))

    expect(await socket.closed).toStrictEqual([1008, 'too many invalid stream messages'])
  })
})

test('JSON-RPC is served beside streams', async () => {
  socket.send(startWithWindow(guid, 'endless'))
  await socket.until('window')
  socket.send({ jsonrpc: '2.0', id: 7, method: 'ping' })

  expect(await socket.next()).toStrictEqual({ jsonrpc: '2.0', id: 7, result: {} })
})

test('without the extension, a binary frame still closes the connection', async () => {
  const { url } = await openApp({ extensions: [] })
  const plain = await openRaw(url)
  plain.send(binaryChunk(guidBytes, 0, 'foreign'))

  expect(await plain.closed).toStrictEqual([1003, 'messages must be text'])
})
