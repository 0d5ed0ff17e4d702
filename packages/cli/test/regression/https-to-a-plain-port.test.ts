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
