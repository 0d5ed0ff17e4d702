import { type ExecFileException, execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startSample } from '../../../test/support/sample.js'
import { type FakeAnswer, startFakeOllama } from '../src/agent/fake-ollama.js'

const execute = promisify(execFile)
const folder = join(__dirname, '..')

/** The agent, as its user runs it, with a scripted model. */
async function ask(question: string, answers: readonly FakeAnswer[], env: Readonly<Record<string, string>> = {}) {
  const ollama = await startFakeOllama(answers)
  try {
    const { stdout, stderr } = await execute(process.execPath, [join(folder, 'dist', 'main.js'), question], {
      env: { ...process.env, OLLAMA_URL: ollama.url, ...env },
    })
    return { code: 0, stdout, stderr, requests: ollama.requests }
  } catch (error) {
    const { code, stdout, stderr } = error as ExecFileException & { stdout: string; stderr: string }
    return { code, stdout, stderr, requests: ollama.requests }
  } finally {
    ollama.close()
  }
}

const date = '2030-01-31'

it('agent passes its own tests', async () => {
  const { stdout } = await execute(process.execPath, ['--test', '--test-reporter=tap'], { cwd: join(folder, 'dist') })
  expect(stdout).toMatch(/# pass 10\n# fail 0\n# cancelled 0\n# skipped 0/)
})

it('agent without a question serves MCP clients, who act for its user with the printed key', async () => {
  const running = await startSample('agent')
  const [, key = ''] = await running.output.match(/x-api-key: (\S+)\n/)
  const namesWith = async (headers: Record<string, string>): Promise<readonly string[]> => {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    await client.connect(new StreamableHTTPClientTransport(running.url, { requestInit: { headers } }))
    const { tools } = await client.listTools()
    await client.close()
    return tools.map(({ name }) => name)
  }
  expect(await namesWith({})).toEqual(['find_rooms'])
  expect(await namesWith({ 'x-api-key': key })).toEqual(['book_room', 'find_rooms'])
  expect(await running.stop()).toEqual({ code: 0, signal: null })
})

describe('agent with a question', () => {
  it('prints the calls and the answer that its README shows', async () => {
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    const [, question = ''] = /main\.js "(.*)"/.exec(readme) ?? []
    const [, shown] = /```text\n([^`]*)```/.exec(readme) ?? []
    const { code, stdout, stderr, requests } = await ask(question, [
      [['find_rooms', { date, seats: 6 }]],
      [['book_room', { room: 'Hopper', date }]],
      `Hopper is booked for ${date}.`,
    ])
    expect([code, stderr + stdout]).toEqual([0, shown])
    expect(stdout).toBe(`Hopper is booked for ${date}.\n`)
    expect(requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: question })
  })

  it('offers the tools of the roles in ROLES, and ends after MAX_STEPS', async () => {
    const cancel: FakeAnswer = [['cancel_booking', { room: 'Hopper', date }]]
    const { code, stderr, requests } = await ask('Cancel all', [cancel, cancel, 'Done.'], {
      ROLES: 'manager',
      MAX_STEPS: '2',
    })
    expect(requests[0]?.tools.map((tool) => tool.function.name)).toContain('cancel_booking')
    expect([code, stderr.split('\n').at(-2)]).toEqual([
      1,
      'The model has no answer after 2 steps. Ask for less, or raise MAX_STEPS.',
    ])
  })

  it('names the URL that cannot be reached, without a stack', async () => {
    const closed = await startFakeOllama([])
    closed.close()
    expect(await ask('Anything', [], { OLLAMA_URL: closed.url })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `No model at ${closed.url} (ECONNREFUSED). Start Ollama with \`ollama serve\`, or set OLLAMA_URL.\n`,
    })
  })
})
