// Chunks that wait for a tool stay within the window, and many small frames are read in several turns of the event loop.
import type { Socket } from 'node:net'
import { closeApps, openApp } from '../support/app.js'
import {
  binaryChunk,
  chunk,
  closeSockets,
  done,
  guid,
  guidBytes,
  openRaw,
  startWithWindow,
} from '../support/raw-socket.js'
import { shared } from '../support/stream-tools.js'

const tooMuch = { id: guid, error: { message: 'More bytes were sent than the window allows' } }

afterEach(async () => {
  closeSockets()
  await closeApps()
})

test('a chunk that is larger than the window ends its stream', async () => {
  const socket = await openRaw((await openApp({ streams: { windowBytes: 4096 } })).url)
  socket.send(startWithWindow(guid, 'stall'))
  await socket.until('window')
  socket.send(binaryChunk(guidBytes, 0, Buffer.alloc(4096)))

  expect(await socket.next()).toMatchObject(tooMuch)
})

test('each empty chunk counts as 256 bytes more than its frame', async () => {
  const socket = await openRaw((await openApp({ streams: { windowBytes: 4096 } })).url)
  socket.send(startWithWindow(guid, 'stall'))
  await socket.until('window')
  // 14 frames of 24 bytes fit.
  for (let index = 0; index < 15; index++) socket.send(binaryChunk(guidBytes, index, ''))

  expect(await socket.next()).toMatchObject(tooMuch)
})

test('values that wait for their tool arrive unchanged and in order', async () => {
  const socket = await openRaw((await openApp()).url)
  const values = [{ nested: [{}, { text: 'ö' }] }, 1, 'text', null, []]
  socket.send(startWithWindow('later', 'later', { binary: false }))
  await socket.until('window')
  for (const [index, value] of values.entries()) socket.send(chunk('later', index, value))
  socket.send(done('later'))
  // The answer means that all values were received.
  socket.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
  expect(await socket.next()).toMatchObject({ id: 1, result: {} })

  shared.gate.open()

  expect(await socket.next()).toMatchObject({ type: 'done', id: 'later', summary: JSON.stringify(values) })
})

test('frames that arrive together are read in several turns of the event loop', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(startWithWindow(guid, 'drink'))
  await socket.until('window')
  const { _socket: tcp } = socket.socket as unknown as { readonly _socket: Socket }
  tcp.cork()
  for (let index = 0; index < 1500; index++) socket.send(binaryChunk(guidBytes, index, ''))
  socket.send(done(guid))
  tcp.uncork()

  const { summary } = (await socket.until('done', guid)).at(-1)

  expect(shared.read).toBe(1500)
  expect(summary).toBeGreaterThan(5)
})
