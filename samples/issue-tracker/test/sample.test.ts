import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { readTrials } from '../../../test/support/readme.js'
import {
  call,
  connectSample,
  nodeFor,
  type SampleProcess,
  spawnSample,
  startSample,
} from '../../../test/support/sample.js'

const execute = promisify(execFile)
const folder = join(__dirname, '..')
const node = nodeFor('issue-tracker')

/** All features, for an admin. */
const tools = [
  'count_issues',
  'create_issue',
  'delete_issue',
  'export_issues',
  'get_issue',
  'list_issues',
  'update_issue',
]

async function mint(...args: readonly string[]): Promise<string> {
  return (await execute(process.execPath, [join(folder, 'dist', 'access', 'token.js'), ...args])).stdout.trim()
}

async function connect(url: URL, token: string): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: { form: {} } } },
  )
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: { token: async () => token } }))
  return client
}

describe("the tests of issue-tracker for Node's runner", () => {
  const run = (program: string, file: string) =>
    execute(program, ['--test', '--test-reporter=tap', file], { cwd: join(folder, 'dist') })

  it('pass with a database, and none is skipped', async () => {
    const { stdout } = await run(node, 'issues/issues.test.js')
    expect(stdout).toMatch(/# pass 8\n# fail 0\n# cancelled 0\n# skipped 0/)
  })

  it('pass with the fake repository, also on a version of Node without SQLite', async () => {
    const { stdout } = await run(process.execPath, 'tools/issue-tools.test.js')
    expect(stdout).toMatch(/# pass 10\n# fail 0\n# cancelled 0\n# skipped 0/)
  })
})

describe('issue-tracker over HTTP', () => {
  let running: SampleProcess & { url: URL }

  beforeAll(async () => {
    running = await startSample('issue-tracker')
  })

  afterAll(() => running.stop())

  // The first command creates the issue that the second one tries to delete.
  it.each(readTrials(folder))('prints the output that its README shows for $name', async ({ run, output }) => {
    expect(await run(running.url)).toBe(output)
  })

  it('prints a command that creates a token', async () => {
    const [, command = ''] = await running.output.match(/Get a token:\n {2}(node .*)\n/)
    const { stdout: token } = await execute('sh', ['-c', command])
    const client = await connect(running.url, token.trim())
    expect((await client.listTools()).tools).toHaveLength(tools.length - 1)
    await client.close()
  })

  it('deletes an issue for an admin who confirms it', async () => {
    const admin = await connect(running.url, await mint('admin', 'eve'))
    admin.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { delete: true } }))
    expect((await admin.listTools()).tools.map(({ name }) => name)).toEqual(tools)
    const { structuredContent } = await admin.callTool({
      name: 'create_issue',
      arguments: { title: 'Old', label: 'docs' },
    })
    const { id, author } = structuredContent as { id: number; author: string }
    expect(author).toBe('eve')
    expect(await call(admin, 'delete_issue', { id })).toEqual({
      content: [{ type: 'text', text: `Deleted issue ${id}.` }],
    })
    await admin.close()
  })

  it('rejects tokens of other roles, audiences and keys', async () => {
    const token = await mint('reader')
    const reader = await connect(running.url, token)
    await expect(reader.callTool({ name: 'create_issue', arguments: { title: 'T', label: 'bug' } })).rejects.toThrow(
      'Forbidden: you are not allowed to use this',
    )
    await reader.close()
    const forged = `${token.slice(0, -8)}${token.endsWith('AAAAAAAA') ? 'BBBBBBBB' : 'AAAAAAAA'}`
    await expect(connect(running.url, forged)).rejects.toThrow(/401|Unauthorized/)
    await expect(mint('owner')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('reader|writer|admin'),
    })
  })
})

it('issue-tracker over stdio serves its user as an admin', async () => {
  const { client, close } = await connectSample('issue-tracker', { lane: 'stdio', era: 'legacy' })
  expect((await client.listTools()).tools).toHaveLength(tools.length)
  const { structuredContent } = await client.callTool({
    name: 'create_issue',
    arguments: { title: 'It crashes', label: 'bug' },
  })
  await close()
  expect(structuredContent).toMatchObject({ id: 1, author: userInfo().username })
})

describe('the start of issue-tracker', () => {
  it('fails on a Node without SQLite, and names its version', async () => {
    // Simulates such a version on a newer Node.
    const flags = isBuiltin('node:sqlite') ? ['--no-experimental-sqlite'] : []
    const program = [...flags, join(folder, 'dist', 'main.js')]
    const failed: unknown = await execute(process.execPath, program).catch((error: unknown) => error)
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`needs Node 22.13 or newer, but this is Node ${process.versions.node}.`),
    })
  })

  it('fails in production without an issuer', async () => {
    const { output, ended } = spawnSample('issue-tracker', [], { NODE_ENV: 'production' })
    await output.match(/1 problem found\.\n {2}1\. Set ISSUER to the identity provider .* \[bad-environment\]/)
    expect(await ended).toEqual({ code: 1, signal: null })
  })

  it('works with the variables of the image', async () => {
    const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8')
    const [, line = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? []
    const env = Object.fromEntries(line.split(' ').map((pair) => pair.split('='))) as Record<string, string>
    expect(env).toEqual({ NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '3000', DATABASE: '/data/issues.db' })
    expect(dockerfile).toContain('CMD ["node", "--enable-source-maps", "dist/main.js"]')
    const variables = { ISSUER: 'https://login.example.com', AUDIENCE: 'https://issues.example.com/mcp' }
    const running = await startSample('issue-tracker', { ...env, ...variables, PORT: '0', DATABASE: ':memory:' })
    const { status } = await fetch(`http://127.0.0.1:${running.url.port}/health/ready`)
    expect(status).toBe(200)
    expect(await running.stop()).toEqual({ code: 0, signal: null })
  })
})
