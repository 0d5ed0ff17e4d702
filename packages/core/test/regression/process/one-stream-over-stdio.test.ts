// A socket that was the input and the output of `serveStdio` was closed when the client had sent everything, before the calls in
// flight were answered.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { createServer } from '@toolwright/server'
import { serveStdio } from '@toolwright/server/stdio'

test('a call in flight is answered when the client has sent everything over one stream', async () => {
  const server = await createServer({ name: 'one-stream', version: '1.0.0', controllers: [] })
  server.catalog.addTool({
    name: 'slow',
    handler: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return 'answered'
    },
  })
  let served: Promise<void> | undefined
  const listener = createTcpServer({ allowHalfOpen: true }, (socket) => {
    served = serveStdio(server, { input: socket, output: socket }).finally(() => socket.end())
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')

  const client = connect({ port: (listener.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  client.end('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{}}}\n')
  expect(await readAll(client)).toContain('answered')

  await served
  listener.close()
  await server.close()
})
