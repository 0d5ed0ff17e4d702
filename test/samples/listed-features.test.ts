// All lists of a sample are valid in every revision: each frame is validated against the official schema. Then the sample is closed
// while a session is open, and leaves no timers, sockets, workers or child processes.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { supportedVersions } from '@toolwright/core/host'
import { frames } from '../support/frames/frames.js'
import { watchTransport } from '../support/frames/watch-transport.js'
import { type SampleProcess, startSample } from '../support/sample.js'
import { leftOpenBy, reportingLeftovers } from './leftovers.js'

const folder = join(__dirname, '..', '..', 'samples')
// Without a login in a browser, the sample login lists nothing. Its own test has this login.
const samples = readdirSync(folder).filter(
  (name) => name !== 'login' && existsSync(join(folder, name, 'src', 'main.ts')),
)

/** Keys of samples that have no open features, as variable and header. */
const keys: Readonly<Record<string, string>> = { 'several-servers': 'the-key-of-ada-test' }

async function connectIn(
  version: string,
  { url, key }: { readonly url: URL; readonly key: string | undefined },
): Promise<Client> {
  const options =
    version === supportedVersions[0]
      ? { versionNegotiation: { mode: { pin: version } } }
      : { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [version] }
  const client = new Client({ name: 'lister', version: '1.0.0' }, options as never)
  await watchTransport(
    new StreamableHTTPClientTransport(url, key === undefined ? {} : { requestInit: { headers: { 'x-api-key': key } } }),
  ).connect(client)
  return client
}

/** Lists all features, reads each resource, and gets each prompt. */
async function useEverything(client: Client): Promise<readonly string[]> {
  const { tools, prompts, resources: canRead } = client.getServerCapabilities() ?? {}
  const names: string[] = []
  if (tools !== undefined) names.push(...(await client.listTools()).tools.map(({ name }) => name))
  if (prompts !== undefined) {
    for (const prompt of (await client.listPrompts()).prompts) {
      names.push(prompt.name)
      const args = Object.fromEntries(
        (prompt.arguments ?? []).map(({ name }) => [name, name.endsWith('Uri') ? 'test://1' : '1']),
      )
      // A prompt that asks the user returns an error here, because this client has no capabilities.
      // oxlint-disable-next-line no-await-in-loop
      await client.getPrompt({ name: prompt.name, arguments: args }).catch(() => undefined)
    }
  }
  if (canRead !== undefined) {
    const { resourceTemplates } = await client.listResourceTemplates()
    names.push(...resourceTemplates.map(({ uriTemplate }) => uriTemplate))
    for (const { uri } of (await client.listResources()).resources) {
      names.push(uri)
      // oxlint-disable-next-line no-await-in-loop
      await client.readResource({ uri })
    }
  }
  return names
}

describe.each(samples)('the sample %s', (sample) => {
  const key = keys[sample]
  let program: SampleProcess & { url: URL }

  beforeAll(async () => {
    program = await startSample(sample, { ...reportingLeftovers, ...(key === undefined ? {} : { ADA_KEY: key }) })
  })
  afterAll(() => program.stop())

  it.each(supportedVersions)('%s lists and serves messages that are valid by the official schema', async (version) => {
    const judgedBefore = frames.judged
    const client = await connectIn(version, { url: program.url, key })
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    const names = await useEverything(client)
    await client.close()
    expect(names).not.toEqual([])
    // The handshake and each list, repeatedly: requests and responses, as messages and as their types.
    expect(frames.judged - judgedBefore).toBeGreaterThanOrEqual(8)
  })

  it('leaves nothing open when it is closed during a session', async () => {
    const client = await connectIn('2025-11-25', { url: program.url, key })
    await client.listTools().catch(() => undefined)
    await program.stop()
    await client.close()
    expect(await leftOpenBy(program)).toEqual([])
  })
})
