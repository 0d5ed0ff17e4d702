// Frames that are laid out by hand, byte for byte.
import { closeApps, openApp } from './support/app.js'
import { binaryChunk, chunk, closeSockets, done, guid, guidBytes, openRaw, start } from './support/raw-socket.js'

afterEach(async () => {
  closeSockets()
  await closeApps()
})

/** Undoes the order of bytes in which .NET writes a GUID. */
function guidOf(frame: Buffer): string {
  const hex = frame.toString('hex', 0, 16)
  const [, a, b, c, d, e, f, g, h, clock, node] = /^(..)(..)(..)(..)(..)(..)(..)(..)(.{4})(.{12})$/.exec(hex) ?? []
  return `${d}${c}${b}${a}-${f}${e}-${h}${g}-${clock}-${node}`
}

test('binary chunks have 16 bytes of a .NET GUID, 8 bytes of a little-endian index, and the payload', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start(guid, 'echo'))
  socket.send(Buffer.from(`${guidBytes}000000000000000068656c6c6f`, 'hex'))
  socket.send(Buffer.from(`${guidBytes}010000000000000000ff`, 'hex'))
  socket.send(Buffer.from(`${guidBytes}0200000000000000`, 'hex'))
  socket.send(done(guid))

  const opened = await socket.next()
  const frames: Buffer[] = [await socket.next(), await socket.next(), await socket.next()]

  expect(opened).toStrictEqual({
    type: 'start',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    meta: { method: 'result_echo', binary: true, correlationId: guid },
  })
  expect(frames.map(guidOf)).toStrictEqual([opened.id, opened.id, opened.id])
  expect(frames.map((frame) => frame.subarray(16).toString('hex'))).toStrictEqual([
    '000000000000000068656c6c6f',
    '010000000000000000ff',
    '0200000000000000',
  ])
  expect([await socket.next(), await socket.next()]).toStrictEqual([
    { type: 'done', timestamp: expect.any(String), id: opened.id },
    { type: 'done', timestamp: expect.any(String), id: guid },
  ])
})

test.each([
  ['in upper case', guid.toUpperCase()],
  ['without dashes', guid.replaceAll('-', '')],
  ['in braces', `{${guid}}`],
  ['in parentheses', `(${guid})`],
])('the id of a stream can be a GUID %s', async (_form, id) => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start(id, 'hash'))
  socket.send(binaryChunk(guidBytes, 0, 'abc'))
  socket.send(done(id))

  expect(await socket.next()).toMatchObject({ type: 'done', id, summary: { bytes: 3 } })
})

test('an id that is not a GUID is 16 zero bytes in binary chunks', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start('upload-1', 'hash'))
  socket.send(binaryChunk('00'.repeat(16), 0, 'abc'))
  socket.send(done('upload-1'))

  expect(await socket.next()).toMatchObject({ type: 'done', id: 'upload-1', summary: { bytes: 3 } })
})

test('chunks of text streams are JSON messages', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start('sum', 'add', { binary: false }))
  socket.send(chunk('sum', 0, 2))
  socket.send(chunk('sum', 1, 3))
  socket.send(done('sum'))

  const [opened, ...rest] = await socket.until('done', 'sum')

  expect(opened).toMatchObject({ type: 'start', meta: { method: 'result', binary: false, correlationId: 'sum' } })
  const timestamp = expect.any(String)
  expect(rest).toStrictEqual([
    { type: 'chunk', timestamp, id: opened.id, index: 0, data: 2 },
    { type: 'chunk', timestamp, id: opened.id, index: 1, data: 5 },
    { type: 'done', timestamp, id: opened.id, summary: 'sum 5' },
    { type: 'done', timestamp, id: 'sum', summary: 'sum 5' },
  ])
})

test('the index of a chunk has 64 bits', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start(guid, 'hash', { binary: true, window: 65_536 }))
  await socket.until('window')
  socket.send(Buffer.from(`${guidBytes}000000000100000061`, 'hex'))

  expect((await socket.next()).error.message).toBe('The index of a chunk is 4294967296, but must be 0')
})

test('flow control grants a window when the tool begins, and a quarter at a time as it reads', async () => {
  const socket = await openRaw((await openApp({ streams: { windowBytes: 4096 } })).url)
  socket.send(start(guid, 'hash', { binary: true, window: 65_536 }))
  const granted = await socket.next()
  socket.send(binaryChunk(guidBytes, 0, Buffer.alloc(1000)))
  const again = await socket.next()

  const timestamp = expect.any(String)
  expect(granted).toStrictEqual({
    type: 'window',
    timestamp,
    id: guid,
    bytes: 4096,
    binary: true,
    maxChunkBytes: 3 * 1024 - 256,
  })
  // The payload, its header, and 256 bytes for each chunk.
  expect(again).toStrictEqual({ type: 'window', timestamp, id: guid, bytes: 1000 + 24 + 256 })
})
