import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { Authorize, createHost, jwtBearer, McpContext, McpTool } from 'toolwright'
import { root, runCommand, startCommand } from './run-command.js'

class UserTools {
  @McpTool({ description: 'Says who calls' })
  who(context: McpContext): string {
    return `${context.principal?.subject} ${context.principal?.scopes.join(' ')}`
  }

  @McpTool({ description: 'Deletes a user' })
  @Authorize({ scopes: ['users:write'] })
  remove(): string {
    return 'gone'
  }
}

let listener: Server
let host: FastifyInstance
let provider: ChildProcess
let resource: string
let folder: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-login-'))
  listener = createServer()
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  resource = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
  const program = join(root, 'test', 'docs', 'oidc-provider.mjs')
  provider = spawn(process.execPath, [program, resource], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [issuer] = (await once(provider.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  const authentication = jwtBearer({
    issuer: issuer.toString().trim(),
    audience: resource,
    scopesSupported: ['users:read', 'users:write'],
  })
  host = await createHost({ name: 'users', version: '1.0.0', controllers: [UserTools], authentication })
  host.log.level = 'silent'
  await host.ready()
  listener.on('request', (request, response) => host.routing(request, response))
})

afterEach(async () => {
  provider.kill()
  listener.closeAllConnections()
  listener.close()
  await host.close()
  rmSync(folder, { recursive: true })
})

/** Acts as the user's browser, until the page of the command. @returns The text of that page. */
async function logIn(authorization: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = new URL(authorization)
  let init: RequestInit = {}
  /* oxlint-disable no-await-in-loop -- one page after the other */
  for (;;) {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const page = await response.text()
    if (url.pathname === '/callback') return page
    init = location === null ? { method: 'POST', body: filledIn(page) } : {}
    url = new URL(location ?? formOf(page), url)
  }
  /* oxlint-enable no-await-in-loop */
}

function formOf(page: string): string {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
  if (action === undefined) throw new Error(`a page without a form: ${page}`)
  return action
}

function filledIn(page: string): URLSearchParams {
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? ''
  return new URLSearchParams({ prompt, login: 'ann', password: 'secret' })
}

test('toolwright call logs in with the browser, stores the login for the user only, and uses it again', async () => {
  const env = { XDG_CONFIG_HOME: folder }

  const refused = await runCommand(['call', resource, 'who'], { env })
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('requires authentication. Pass --bearer') })

  const command = startCommand(['call', resource, 'who', '--login', '--no-browser'], { env })
  const [, address = ''] = await command.stderr.match(/Log in at:\s+(http\S+)/)
  expect(new URL(address).searchParams.get('code_challenge_method')).toBe('S256')
  expect(await logIn(address)).toBe('You can close this window and return to the terminal.\n')
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
