// A web stream that rejects a write does not abort by itself.
import { connect } from '@toolwright/client'
import { until } from '../../../../test/support/until.js'
import { closeApps, openApp, openStreams } from '../support/app.js'
import { shared } from '../support/stream-tools.js'

afterEach(closeApps)

test('a chunk of the wrong type aborts the stream on both sides', async () => {
  const opened = await openApp()
  await using client = await connect(opened.url)
  const stream = await client.stream('endless')
  const source = new ReadableStream({ start: (controller) => controller.enqueue('text') })

  await expect(source.pipeTo(stream.writable as never)).rejects.toThrow(TypeError)

  await expect(stream.done).rejects.toThrow('A chunk of a binary stream must be a Uint8Array, but is string')
  await until(() => openStreams(opened) === 0)
  expect(shared.aborted).toStrictEqual(['endless'])
})

test('a value that the server does not accept fails its stream, and no other', async () => {
  const { url } = await openApp()
  await using client = await connect(url)
  const other = await client.stream<number>('add')
  const stream = await client.stream<string>('wait')
  const tooLong = /^A chunk has 42001\d\d bytes, but the server accepts at most 392960$/

  await expect(stream.writable.getWriter().write('x'.repeat(4_200_000))).rejects.toThrow(tooLong)

  await expect(stream.done).rejects.toThrow(tooLong)
  const writer = other.writable.getWriter()
  await writer.write(1)
  await writer.close()
  expect(await other.done).toBe('sum 1')
})

test('bytes of any length fit into small windows', async () => {
  const { url } = await openApp({ streams: { windowBytes: 1024 } })
  await using client = await connect(url)
  const stream = await client.stream('hash')
  const writer = stream.writable.getWriter()
  await writer.write(new Uint8Array(10_000))
  await writer.close()

  expect(await stream.done).toMatchObject({ bytes: 10_000 })
})
