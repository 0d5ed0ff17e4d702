import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { logIn, UsersWithLogin } from '../../../../test/support/users-with-login.js'
import { startCommand } from '../run-command.js'

test('a login continues after a request whose target is not a URL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-login-'))
  const users = await UsersWithLogin.start(['users:read'])
  const args = ['call', users.resource.href, 'who', '--login', '--no-browser']
  const command = startCommand(args, { env: { XDG_CONFIG_HOME: folder } })
  const [, address = ''] = await command.stderr.match(/Log in at:\s+(http\S+)/)
  const redirect = new URL(new URL(address).searchParams.get('redirect_uri') ?? '')
  const socket = connect(Number(redirect.port), '127.0.0.1')
  await once(socket, 'connect')
  socket.end('GET // HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /)
  await fetch(await logIn(new URL(address)))
  expect(await command.ended).toMatchObject({ code: 0, stdout: 'ann users:read\n' })
  await users.close()
  rmSync(folder, { recursive: true })
})
