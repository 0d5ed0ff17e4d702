import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { call, connectSample, type SampleProcess, spawnSample, startSample } from '../../../test/support/sample.js'

const execute = promisify(execFile)
const minter = join(__dirname, '..', 'dist', 'mint.js')

const minted = new Map<string, Promise<string>>()

/** Tokens that the minting program prints. Each token takes a process, so all tests use the same tokens. */
function mint(...args: readonly string[]): Promise<string> {
  const flags = args.join(' ')
  const minting = minted.get(flags) ?? execute(process.execPath, [minter, ...args]).then(({ stdout }) => stdout.trim())
  minted.set(flags, minting)
  return minting
}

const all = ['create_user', 'delete_user', 'get_public_info', 'get_user_list', 'update_settings']

let sample: SampleProcess & { url: URL }

beforeAll(async () => {
  sample = await startSample('authorization', { RESOURCE_URL: 'http://127.0.0.1:3000/mcp' })
})

afterAll(() => sample.stop())

/** Posts a call without a client library. */
async function post(
  name: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; challenge: string | null }> {
  const response = await fetch(sample.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { name: 'bob' } } }),
  })
  await response.text()
  return { status: response.status, challenge: response.headers.get('www-authenticate') }
}

const withToken = (token: string) => ({ authorization: `Bearer ${token}` })

const where = 'resource_metadata="http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp"'

async function connect(token: string | null, era: 'modern' | 'legacy'): Promise<Client> {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const options = token === null ? {} : { authProvider: { token: async () => token } }
  await client.connect(new StreamableHTTPClientTransport(sample.url, options))
  return client
}

describe.each(['modern', 'legacy'] as const)('authorization, %s', (era) => {
  it.each([
    ['nobody', null, ['get_public_info']],
    ['a caller without a role', [], ['get_public_info']],
    ['a user', ['--roles', 'User'], ['get_public_info', 'get_user_list']],
    ['a manager', ['--roles', 'Manager'], ['create_user', 'get_public_info', 'get_user_list']],
    ['an admin', ['--roles', 'Admin'], all],
  ])('lists the permitted tools to %s', async (_name, args, names) => {
    const client = await connect(args === null ? null : await mint(...args), era)
    const { tools } = await client.listTools()
    await client.close()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(names)
  })

  it('lets an admin with the scope call every tool', async () => {
    const client = await connect(await mint('--sub', 'alice', '--roles', 'Admin', '--scopes', 'tools:write'), era)
    const name = `eve-${era}`
    const answers = [
      await call(client, 'create_user', { name }),
      await call(client, 'delete_user', { name }),
      await call(client, 'update_settings', { theme: 'dark' }),
      await call(client, 'get_public_info'),
    ]
    await client.close()
    expect(answers).toEqual(
      [
        `alice created '${name}' as User.`,
        `alice deleted '${name}'.`,
        'The theme is dark now.',
        'The directory has 3 users, and its theme is dark.',
      ].map((text) => ({ content: [{ type: 'text', text }] })),
    )
  })
})

it('authorization challenges an admin without the scope, and rejects other callers', async () => {
  expect(await post('delete_user', withToken(await mint('--roles', 'Admin')))).toEqual({
    status: 403,
    challenge: `Bearer error="insufficient_scope", scope="tools:write", ${where}`,
  })
  const user = await mint('--sub', 'bob', '--roles', 'User', '--scopes', 'tools:write')
  expect(await post('delete_user', withToken(user))).toEqual({ status: 403, challenge: null })
  expect(await post('delete_user')).toEqual({ status: 401, challenge: `Bearer scope="tools:write", ${where}` })
})

it.each([
  ['for another audience', ['--audience', 'other']],
  ['by another issuer', ['--issuer', 'http://localhost/other']],
  ['too long ago', ['--expires-in', '-31']],
  ['for a later time', ['--not-before', '60']],
  ['without a signature', ['--algorithm', 'none']],
  ['with the public key as secret', ['--algorithm', 'HS256']],
  ['with an algorithm that is not allowed', ['--algorithm', 'RS512']],
])('authorization rejects a token that was minted %s', async (_name, args) => {
  const { status, challenge } = await post('get_public_info', withToken(await mint('--roles', 'Admin', ...args)))
  expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')])
})

it('authorization accepts tokens within the tolerance, and of the second key', async () => {
  for (const args of [
    ['--expires-in', '-20'],
    ['--algorithm', 'ES256'],
    ['--algorithm=PS256', '--not-before', '20'],
  ]) {
    // oxlint-disable-next-line no-await-in-loop
    expect((await post('get_public_info', withToken(await mint(...args)))).status).toBe(200)
  }
})

it('authorization prints the usage of the minting program, and errors of its arguments', async () => {
  expect(await mint('--help')).toContain('node samples/authorization/dist/mint.js --sub alice')
  expect(await mint('-h')).toBe(await mint('--help'))
  for (const [args, message] of [
    [['--algorithm', 'XX'], '--algorithm is XX. Give RS256, PS256, ES256, HS256 or none.'],
    [['--algorithm', 'HS1'], '--algorithm is HS1. Give RS256, PS256, ES256, HS256 or none.'],
    [['--expires-in', 'soon'], '--expires-in is soon. Give a number of seconds.'],
    [['--role', 'Admin'], "Unknown option '--role'"],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop
    const failed = await mint(...args).catch((error: unknown) => error)
    // No stack, because the error is the user's, not the program's.
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^[^\n]*\n--help lists the options\.\n$/) })
    expect(failed).toMatchObject({ stderr: expect.stringContaining(message) })
  }
})

it('authorization prints no URL for port 0, because it would be wrong', async () => {
  const program = await startSample('authorization')
  const { headers } = await fetch(program.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: '{}',
  })
  await program.stop()
  expect(headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"(?!.*resource_metadata)/)
})

it('authorization reports all errors of the environment', async () => {
  const { output, ended } = spawnSample('authorization', [], { PORT: 'any', ISSUER_PORT: '65536' })
  await output.match(/The environment variable PORT must be an integer\. \[bad-environment\]\n/)
  await output.match(/ISSUER_PORT must be at most 65535 \(the issuer's keys; 0 for any port\)\. \[bad-environment\]/)
  expect(await ended).toEqual({ code: 1, signal: null })
})

it("authorization reports that the port of the issuer's keys is in use", async () => {
  const { output, ended } = spawnSample('authorization', [], { ISSUER_PORT: sample.url.port })
  await output.match(/ISSUER_PORT \d+ cannot be listened on: .*EADDRINUSE.*\. Choose another one\. \[bad-environment\]/)
  expect(await ended).toEqual({ code: 1, signal: null })
})

it('authorization admits no anonymous caller over stdio, not even for the public information', async () => {
  const { client, close } = await connectSample('authorization', { lane: 'stdio', era: 'modern' })
  const { tools } = await client.listTools()
  await close()
  expect(tools.map(({ name }) => name)).toEqual(['get_public_info'])
})

it('authorization ends with code 0 on SIGTERM, including the issuer', async () => {
  const program = await startSample('authorization')
  expect(await program.stop()).toEqual({ code: 0, signal: null })
})
