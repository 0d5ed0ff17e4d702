// Content arrives whole. The soak test `streams` does the same with 100 MB and 500 streams.
import { connect } from '@toolwright/client'
import { closeApps, openApp, openStream, watchWebSockets } from './support/app.js'
import { hashOfContent, hashOfStream, readAll, upload } from './support/content.js'

const bytes = 4_000_003

afterEach(closeApps)

test('an upload arrives whole', async () => {
  const { url } = await openApp()
  const stream = await openStream(url, 'hash', {}, { name: 'content.bin' })

  await upload(bytes, stream.writable)

  expect(await stream.done).toStrictEqual({ bytes, sha256: hashOfContent(bytes), name: 'content.bin' })
})

test('a download arrives whole, and describes its content', async () => {
  const { url } = await openApp()
  const stream = await openStream(url, 'produce', { bytes })

  const hash = await hashOfStream(stream.readable)

  expect(hash).toBe(hashOfContent(bytes))
  expect(await stream.done).toStrictEqual({ bytes })
  expect(stream.output).toMatchObject({ name: 'produced.bin', mime: 'application/octet-stream', totalSize: bytes })
})

test('a concurrent upload and download arrive whole', async () => {
  const { url } = await openApp()
  const stream = await openStream(url, 'echo')

  const [, hash] = await Promise.all([upload(bytes, stream.writable), hashOfStream(stream.readable)])

  expect(hash).toBe(hashOfContent(bytes))
  expect(await stream.done).toBeUndefined()
})

test('a chunk larger than a frame is split, and an empty one arrives', async () => {
  const { url } = await openApp()
  const stream = await openStream(url, 'echo')
  const writer = stream.writable.getWriter()
  const writing = (async () => {
    await writer.write(Buffer.alloc(200_000, 'a'))
    await writer.write(new Uint8Array())
    await writer.write(new DataView(new ArrayBuffer(3)) as never)
    await writer.close()
  })()

  const lengths = (await readAll(stream.readable)).map(({ length }) => length)
  await writing

  expect(lengths).toStrictEqual([65_536, 65_536, 65_536, 3392, 0, 3])
})

test('values of text streams arrive in order', async () => {
  const { url } = await openApp()
  const stream = await openStream<number>(url, 'add')
  const writer = stream.writable.getWriter()
  const writing = (async () => {
    for (let value = 1; value <= 1000; value++) await writer.write(value)
    await writer.close()
  })()

  const sums = await readAll(stream.readable)
  await writing

  expect(sums).toHaveLength(1000)
  expect(sums.at(-1)).toBe(500_500)
  expect(await stream.done).toBe('sum 500500')
})

test('a hundred streams share a connection', async () => {
  const opened = await openApp()
  const sockets = watchWebSockets(opened)
  await using client = await connect(opened.url)
  const sizes = Array.from({ length: 100 }, (_, index) => 1000 + index * 997)

  const summaries = await Promise.all(
    sizes.map(async (size) => {
      const stream = await client.stream('hash')
      // The WebSocket of the client itself, and one for all streams.
      expect(sockets.size).toBe(2)
      await upload(size, stream.writable)
      return stream.done
    }),
  )

  expect(summaries).toStrictEqual(sizes.map((size) => ({ bytes: size, sha256: hashOfContent(size) })))
})

test('a write of a chunk of the wrong type fails, and the error names the right type', async () => {
  const { url } = await openApp()
  await using client = await connect(url)
  const bytesStream = await client.stream<Uint8Array, unknown>('hash')
  const textStream = await client.stream<unknown>('add')

  await expect(bytesStream.writable.getWriter().write('text')).rejects.toThrow(
    'A chunk of a binary stream must be a Uint8Array, but is string. Encode text with TextEncoder.',
  )
  await expect(textStream.writable.getWriter().write(undefined)).rejects.toThrow(
    'A chunk of a text stream must be JSON, but is undefined',
  )
})
