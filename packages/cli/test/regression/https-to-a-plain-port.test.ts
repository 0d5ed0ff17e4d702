import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tls } from '../../../fastify/test/support/tls.js'
import { runCommand } from '../run-command.js'
import { RawServer } from '../support/raw-server.js'

it('toolwright says that a port does not speak TLS, without the words of OpenSSL', async () => {
  const server = await RawServer.start({})
  const { code, stderr } = await runCommand(['list', server.url.replace('http:', 'https:')])
  await server.close()
  expect(stderr).toMatch(/: the port does not speak TLS\. Use an http: URL/)
  expect(stderr).not.toContain('SSL routines')
  expect(code).toBe(2)
})

it('toolwright rejects a URL with a password, and does not print it', async () => {
  const { code, stderr } = await runCommand(['list', 'http://ann:secret@127.0.0.1:1/mcp'])
  expect(stderr).toBe('The URL of 127.0.0.1:1 has a name or a password. Pass credentials with --header or --bearer.\n')
  expect(code).toBe(64)
})

it('toolwright names NODE_EXTRA_CA_CERTS for a certificate that is not trusted', async () => {
  const server = createServer(tls).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { code, stderr } = await runCommand(['list', `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`])
  server.close()
  expect(stderr).toMatch(/: the certificate is not trusted \([A-Z_]+\)\. For a CA of your own, set NODE_EXTRA_CA_CERTS/)
  expect(code).toBe(2)
})
