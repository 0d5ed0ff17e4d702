import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Output } from '../../../../test/support/output.js'

const program = join(__dirname, '..', 'fixtures', 'served', 'main.mjs')

/** The output of the program once it listens, and its URL. */
async function start(env: Record<string, string>): Promise<{ readonly said: string; readonly url: string }> {
  // An empty variable counts as unset.
  const child = spawn(process.execPath, [program], { env: { ...process.env, PORT: '0', HOST: '', ...env } })
  const exit = once(child, 'exit')
  const [said = '', url = ''] = await new Output([child.stdout]).match(/^\n.* serving MCP at (\S+)\n[^]*\n\n$/)
  child.kill('SIGTERM')
  await exit
  return { said, url }
}

const revisions = '2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05'
const headers = "-H 'content-type: application/json' -H 'mcp-protocol-version: 2025-11-25' \\\n    -d '{\"json"

it('the summary lists the features in the order of lists, and a curl command that calls one of them', async () => {
  const options = { path: '/ai', allowedHosts: ['mcp.example.com', 'other.example.com'] }
  const { said, url } = await start({ OPTIONS: JSON.stringify(options), CALLERS: 'known' })

  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ai$/)
  expect(said.slice(0, said.indexOf('rpc"'))).toBe(
    [
      '',
      `served 1.2.3 serving MCP at ${url}`,
      `  revisions  ${revisions}`,
      '  tools      read, write',
      '  prompts    plan, sum_up',
      '  resources  notes://a, notes://b, notes://{id}',
      '',
      'Try it, with your credentials:',
      `  curl -s '${url}' -H 'host: mcp.example.com' -H 'authorization: Bearer YOUR_KEY' ${headers}`,
    ].join('\n'),
  )
})

it('the variable ALLOWED_HOSTS allows hosts, unless the options do', async () => {
  const env = { HOST: '0.0.0.0', ALLOWED_HOSTS: 'mcp.example.com, ,other.example.com' }
  expect((await start(env)).said).toContain("-H 'host: mcp.example.com'")
  const options = { allowedHosts: ['own.example.com'] }
  expect((await start({ ...env, OPTIONS: JSON.stringify(options) })).said).toContain("-H 'host: own.example.com'")
})

it('the variable MCP_REVISIONS limits the revisions, unless the options do', async () => {
  const env = { MCP_REVISIONS: '2025-06-18, ,2025-11-25' }
  const { said } = await start(env)
  expect(said).toContain('  revisions  2025-11-25, 2025-06-18\n')
  expect(said).toContain(
    '-H \'mcp-protocol-version: 2025-11-25\' \\\n    -d \'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\'',
  )
  const options = { revisions: ['2026-07-28'] }
  expect((await start({ ...env, OPTIONS: JSON.stringify(options) })).said).toContain('  revisions  2026-07-28\n')
})

it('an unknown revision in MCP_REVISIONS is a boot problem that names the variable', async () => {
  const child = spawn(process.execPath, [program], { env: { ...process.env, MCP_REVISIONS: '2025-11-52' } })
  const exit = once(child, 'exit')

  expect(await text(child.stderr)).toContain(
    "MCP_REVISIONS has '2025-11-52', which does not exist. Did you mean 2025-11-25? [bad-option]",
  )
  expect(await exit).toEqual([1, null])
})

it.each([[[]], [['mcp.example.com', '127.0.0.1']], [['mcp.example.com', '*']]])(
  'the summary says that there are no features yet, with a curl command, and with the hosts %j',
  async (hosts) => {
    const options = hosts.length === 0 ? {} : { allowedHosts: hosts }
    const { said, url } = await start({ EMPTY: 'yes', OPTIONS: JSON.stringify(options) })

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    expect(said.slice(0, said.indexOf('rpc"'))).toBe(
      [
        '',
        `served 1.2.3 serving MCP at ${url}`,
        `  revisions  ${revisions}`,
        '  tools      none yet',
        '',
        'Try it:',
        `  curl -s '${url}' ${headers}`,
      ].join('\n'),
    )
  },
)

it.each(['1e3', '0x50', ' 80', '-1', '65536', '80.0'])('%p is rejected as a port', async (port) => {
  const child = spawn(process.execPath, [program], { env: { ...process.env, PORT: port } })
  const exit = once(child, 'exit')

  expect(await text(child.stderr)).toContain(`PORT is '${port}'. Give a number from 0 to 65535. [bad-option]`)
  expect(await exit).toEqual([1, null])
})
