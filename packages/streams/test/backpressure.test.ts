import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@toolwright/client'
import { gaugesOf } from '../../../test/support/gauges.js'
import { until } from '../../../test/support/until.js'
import { closeApps, openApp } from './support/app.js'
import { hashOfContent, pieces, upload } from './support/content.js'
import { binaryChunk, closeSockets, done, guid, guidBytes, openRaw, start } from './support/raw-socket.js'
import { shared } from './support/stream-tools.js'

const KiB = 1024
/** A window, and the chunk that may exceed it. */
const windowBytes = 128 * KiB
const most = windowBytes + 64 * KiB

afterEach(async () => {
  closeSockets()
  await closeApps()
})

test('a tool that does not read stops only its own stream, when the window is full', async () => {
  const { url } = await openApp({ streams: { windowBytes } })
  await using client = await connect(url)
  const stalled = await client.stream('stall')
  const writer = stalled.writable.getWriter()
  let written = 0
  const writing = (async () => {
    for (const piece of pieces(2_000_000)) {
      await writer.write(piece)
      written += piece.length
    }
    await writer.close()
  })()

  // The other streams take longer than the stalled one would.
  for (let round = 0; round < 3; round++) {
    const other = await client.stream('hash')
    await upload(1_000_000, other.writable)
    expect(await other.done).toMatchObject({ sha256: hashOfContent(1_000_000) })
  }
  expect(written).toBeLessThanOrEqual(most)
  expect(written).toBeGreaterThan(0)

  shared.gate.open()
  await writing
  expect(await stalled.done).toBe(2_000_000)
})

test('a client that does not read a stream stops only the tool of that stream, when the window is full', async () => {
  const { url } = await openApp()
  await using client = await connect(url)
  const unread = await client.stream('produce', { bytes: 2_000_000 }, { windowBytes })

  const other = await client.stream('produce', { bytes: 1000 })
  for await (const _ of other.readable);
  const busy = await client.stream('hash')
  await upload(3_000_000, busy.writable)
  await busy.done

  expect(shared.written - 1000).toBeLessThanOrEqual(most)
  let received = 0
  for await (const chunk of unread.readable) received += chunk.length
  expect(received).toBe(2_000_000)
  expect(await unread.done).toStrictEqual({ bytes: 2_000_000 })
})

test('a client without flow control is not read while its tool does not read', async () => {
  const { app, url } = await openApp({ streams: { windowBytes }, keepAliveMs: 10 })
  const socket = await openRaw(url)
  socket.send(start(guid, 'stall'))
  const total = 8_000_000
  const payload = Buffer.alloc(64 * KiB)
  for (let index = 0; index * payload.length < total; index++) {
    socket.send(
      binaryChunk(guidBytes, index, payload.subarray(0, Math.min(payload.length, total - index * payload.length))),
    )
  }
  socket.send(done(guid))

  // The buffers of the operating system fill up, and the rest stays at the client. It answers no pings meanwhile.
  const received = await whenStill(() => gaugesOf(app.mcp, 'stream_received')['stream_received_bytes_total'] as number)
  expect(socket.socket.bufferedAmount).toBeGreaterThan(0)
  expect(received).toBeLessThanOrEqual(most + 64 * KiB)

  shared.gate.open()
  expect(await socket.next()).toMatchObject({ type: 'done', summary: total })
})

test('a client without flow control that does not read stops the tool', async () => {
  const { url } = await openApp()
  const socket = await openRaw(url)
  socket.socket.pause()
  socket.send(start(guid, 'produce', { arguments: { bytes: 64_000_000 } }))
  const written = await whenStill(() => shared.written)

  expect(written).toBeGreaterThan(0)
  expect(written).toBeLessThan(32_000_000)
})

/** Waits until a number has stopped growing. */
async function whenStill(read: () => number): Promise<number> {
  let last = -1
  await until(async () => {
    const before = last
    last = read()
    await sleep(50)
    return last > 0 && last === before && read() === last
  })
  return last
}
