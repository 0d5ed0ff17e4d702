import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { until } from '../../../test/support/until.js'
import { DevProcess, DevProject } from './support/dev-project.js'
import { CallingClient, editTwentyTimes, medianOf } from './support/edit-twenty-times.js'

let project: DevProject
let dev: DevProcess

beforeEach(() => {
  project = new DevProject()
})

afterEach(async () => {
  await dev.stop()
  project.remove()
})

async function connect(url: URL, mode: 'legacy' | 'auto', options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: `${mode}-client`, version: '1.0.0' }, { versionNegotiation: { mode }, ...options })
  await client.connect(new StreamableHTTPClientTransport(url))
  return client
}

describe('toolwright dev over HTTP', () => {
  it('serves clients of both eras over 20 edits without a lost call', async () => {
    dev = DevProcess.start(project)
    const url = await dev.url()
    const changes = { legacy: 0, auto: 0 }
    const clients = await Promise.all(
      (['legacy', 'auto'] as const).map(async (mode) => {
        const onChanged = (): void => void changes[mode]++
        const client = await connect(url, mode, {
          listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
        })
        return new CallingClient(mode, client, dev.output)
      }),
    )

    const waited = await editTwentyTimes(project, clients)
    await until(() => changes.legacy >= 2 && changes.auto >= 2)
    await Promise.all(clients.map((client) => client.stop()))

    expect(clients.map(({ lost }) => lost)).toEqual([[], []])
    for (const { calls } of clients) expect(calls).toBeGreaterThan(20)
    expect(dev.output.text.match(/the previous version keeps serving/g)).toHaveLength(4)
    // Generous, for machines under load.
    expect(medianOf(waited)).toBeLessThan(2000)
    const calls = clients.map((client) => client.calls).join(' and ')
    console.log(`median of ${waited.length} reloads: ${medianOf(waited).toFixed(0)} ms, calls: ${calls}`)
    await Promise.all(clients.map(({ client }) => client.close()))
  })
})
