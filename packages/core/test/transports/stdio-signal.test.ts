import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createServer } from '@toolwright/server'
import { serveStdio } from '@toolwright/server/stdio'

it('serveStdio ends when its signal aborts, after calls in flight are answered', async () => {
  const server = await createServer({ name: 'stdio', version: '1.0.0', controllers: [] })
  const stopped = new AbortController()
  server.catalog.addTool({
    name: 'last_call',
    handler: async () => {
      stopped.abort()
      return 'answered'
    },
  })
  const input = new PassThrough()
  const output = new PassThrough()
  input.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"last_call"}}\n')

  await serveStdio(server, { input, output, signal: stopped.signal })

  output.end()
  expect(JSON.parse(await text(output))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'answered' }] },
  })
  expect(input.destroyed).toBe(true)
})
