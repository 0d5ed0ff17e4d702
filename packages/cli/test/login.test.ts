import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logIn, UsersWithLogin } from '../../../test/support/users-with-login.js'
import { runCommand, startCommand } from './run-command.js'

let users: UsersWithLogin
let resource: string
let folder: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-login-'))
  users = await UsersWithLogin.start(['users:read', 'users:write'])
  resource = users.resource.href
})

afterEach(async () => {
  await users.close()
  rmSync(folder, { recursive: true })
})

test('toolwright call logs in with the browser, stores the login for the user only, and uses it again', async () => {
  const env = { XDG_CONFIG_HOME: folder }

  const rejected = await runCommand(['call', resource, 'who'], { env })
  expect(rejected).toMatchObject({ code: 2, stderr: expect.stringContaining('requires authentication. Pass --bearer') })

  const command = startCommand(['call', resource, 'who', '--login', '--no-browser'], { env })
  const [, address = ''] = await command.stderr.match(/Log in at:\s+(http\S+)/)
  expect(new URL(address).searchParams.get('code_challenge_method')).toBe('S256')
  const page = await fetch(await logIn(new URL(address)))
  expect(await page.text()).toBe('You can close this window and return to the terminal.\n')
  expect(await command.ended).toMatchObject({ code: 0, stdout: 'ann users:read users:write\n' })

  const logins = join(folder, 'toolwright', 'logins')
  const [file = ''] = readdirSync(logins)
  expect(statSync(join(logins, file)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(join(logins, file), 'utf8'))).toMatchObject({ url: resource })

  const [again, examined] = await Promise.all([
    runCommand(['call', resource, 'remove'], { env }),
    runCommand(['doctor', resource], { env }),
  ])
  expect(again).toEqual({ code: 0, stdout: 'gone\n', stderr: '' })
  expect(examined.stdout).toMatch(/ok {4}issuer +http:\S+ supports logins with PKCE\n/)
  expect(examined.code).toBe(0)
})

test('toolwright call sends the token of --bearer, and reports that it was rejected', async () => {
  const { code, stderr } = await runCommand(['call', resource, 'who', '--bearer', 'wrong', '--login'])
  expect(stderr).toBe(`Cannot connect to ${resource}: the server rejected the credentials.\n`)
  expect(code).toBe(2)
})
