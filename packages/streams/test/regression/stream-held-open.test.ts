// Streams that make no progress end, and hold no request in flight.
import { setInterval as every } from 'node:timers/promises'
import { closeApps, openApp, openStreams } from '../support/app.js'
import { closeSockets, guid, openRaw, startWithWindow } from '../support/raw-socket.js'

afterEach(async () => {
  closeSockets()
  await closeApps()
})

test('a client that grants too little for the next write gets a timeout', async () => {
  const opened = await openApp({ streams: { idleTimeoutMs: 200 } })
  const socket = await openRaw(opened.url)
  socket.send(startWithWindow(guid, 'produce', { window: 1, arguments: { bytes: 1_000_000 } }))
  const ended = socket.until('error', guid)
  let grants = 0
  for await (const _ of every(20)) {
    socket.send({ type: 'window', id: guid, bytes: 1 })
    if (++grants > 10 && openStreams(opened) === 0) break
  }

  expect((await ended).at(-1)).toMatchObject({ error: { message: 'Stream timeout: the client was silent for 200 ms' } })
})

test('open streams leave the limit of requests to calls', async () => {
  const { url } = await openApp({ limits: { maxInFlight: 2 } })
  const socket = await openRaw(url)
  for (const digit of [1, 2, 3]) {
    socket.send(startWithWindow(guid.replace('0', String(digit)), 'endless'))
    await socket.until('window')
  }
  socket.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'plain' } })

  expect(await socket.next()).toMatchObject({ id: 1, result: { content: [{ text: 'plain' }] } })
})
