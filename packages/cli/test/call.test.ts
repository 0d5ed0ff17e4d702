import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SampleProcess, startSample } from '../../../test/support/sample.js'
import { until } from '../../../test/support/until.js'
import { nodeOptions, runCommand, sampleProgram, startCommand } from './run-command.js'

const eras = ['modern', 'legacy'] as const

type Server = SampleProcess & { url: URL }

const servers = new Map<string, Promise<Server>>()

/** Starts a sample on first use. */
function urlOf(sample: string): Promise<string> {
  const server = servers.get(sample) ?? startSample(sample)
  servers.set(sample, server)
  return server.then(({ url }) => url.href)
}

afterAll(async () => {
  const started = await Promise.all(servers.values())
  await Promise.all(started.map((server) => server.stop()))
})

/** Arguments that name a sample's server. */
const lanes = {
  http: async (sample: string) => ({ before: [await urlOf(sample)], after: [] }),
  stdio: (sample: string) =>
    Promise.resolve({ before: [], after: ['--', process.execPath, ...nodeOptions, sampleProgram(sample), '--stdio'] }),
}

const matrix = (['http', 'stdio'] as const).flatMap((lane) => eras.map((era) => ({ lane, era })))

describe.each(matrix)('toolwright call over $lane, $era,', ({ lane, era }) => {
  async function call(sample: string, ...args: readonly string[]) {
    const { before, after } = await lanes[lane](sample)
    return runCommand(['call', ...before, ...args, '--era', era, ...after])
  }

  it('prints the structured result of the calculator', async () => {
    expect(await call('calculator', 'add_numbers', '--a', '1', '--b', '-2.5')).toEqual({
      code: 0,
      stdout: '{\n  "sum": -1.5\n}\n',
      stderr: '',
    })
  })

  it('answers the questions of the hotel', async () => {
    const answers = ['--answer', '{"name":"Ann"}', '--answer', '{"breakfast":"buffet"}']
    const { code, stdout, stderr } = await call('interactive', 'book_room', '--nights=2', ...answers)
    expect(stdout).toMatch(/^Booking [-\w]+: Ann, 2 nights, 180 euros paid, breakfast: buffet\.\n$/)
    expect(stderr).toContain('The server asks: A room for 2 nights costs 180 euros. Who books it?')
    expect(code).toBe(0)
  })

  it('waits for the task of the film laboratory sample', async () => {
    const { code, stdout, stderr } = await call('tasks', 'render', '--title', 'Faust', '--frames', '2')
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Rendered 'Faust': 2 frames.\n" })
    // Tasks are a feature of the modern era.
    expect(stderr).toBe(era === 'modern' ? 'Task working\nTask completed\n' : '')
  })
})

/** Outcome of a call of `test_wait`: `unknown` until it has arrived. */
async function outcomeOf(url: string, key: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'test_wait_outcome', arguments: { key } },
    }),
  })
  const { result } = (await response.json()) as { result: { content: { text: string }[] } }
  return result.content[0]?.text ?? ''
}

/** A port on which no server listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('toolwright call', () => {
  it('declines a question without a terminal, and says so', async () => {
    const { code, stdout, stderr } = await runCommand([
      'call',
      await urlOf('interactive'),
      'book_room',
      '--nights',
      '1',
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Nothing was booked.\n' })
    expect(stderr).toContain('Declined: there is no terminal. Pass --answer JSON to answer.')
  })

  it('answers a question that a task asks', async () => {
    const args = [await urlOf('tasks'), 'order', '--title', 'Dracula', '--answer', '{"frames":1}']
    const { code, stdout } = await runCommand(['call', ...args])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Rendered 'Dracula': 1 frames.\n" })
  })

  it.each(eras)('cancels the call at Ctrl+C, %s', async (era) => {
    const url = await urlOf('everything')
    const command = startCommand(['call', url, 'test_wait', '--key', era, '--ms', '600000', '--era', era])
    await until(async () => (await outcomeOf(url, era)) === 'running')
    command.child.kill('SIGINT')
    expect(await command.ended).toMatchObject({ code: 130, stderr: '0 of 600000\nCancelled.\n' })
    await until(async () => (await outcomeOf(url, era)) === 'aborted')
  })

  it('shows log messages on stderr, and saves an image', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwright-call-'))
    const url = await urlOf('everything')
    const [logged, image] = await Promise.all([
      runCommand(['call', url, 'test_tool_with_logging']),
      runCommand(['call', url, 'test_image_content', '--output', join(folder, 'pixel.png')]),
    ])
    const signature = readFileSync(join(folder, 'pixel.png')).subarray(1, 4).toString()
    rmSync(folder, { recursive: true })
    expect(logged.stderr).toContain('info    Tool execution started\n')
    expect(logged.stdout).toBe('Sent three log messages.\n')
    expect(image.stdout).toBe('[image image/png, 70 bytes]\n')
    expect(signature).toBe('PNG')
  })

  it('reads arguments from JSON, a file and standard input', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwright-call-'))
    const file = join(folder, 'arguments.json')
    writeFileSync(file, '{"a":1,"b":2}')
    const url = await urlOf('calculator')
    const results = await Promise.all([
      runCommand(['call', url, 'add_numbers', '{"a":1,"b":2}', '--json']),
      runCommand(['call', url, 'add-numbers', `@${file}`, '--json']),
      runCommand(['call', 'add_numbers', url, '-', '--json'], { input: '{"a":1,"b":2}' }),
    ])
    rmSync(folder, { recursive: true })
    for (const { code, stdout } of results) {
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ structuredContent: { sum: 3 } })
    }
  })

  it('ends with 1 and the message of a tool that failed', async () => {
    const args = [await urlOf('calculator'), 'divide', '--dividend', '1', '--divisor', '0']
    const [text, raw] = await Promise.all([runCommand(['call', ...args]), runCommand(['call', ...args, '--json'])])
    expect(text).toEqual({ code: 1, stdout: '', stderr: 'Cannot divide by 0. Give another divisor.\n' })
    expect(raw.code).toBe(1)
    expect(JSON.parse(raw.stdout)).toMatchObject({ isError: true })
  })

  it('ends with 2 if the server cannot be reached or started', async () => {
    const url = await urlOf('calculator')
    const closed = await closedPort()
    const [refused, missing, program] = await Promise.all([
      runCommand(['call', `http://127.0.0.1:${closed}/mcp`, 'add_numbers']),
      runCommand(['call', url.replace('/mcp', '/other'), 'add_numbers']),
      runCommand(['list', '--', process.execPath, '-e', 'console.error("no license"); process.exit(3)']),
    ])
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('/mcp: the connection was refused'),
    })
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing at /other (404)') })
    expect(program).toMatchObject({ code: 2, stderr: expect.stringContaining('no license') })
  })

  it('ends with 64 for a wrong command line, and names what is wrong', async () => {
    const url = await urlOf('calculator')
    const [tool, flag, value, missing] = await Promise.all([
      runCommand(['call', url, 'add_number']),
      runCommand(['call', url, 'divide', '--dividand', '1']),
      runCommand(['call', url, 'divide', '--dividend', 'one']),
      runCommand(['call', url, 'divide', '--dividend', '1']),
    ])
    expect(tool).toMatchObject({
      code: 64,
      stderr: "The server has no tool 'add_number'. Did you mean 'add_numbers'?\n",
    })
    expect(flag).toMatchObject({ code: 64, stderr: 'Unknown argument --dividand. Did you mean --dividend?\n' })
    expect(value).toMatchObject({ code: 64, stderr: "--dividend is 'one': it must be a number.\n" })
    expect(missing).toMatchObject({
      code: 64,
      stderr: 'Missing arguments of divide:\n  --divisor  number  Number to divide by; not 0\n',
    })
  })
})

describe('toolwright list', () => {
  it('lists the tools of the project in the folder, from its sources', async () => {
    const { code, stdout } = await runCommand(['list'], { cwd: join(sampleProgram('calculator'), '..', '..') })
    expect(stdout).toContain('calculator 1.0.0, revision 2026-07-28\n\nTools: 6\n')
    expect(stdout).toMatch(/^ {2}add_numbers +a b +Adds two numbers and returns the sum$/m)
    expect(code).toBe(0)
  })

  it('lists the tools of a project that offers older revisions only', async () => {
    const cwd = join(sampleProgram('calculator'), '..', '..')
    const { code, stdout } = await runCommand(['list'], { cwd, env: { MCP_REVISIONS: '2025-11-25' } })
    expect(stdout).toContain('calculator 1.0.0, revision 2025-11-25\n\nTools: 6\n')
    expect(code).toBe(0)
  })

  it('prints all lists as JSON', async () => {
    const { stdout } = await runCommand(['list', await urlOf('everything'), 'all', '--json', '--era', 'legacy'])
    const lists = JSON.parse(stdout) as Record<string, { name: string }[]>
    expect(Object.keys(lists)).toEqual(['tools', 'prompts', 'resources', 'resourceTemplates'])
    expect(lists['prompts']?.map(({ name }) => name)).toContain('test_simple_prompt')
  })

  it('prints the problems of a project as the framework does, without a stack', async () => {
    const cwd = join(sampleProgram('calculator'), '..', '..', '..', '..', 'docs', 'snippets')
    const { code, stderr } = await runCommand(['list', 'dist/broken/main.js'], { cwd })
    expect(stderr).toMatch(/^The server cannot start: \d+ problems? found\.\n {2}1\. /)
    expect(stderr).not.toMatch(/^ +at /m)
    expect(code).toBe(2)
  })
})
