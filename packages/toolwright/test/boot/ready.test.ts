import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Output } from '../../../../test/support/output.js'
import { until } from '../../../../test/support/until.js'

const program = join(__dirname, '..', 'fixtures', 'ready', 'main.mjs')

function start(...args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...args], { env: { ...process.env, PORT: '0' } })
}

interface Reached {
  readonly transport: Transport
  readonly end: () => Promise<unknown>
}

async function reachOverHttp(): Promise<Reached> {
  const child = start()
  const exit = once(child, 'exit')
  const [, url = ''] = await new Output([child.stdout, child.stderr]).match(/serving MCP at (\S+)\n/)
  const end = (): Promise<unknown> => {
    child.kill('SIGTERM')
    return exit
  }
  return { transport: new StreamableHTTPClientTransport(new URL(url)), end }
}

async function reachOverStdio(): Promise<Reached> {
  const args = [program, '--stdio']
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: getDefaultEnvironment(),
    stderr: 'ignore',
  })
  return Promise.resolve({ transport, end: async () => Promise.resolve() })
}

const eras = [
  ['modern', { pin: '2026-07-28' }],
  ['legacy', 'legacy'],
] as const
const lanes = [
  ['HTTP', reachOverHttp],
  ['stdio', reachOverStdio],
] as const

describe.each(lanes.flatMap(([lane, reach]) => eras.map(([era, mode]) => ({ lane, reach, era, mode }))))(
  'a program with serve, over $lane, $era',
  ({ reach, era, mode }) => {
    it('adds features before its first client connects, and notifies clients of features added later', async () => {
      const { transport, end } = await reach()
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
      await client.connect(transport)
      const names = async () => (await client.listTools()).tools.map(({ name }) => name)
      let told = 0
      client.setNotificationHandler('notifications/tools/list_changed', () => void told++)
      if (era === 'modern') await client.listen({ toolsListChanged: true })

      expect(client.getServerCapabilities()).toMatchObject({ prompts: {} })
      expect(await names()).toEqual(['begin', 'fetched'])
      expect((await client.callTool({ name: 'fetched' })).content).toEqual([{ type: 'text', text: 'fetched' }])
      await client.callTool({ name: 'begin' })
      await until(() => told === 1)
      expect(await names()).toEqual(['bake', 'begin', 'fetched'])
      await client.close()
      await end()
    })
  },
)

it('serve lists features that onReady added in its summary', async () => {
  const child = start()
  const exit = once(child, 'exit')
  const output = new Output([child.stdout])
  await output.match(/ {2}tools {6}begin, fetched\n {2}prompts {4}plan\n/)
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})

it('serve answers stdio messages that came before it was ready, and redirects output of onReady to stderr', async () => {
  const child = start('--stdio')
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetched"}}\n')
  expect(JSON.parse(await stdout)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'fetched' }] },
  })
  expect(await stderr).toBe('fetching\nclosed\n')
})

it('serve waits for onClose before it ends, also on a signal', async () => {
  const child = start()
  const [stderr, exit] = [text(child.stderr), once(child, 'exit')]
  await new Output([child.stdout]).match(/serving MCP at (\S+)\n/)
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
  expect(await stderr).toBe('closed\n')
})

it('serveStdio ends with its input, also when onClose hangs', async () => {
  const child = start('--stdio', '--hang')
  const [stderr, exit] = [text(child.stderr), once(child, 'exit')]
  child.stdin.end()
  expect(await exit).toEqual([1, null])
  expect(await stderr).toMatch('"msg":"closing took too long: the process ends"')
})

it.each([['HTTP'], ['stdio', '--stdio']])('serve does not start over %s when onReady fails', async (_, ...args) => {
  const child = start('--fail', ...args)
  const [stdout, stderr, exit] = [text(child.stdout), text(child.stderr), once(child, 'exit')]
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  expect(await exit).toEqual([1, null])
  expect(await stderr).toMatch('Error: the database is down\n')
  expect(await stdout).toBe(args.length === 0 ? 'fetching\n' : '')
})
