// The exchanges of clients that were written for MCP Gateway: no flow control, one stream per connection.
import { closeApps, openApp } from './support/app.js'
import { binaryChunk, closeSockets, done, errorOf, openRaw, start } from './support/raw-socket.js'

const zero = '00'.repeat(16)

afterEach(async () => {
  closeSockets()
  await closeApps()
})

test('a client of MCP Gateway uploads, gets the summary, and the connection closes', async () => {
  const socket = await openRaw((await openApp()).url)
  const content = Buffer.from('Hello from client upload!')
  socket.send(start('upload-1', 'hash', { binary: true, name: 'hello.txt', mime: 'text/plain', totalSize: null }))
  for (let index = 0; index * 8 < content.length; index++) {
    socket.send(binaryChunk(zero, index, content.subarray(index * 8, index * 8 + 8)))
  }
  socket.send(done('upload-1'))

  expect(await socket.next()).toMatchObject({ type: 'done', id: 'upload-1', summary: { bytes: 25, name: 'hello.txt' } })
  expect(await socket.closed).toStrictEqual([1000, 'Tool complete'])
})

test('a client of MCP Gateway downloads: start, chunks and done have an id of the server', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start('download-1', 'produce', { binary: true, arguments: { bytes: 100 } }))

  const [opened, bytes, output] = await socket.until('done')

  expect(opened.meta).toStrictEqual({
    method: 'result',
    binary: true,
    name: 'produced.bin',
    mime: 'application/octet-stream',
    totalSize: 100,
    correlationId: 'download-1',
  })
  expect(bytes).toHaveLength(124)
  expect(output).toMatchObject({ id: opened.id, summary: { bytes: 100 } })
  expect(await socket.next()).toMatchObject({ type: 'done', id: 'download-1', summary: { bytes: 100 } })
})

test('a client of MCP Gateway streams in both directions', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start('duplex-1', 'echo'))
  socket.send(binaryChunk(zero, 0, 'Hello '))
  const [opened, first] = [await socket.next(), await socket.next()]
  socket.send(binaryChunk(zero, 1, 'duplex!'))
  socket.send(done('duplex-1'))
  const second = await socket.next()

  expect(opened).toMatchObject({ type: 'start', meta: { method: 'result_echo' } })
  expect(Buffer.concat([first.subarray(24), second.subarray(24)]).toString()).toBe('Hello duplex!')
  expect((await socket.until('done', 'duplex-1')).map(({ id }) => id)).toStrictEqual([opened.id, 'duplex-1'])
})

test('a client that counts all its chunks as 0, or sends no timestamp, is served', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send({ type: 'start', id: 'upload-1', meta: { method: 'hash' } })
  socket.send(binaryChunk(zero, 0, 'ab'))
  socket.send(binaryChunk(zero, 0, 'cd'))
  socket.send({ type: 'done', id: 'upload-1' })

  expect(await socket.next()).toMatchObject({ type: 'done', summary: { bytes: 4 } })
})

test('a tool that fails closes the connection with 1011, and does not disclose the text of its error', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start('fail-1', 'fail'))

  const frames = await socket.until('error', 'fail-1')
  const errors = frames.filter(({ type }) => type === 'error')

  expect(errors).toHaveLength(2)
  expect(JSON.stringify(errors)).not.toContain('secret')
  expect(errors[1].error).toMatchObject({ code: -32000, message: expect.stringContaining("Tool 'fail' failed") })
  expect(await socket.closed).toStrictEqual([1011, 'Tool error'])
})

test('an unknown tool, and a tool that does not stream, get -32601, and the connection stays open', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start('one', 'hush'))
  socket.send(start('two', 'plain'))
  socket.send(start('three', 'hash'))
  socket.send(done('three'))

  expect(await socket.next()).toMatchObject({
    type: 'error',
    id: 'one',
    error: { code: -32601, message: 'Unknown tool: hush', data: { method: 'hush', suggestions: ['hash'] } },
  })
  expect(await socket.next()).toMatchObject({
    type: 'error',
    id: 'two',
    error: { code: -32601, message: "Tool 'plain' does not stream. Call it with tools/call" },
  })
  expect(await socket.next()).toMatchObject({ type: 'done', id: 'three' })
})

test('an error of the client ends the stream without an answer', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start('upload-1', 'hash'))
  socket.send(errorOf('upload-1'))

  expect(await socket.closed).toStrictEqual([1000, 'Tool complete'])
})

test('closeWhenDone: false keeps the connection for the next stream', async () => {
  const socket = await openRaw((await openApp({ streams: { closeWhenDone: false } })).url)
  for (const id of ['first', 'second']) {
    socket.send(start(id, 'hash'))
    socket.send(done(id))
    expect(await socket.next()).toMatchObject({ type: 'done', id })
  }
})

test('streams without flow control cannot share a connection', async () => {
  const socket = await openRaw((await openApp()).url)
  socket.send(start('first', 'stall'))
  socket.send(start('second', 'hash'))

  expect(await socket.next()).toMatchObject({
    type: 'error',
    id: 'second',
    error: { code: -32000, message: expect.stringContaining('need flow control') },
  })
})

test('startByRequest starts a stream for a JSON-RPC request that names its tool', async () => {
  const socket = await openRaw((await openApp({ streams: { startByRequest: true, closeWhenDone: false } })).url)
  const answers: string[] = []
  const requests = [
    { jsonrpc: '2.0', method: 'produce', id: 'direct', params: { bytes: 10 } },
    { jsonrpc: '2.0', method: 'tools/call', id: 'call', params: { name: 'produce', arguments: { bytes: 20 } } },
  ]
  for (const request of requests) {
    socket.send(request)
    const [opened, bytes] = [await socket.next(), await socket.next()]
    const [output, call] = [await socket.next(), await socket.next()]
    answers.push(opened.type, String(bytes.length), output.type, call.type)
  }

  expect(answers).toStrictEqual(['start', '34', 'done', 'done', 'start', '44', 'done', 'done'])
})
