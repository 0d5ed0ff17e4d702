import { Diagnostics } from '@toolwright/core/options'
import type { LoginOptions } from '@toolwright/login'
import { runCommand } from '../../cli/test/run-command.js'
import { checkLoginOptions } from '../src/check-options.js'
import { createLogin } from '../src/create-login.js'
import { closeServers, ProtectedServer } from './support/protected-server.js'

afterEach(closeServers)

/** Metadata that clients publish, as public reports show them. */
const documents: Readonly<Record<string, object>> = {
  'https://claude.ai/oauth/mcp-oauth-client-metadata': { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] },
  'https://claude.ai/oauth/claude-code-client-metadata': {
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  },
  'https://vscode.dev/oauth/client-metadata.json': {
    redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
  },
  'https://chatgpt.com/oauth/codex/client.json': {
    redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
  },
}

/** A login that gets the metadata of clients from this test instead of the internet. */
function offlineLogin(options: LoginOptions) {
  const settings = checkLoginOptions(options, new Diagnostics())
  if (settings === null) throw new Error('invalid options')
  return createLogin(settings, async (url) => {
    const document = { client_id: url, client_name: 'Client', token_endpoint_auth_method: 'none', ...documents[url] }
    return Response.json(document)
  })
}

interface Finding {
  readonly check: string
  readonly status: string
  readonly found: string
  readonly clients?: readonly string[]
}

async function examine(server: ProtectedServer, ...flags: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(['doctor', '--login', server.url.href, '--json', ...flags])
  if (stderr !== '') throw new Error(stderr)
  return { code, findings: JSON.parse(stdout) as readonly Finding[] }
}

const all = ['claude', 'claude-code', 'chatgpt', 'vscode', 'cursor', 'codex']

test.each<[string, Partial<LoginOptions>]>([
  ['with all kinds of registration', {}],
  ['without scopes', { scopes: [] }],
])('toolwright doctor --login finds nothing wrong with a login %s, for each client', async (_name, options) => {
  const server = await ProtectedServer.start({ authentication: offlineLogin, ...options })

  const { code, findings } = await examine(server)

  expect(findings.filter(({ status }) => status !== 'ok')).toEqual([])
  expect(findings.find(({ check }) => check === 'authorize')?.clients).toEqual(all)
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['challenge', 'resource', 'issuer', 'client', 'authorize', 'token', 'web pages']),
  )
  expect(code).toBe(0)
})

test('toolwright doctor --login says which clients a restricted login excludes', async () => {
  const server = await ProtectedServer.start({ authentication: offlineLogin, redirects: ['https://claude.ai/*/*/*'] })

  const { code, findings } = await examine(server)

  expect(code).toBe(1)
  const failures = findings.filter(({ status }) => status === 'fail')
  expect([...new Set(failures.flatMap(({ clients = [] }) => clients))].toSorted()).toEqual(
    all.filter((name) => name !== 'claude').toSorted(),
  )
})

test('toolwright doctor --login checks one client, or a client id', async () => {
  const server = await ProtectedServer.start({
    registration: false,
    clients: [{ id: 'cursor', redirectUris: ['cursor://anysphere.cursor-mcp/oauth/callback'] }],
  })

  const closed = await examine(server, '--as', 'claude')
  expect(closed.code).toBe(1)
  expect(closed.findings.find(({ status }) => status === 'fail')?.found).toContain('cannot register')

  expect((await examine(server, '--as', 'cursor', '--client-id', 'cursor')).code).toBe(0)
  expect((await examine(server, '--as', 'claude', '--client-id', 'cursor')).code).toBe(1)
})
