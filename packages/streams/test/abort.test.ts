import { connect } from '@toolwright/client'
import { gaugesOf } from '../../../test/support/gauges.js'
import { until } from '../../../test/support/until.js'
import { closeApps, openApp, openStream, openStreams, type StreamApp } from './support/app.js'
import { readAll, upload } from './support/content.js'
import { binaryChunk, chunk, closeSockets, guid, guidBytes, openRaw, startWithWindow } from './support/raw-socket.js'
import { shared } from './support/stream-tools.js'

afterEach(async () => {
  closeSockets()
  await closeApps()
})

/** Waits until the server has neither a stream nor a call. @returns The milliseconds that it took. */
async function whenFree(app: StreamApp): Promise<number> {
  const began = performance.now()
  await until(() => openStreams(app) === 0 && app.app.mcp.metrics().inFlight.value === 0)
  return performance.now() - began
}

test('an abort of the client cancels the call, and frees both sides', async () => {
  const opened = await openApp()
  await using client = await connect(opened.url)
  const stream = await client.stream('endless')
  const reading = readAll(stream.readable)
  await until(() => openStreams(opened) === 1)

  stream.abort(new Error('changed my mind'))

  await expect(stream.done).rejects.toThrow('changed my mind')
  await expect(reading).rejects.toThrow('changed my mind')
  await expect(stream.writable.getWriter().write(Buffer.from('late'))).rejects.toThrow('changed my mind')
  expect(await whenFree(opened)).toBeLessThan(1000)
  expect(shared.aborted).toStrictEqual(['endless'])
})

test('an abort of the upload, or of a signal, aborts the stream', async () => {
  const opened = await openApp()
  await using client = await connect(opened.url)
  const controller = new AbortController()
  const byWriter = await client.stream('endless')
  const bySignal = await client.stream('endless', {}, { signal: controller.signal })

  await byWriter.writable.abort(new Error('no more'))
  controller.abort(new Error('too late'))

  await expect(byWriter.done).rejects.toThrow('no more')
  await expect(bySignal.done).rejects.toThrow('too late')
  await whenFree(opened)
})

test('an abort ends a write that waits for the tool', async () => {
  const opened = await openApp()
  await using client = await connect(opened.url)
  const stream = await client.stream('stall')
  const uploading = upload(2_000_000, stream.writable)
  uploading.catch(() => undefined)
  await until(() => openStreams(opened) === 1)

  stream.abort(new Error('stop'))

  await expect(uploading).rejects.toThrow('stop')
  await whenFree(opened)
})

test('a tool that fails aborts the client, and frees both sides', async () => {
  const opened = await openApp()
  await using client = await connect(opened.url)
  const stream = await client.stream('fail')

  await expect(readAll(stream.readable)).rejects.toThrow("Tool 'fail' failed")
  await expect(stream.done).rejects.toMatchObject({ name: 'StreamError', code: -32000 })
  expect(await whenFree(opened)).toBeLessThan(1000)
})

test('a tool that returns early ends the upload', async () => {
  const opened = await openApp()
  await using client = await connect(opened.url)
  const stream = await client.stream('produce', { bytes: 10 })

  expect(await stream.done).toStrictEqual({ bytes: 10 })
  await expect(upload(2_000_000, stream.writable)).rejects.toThrow('The tool has returned, and no longer reads')
  await whenFree(opened)
})

test('chunks that arrive after the tool has returned are ignored', async () => {
  const opened = await openApp()
  const socket = await openRaw(opened.url)
  socket.send(startWithWindow(guid, 'produce', { arguments: { bytes: 0 } }))
  await socket.until('done', guid)
  socket.send(binaryChunk(guidBytes, 0, 'late'))
  socket.send(startWithWindow('next', 'add', { binary: false }))
  await socket.until('window')
  socket.send(chunk('next', 0, 1))

  expect((await socket.until('chunk')).filter(({ type }) => type === 'error')).toStrictEqual([])
})

test('when a client stops reading, writes of the tool fail, and the upload of the client continues', async () => {
  const opened = await openApp()
  await using client = await connect(opened.url)
  const stream = await client.stream('produce', { bytes: 50_000_000 })
  const reader = stream.readable.getReader()
  await reader.read()

  await reader.cancel()

  await expect(stream.done).rejects.toThrow("Tool 'produce' failed")
  expect(shared.written).toBeLessThan(10_000_000)
  await whenFree(opened)
})

test('a client that disconnects aborts its streams', async () => {
  const opened = await openApp()
  const client = await connect(opened.url)
  const stream = await client.stream('endless')
  await until(() => openStreams(opened) === 1)

  await client.close()

  await expect(stream.done).rejects.toThrow('The connection was closed')
  await whenFree(opened)
  expect(shared.aborted).toStrictEqual(['endless'])
  await expect(client.stream('hash')).rejects.toThrow('has been closed')
})

test('a stream fails when the server has disappeared', async () => {
  const { app, url } = await openApp()
  const stream = await openStream(url, 'stall')
  const reading = readAll(stream.readable)
  reading.catch(() => undefined)
  await until(() => gaugesOf(app.mcp, 'streams')['streams_open'] === 1)

  await app.close()

  await expect(stream.done).rejects.toThrow('The connection was closed')
  await expect(reading).rejects.toThrow('The connection was closed')
})

test('the signal of a feed aborts when the server closes, and its client gets the remaining values', async () => {
  const { app, url } = await openApp({ drainTimeoutMs: 5000 })
  const stream = await openStream(url, 'endless')
  await until(() => gaugesOf(app.mcp, 'streams')['streams_open'] === 1)

  await app.close()

  expect(await stream.done).toBe('closing')
})
