import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mayRequest } from '../../src/client/login-urls.js'
import { runCommand } from '../run-command.js'
import { OAuthServer, storeLogin } from '../support/oauth-server.js'

let server: OAuthServer
let other: OAuthServer
let folder: string

beforeEach(async () => {
  ;[server, other] = await Promise.all([OAuthServer.start(), OAuthServer.start()])
  folder = mkdtempSync(join(tmpdir(), 'toolwright-login-'))
})

afterEach(() => {
  server.close()
  other.close()
  rmSync(folder, { recursive: true })
})

const env = () => ({ XDG_CONFIG_HOME: folder })

describe('an expired login without a terminal', () => {
  it('registers no client at a new issuer, and keeps the stored registration', async () => {
    const client = { client_id: 'registered', issuer: 'https://known.example' }
    const tokens = { access_token: 'old', token_type: 'Bearer', refresh_token: 'older', issuer: client.issuer }
    const file = storeLogin(folder, server.url, { client, tokens, port: 1 })
    const { code, stderr } = await runCommand(['list', server.url], { env: env() })
    expect(stderr).toBe(`The stored login at ${server.url} has expired. Pass --login to log in again.\n`)
    expect(code).toBe(2)
    expect(server.requests.filter((request) => request.startsWith('POST') && !request.includes('/mcp'))).toEqual([])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ client, tokens })
  })

  it('sends the headers of the user only to the server', async () => {
    server.issuers = [other.origin]
    const tokens = { access_token: 'old', token_type: 'Bearer' }
    storeLogin(folder, server.url, { client: { client_id: 'registered' }, tokens })
    await runCommand(['list', server.url, '--header', 'x-api-key: secret'], { env: env() })
    expect(server.requests).toContain('POST /mcp secret')
    expect(other.requests.length).toBeGreaterThan(0)
    expect(other.requests.filter((request) => request.includes('secret'))).toEqual([])
  })

  it('follows no redirect of an issuer', async () => {
    const path = '/.well-known/oauth-authorization-server'
    server.issuers = [other.origin]
    other.redirects.set(path, `${server.origin}/internal`)
    storeLogin(folder, server.url, {
      client: { client_id: 'registered' },
      tokens: { access_token: 'old', token_type: 'Bearer' },
    })
    await runCommand(['list', server.url], { env: env() })
    expect(other.requests).toContain(`GET ${path}`)
    expect(server.requests).not.toContain('GET /internal')
  })
})

describe('toolwright doctor', () => {
  it('follows no redirect of a server that requires a login', async () => {
    const path = '/.well-known/oauth-protected-resource/mcp'
    server.redirects.set(path, `${other.origin}/internal`)
    const { stdout } = await runCommand(['doctor', server.url], { env: env() })
    expect(stdout).toMatch(/fail {2}resource +no resource metadata at/)
    expect(other.requests).toEqual([])
  })

  it.each(['http://192.0.2.1/', 'http://192.0.2.1/internal?action=delete'])('requests no %s', async (named) => {
    if (named.endsWith('/')) server.issuers = [named]
    else server.metadata = named
    const { stdout } = await runCommand(['doctor', server.url], { env: env() })
    expect(stdout).toContain(`not requested: the server names ${named} for its login, which is neither HTTPS nor on`)
  })
})

it.each([
  ['https://login.example.com/', 'https://mcp.example.com/mcp', true],
  ['http://login.example.com/', 'https://mcp.example.com/mcp', false],
  ['https://127.0.0.1:22/', 'https://mcp.example.com/mcp', false],
  ['http://localhost:8080/', 'https://mcp.example.com/mcp', false],
  ['http://[::1]:8080/', 'http://localhost:3000/mcp', true],
  ['http://mcp.example.com/x', 'http://mcp.example.com/mcp', true],
])('requests to %s, named by %s: %s', (url, named, isAllowed) => {
  expect(mayRequest(new URL(url), new URL(named))).toBe(isAllowed)
})
