import { connect } from '@toolwright/client'
import type { CallHook } from '@toolwright/core'
import { gaugesOf } from '../../../test/support/gauges.js'
import { until } from '../../../test/support/until.js'
import { closeApps, openApp, openStream, openStreams, watchWebSockets } from './support/app.js'
import { upload } from './support/content.js'
import {
  binaryChunk,
  closeSockets,
  errorOf,
  guid,
  guidBytes,
  openRaw,
  start,
  startWithWindow,
} from './support/raw-socket.js'
import { shared } from './support/stream-tools.js'

afterEach(async () => {
  closeSockets()
  await closeApps()
})

test('a client that sends nothing while the tool reads gets a timeout', async () => {
  const opened = await openApp()
  const stream = await openStream(opened.url, 'wait')

  await expect(stream.done).rejects.toMatchObject({
    code: -32000,
    message: 'Stream timeout: the client was silent for 100 ms',
    data: { timeout: 0.1 },
  })
  expect(openStreams(opened)).toBe(0)
})

test('a client without flow control gets a timeout, too', async () => {
  const { url } = await openApp({ streams: { idleTimeoutMs: 50 } })
  const socket = await openRaw(url)
  socket.send(start(guid, 'hash'))

  expect(await socket.next()).toMatchObject({ type: 'error', id: guid, error: { data: { timeout: 0.05 } } })
  expect(await socket.closed).toStrictEqual([1011, 'Tool error'])
})

test('a client that reads nothing while the tool writes gets a timeout', async () => {
  const { url } = await openApp({ streams: { idleTimeoutMs: 50 } })
  const stream = await openStream(url, 'produce', { bytes: 10_000_000 })

  await expect(stream.done).rejects.toThrow('Stream timeout')
})

test('a feed that waits for new values, not for its client, has no timeout', async () => {
  const { url } = await openApp()
  const stream = await openStream<string>(url, 'feed')
  const reader = stream.readable.getReader()
  await reader.read()
  // Twice the idle timeout of the tool.
  await new Promise((resolve) => setTimeout(resolve, 100))
  shared.gate.open()

  expect(await reader.read()).toStrictEqual({ done: false, value: 'second' })
  expect(await stream.done).toBe('over')
})

test('the time limit of a tool applies to its streams', async () => {
  const { url } = await openApp()
  const stream = await openStream(url, 'brief')

  await expect(stream.done).rejects.toThrow("Tool 'brief' did not finish within 0.05 seconds and was stopped.")
})

test('a client can send at most the number of bytes that the tool allows', async () => {
  const { url } = await openApp()
  const stream = await openStream(url, 'small')

  await upload(2000, stream.writable).catch(() => undefined)

  await expect(stream.done).rejects.toThrow('The client sent more than 1000 bytes')
})

test('a connection has at most maxStreams streams', async () => {
  const opened = await openApp({ streams: { maxStreams: 2 } })
  const socket = await openRaw(opened.url)
  const idOf = (digit: number): string => guid.replace('0', String(digit))
  for (const id of [idOf(1), idOf(2), idOf(3)]) socket.send(startWithWindow(id, 'endless'))

  expect((await socket.until('error')).at(-1)).toMatchObject({
    id: idOf(3),
    error: { message: 'At most 2 streams may be open at once' },
  })
  socket.send(errorOf(idOf(1)))
  await until(() => openStreams(opened) === 1)
  socket.send(startWithWindow(idOf(4), 'produce', { arguments: { bytes: 10 } }))
  expect((await socket.until('done', idOf(4))).at(-1)).toMatchObject({ summary: { bytes: 10 } })
})

test.each(['modern', 'legacy'] as const)('a %s client opens another connection for more streams', async (era) => {
  const opened = await openApp({ streams: { maxStreams: 2 } })
  const sockets = watchWebSockets(opened)
  await using client = await connect(opened.url.replace('ws:', 'http:').replace('/ws', '/mcp'), { era })
  const streams = await Promise.all(['first', 'second', 'third'].map((name) => client.stream('hash', {}, { name })))

  expect(sockets.size).toBe(2)
  await Promise.all(streams.map(({ writable }) => upload(10, writable)))
  const summaries = await Promise.all(streams.map(({ done }) => done))
  expect(summaries).toMatchObject([{ name: 'first' }, { name: 'second' }, { name: 'third' }])
  // Both WebSockets close with their last stream.
  await until(() => sockets.size === 0)
})

test('a stream counts as a request in flight until its tool begins', async () => {
  let begin = (): void => undefined
  const hook: CallHook = { onInvoking: () => new Promise<void>((resolve) => (begin = resolve)) }
  const opened = await openApp({ limits: { maxInFlight: 1 }, hooks: [hook] })
  await using client = await connect(opened.url)
  await client.stream('endless')
  await until(() => openStreams(opened) === 1)

  const rejected = await client.stream('hash')
  await expect(rejected.done).rejects.toMatchObject({ code: -32603 })
  await expect(rejected.done).rejects.toThrow('The server is busy')

  begin()
  await until(() => opened.app.mcp.metrics().inFlight.value === 0)
  expect(openStreams(opened)).toBe(1)
})

test('one caller can have half of the open streams of a server', async () => {
  const opened = await openApp({ streams: { maxOpenStreams: 5 } })
  const [first, second] = [await openRaw(opened.url), await openRaw(opened.url)]
  first.send(startWithWindow(guid, 'endless'))
  await first.until('window')
  second.send(startWithWindow(guid, 'endless'))
  await second.until('window')
  second.send(startWithWindow(guid.replace('0', '1'), 'endless'))

  expect((await second.next()).error).toMatchObject({
    code: -32603,
    message: 'Too many streams are open. Try again in 10 s',
  })
  expect(gaugesOf(opened.app.mcp, 'streams_')).toMatchObject({
    streams_open: 2,
    streams_open_max: 5,
    streams_rejected_total: 1,
  })
  first.close()
  await until(() => openStreams(opened) === 1)
  second.send(startWithWindow(guid.replace('0', '2'), 'endless'))
  expect(await second.next()).toMatchObject({ type: 'window' })
})

test('the tools of one caller leave at most half of maxUnreadBytes unread', async () => {
  const opened = await openApp({ streams: { maxUnreadBytes: 5000 } })
  const socket = await openRaw(opened.url)
  socket.send(startWithWindow(guid, 'stall'))
  await socket.until('window')
  socket.send(binaryChunk(guidBytes, 0, Buffer.alloc(2000)))
  socket.send(binaryChunk(guidBytes, 1, Buffer.alloc(2000)))

  expect((await socket.next()).error).toMatchObject({
    code: -32603,
    message: 'Too many bytes wait for the tools of this server',
  })
  expect(gaugesOf(opened.app.mcp, 'stream')).toMatchObject({
    stream_unread_bytes: 0,
    stream_unread_bytes_max: 5000,
    streams_overfull_total: 1,
  })
})

test('unknown and invalid options are reported at boot', async () => {
  await expect(openApp({ streams: { maxStream: 1, windowBytes: 1, idleTimeoutMs: 'long' } as never })).rejects.toThrow(
    /streams: maxStream is not an option\. Did you mean maxStreams\?[\s\S]*windowBytes is 1\.[\s\S]*idleTimeoutMs is the string 'long'/,
  )
})
