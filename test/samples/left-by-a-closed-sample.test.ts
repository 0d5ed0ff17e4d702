// A closed sample leaves no timers, sockets, workers or child processes.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startSample } from '../support/sample.js'

const folder = join(__dirname, '..', '..', 'samples')
const samples = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'src', 'main.ts')))
const reporter = pathToFileURL(join(__dirname, 'report-leftovers.mjs')).href

/** Opens a session with a stream, lists the tools, and stops the sample while the session is open. */
async function leftBy(sample: string, ...imports: readonly string[]): Promise<readonly string[]> {
  const options = [reporter, ...imports].map((url) => `--import=${url}`)
  const running = await startSample(sample, { NODE_OPTIONS: options.join(' ') })
  const client = new Client({ name: 'lister', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  // Samples with authentication reject the client.
  const isConnected = await client.connect(new StreamableHTTPClientTransport(running.url)).then(
    () => true,
    () => false,
  )
  if (isConnected) await client.listTools().catch(() => undefined)
  await running.stop()
  await client.close()
  const [, left = ''] = await running.output.match(/^left: (.*)$/m)
  // The official client closes a program with a timer of two seconds, which it does not clear and which keeps no process alive.
  return (JSON.parse(left) as string[]).filter((stack) => !/modelcontextprotocol.client.dist.stdio/.test(stack))
}

test.each(samples)('%s', async (sample) => {
  expect(await leftBy(sample)).toEqual([])
})

test('a timer that a program leaves is reported', async () => {
  const [left, ...others] = await leftBy('hello', 'data:text/javascript,setInterval(()=>{},1e6).unref()')
  expect([left?.split(' ')[0], others]).toEqual(['Timeout', []])
})
