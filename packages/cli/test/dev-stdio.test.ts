import { Client } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Output } from '../../../test/support/output.js'
import { until } from '../../../test/support/until.js'
import { DevProject, program } from './support/dev-project.js'
import { CallingClient, editTwentyTimes, medianOf } from './support/edit-twenty-times.js'

let project: DevProject
let clients: Client[]

beforeEach(() => {
  project = new DevProject()
  clients = []
})

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  project.remove()
})

interface Connected {
  readonly client: Client
  readonly output: Output
  /** Errors of the client, such as a line that is not a message. */
  readonly errors: Error[]
  readonly changes: { count: number }
}

async function connect(mode: 'legacy' | 'auto'): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'dev', '--stdio', '--no-types'],
    cwd: project.folder,
    env: getDefaultEnvironment(),
    stderr: 'pipe',
  })
  const changes = { count: 0 }
  const onChanged = (): void => void changes.count++
  const client = new Client(
    { name: `${mode}-client`, version: '1.0.0' },
    { versionNegotiation: { mode }, listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } },
  )
  const errors: Error[] = []
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way
  client.onerror = (error) => errors.push(error)
  clients.push(client)
  const output = new Output(transport.stderr === null ? [] : [transport.stderr])
  await client.connect(transport)
  return { client, output, errors, changes }
}

describe('toolwright dev over stdio', () => {
  it.each(['legacy', 'auto'] as const)('serves a client (%s) over 20 edits without a lost call', async (mode) => {
    const { client, output, errors, changes } = await connect(mode)
    const calling = new CallingClient(mode, client, output)

    const waited = await editTwentyTimes(project, [calling])
    await until(() => changes.count >= 2)
    await calling.stop()

    expect(calling.lost).toEqual([])
    expect(calling.calls).toBeGreaterThan(20)
    expect(errors).toEqual([])
    expect(output.text.match(/the previous version keeps serving/g)).toHaveLength(4)
    expect(medianOf(waited)).toBeLessThan(2000)
    console.log(`median of ${waited.length} reloads: ${medianOf(waited).toFixed(0)} ms, calls: ${calling.calls}`)
  })
})
