// A client that closed stdout but not stdin left the server process behind.
import { PassThrough } from 'node:stream'
import { serveStdio } from '@toolwright/server/stdio'

const options = { name: 'closed', version: '1.0.0', controllers: [], onReady: () => undefined }

it('stdio stops serving when the output is closed', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const serving = serveStdio(options, { input, output, drainMs: 50 })
  input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  output.once('data', () => output.destroy())
  await expect(serving).resolves.toBeUndefined()
})

it('stdio stops serving when the output fails', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const serving = serveStdio(options, { input, output, drainMs: 50 })
  input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  output.once('data', () => output.destroy(new Error('write EPIPE')))
  await expect(serving).resolves.toBeUndefined()
})

it('stdio skips lines that contain only blanks', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const serving = serveStdio(options, { input, output })
  let text = ''
  output.on('data', (chunk: Buffer) => (text += chunk.toString()))
  input.end('  \t \r\n\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n   ')
  await serving
  expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n')
})
