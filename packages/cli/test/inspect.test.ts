import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type SampleProcess, startSample } from '../../../test/support/sample.js'
import { type RunningCommand, runCommand, startCommand } from './run-command.js'

describe('toolwright inspect', () => {
  let sample: SampleProcess & { url: URL }
  let command: RunningCommand
  /** Header with the token of the page. */
  let own: Record<string, string>

  beforeAll(async () => {
    sample = await startSample('calculator')
  })

  afterAll(() => sample.stop())

  afterEach(async () => {
    command.child.kill('SIGTERM')
    const { code } = await command.ended
    if (code !== 0) throw new Error(`the command ended with ${String(code)}`)
  })

  /** Starts the command, and resolves to the origin of its page. */
  async function inspect(...args: readonly string[]): Promise<string> {
    command = startCommand(['inspect', ...args])
    const printed = /(http:\/\/127\.0\.0\.1:\d+)\/inspector#token=(\w{32})\n/
    const [, origin = '', token = ''] = await command.stdout.match(printed)
    own = { 'inspector-token': token }
    return origin
  }

  it.each(['modern', 'legacy'] as const)('serves the page, and forwards calls of the %s era', async (era) => {
    const origin = await inspect(sample.url.href)
    const page = await (await fetch(`${origin}/inspector`)).text()
    expect(page).toContain(`data-target="${sample.url.href}"`)
    expect(page).toContain('data-report="false"')
    const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers: own } }))
    const { structuredContent } = await client.callTool({ name: 'add_numbers', arguments: { a: 1, b: 2 } })
    expect(structuredContent).toEqual({ sum: 3 })
    await client.close()
  })

  it('forwards only requests of the inspector page', async () => {
    const origin = await inspect(sample.url.href)
    const response = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { ...own, origin: 'https://evil.example.com' },
    })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('another origin')
  })

  it('adds the given headers, and forwards neither cookies nor a redirect', async () => {
    const received: Record<string, unknown>[] = []
    const target: Server = createServer(({ headers, url }, response) => {
      received.push({ url, ...headers })
      response.writeHead(307, { location: 'http://192.0.2.1/elsewhere' }).end()
    }).listen(0, '127.0.0.1')
    await once(target, 'listening')
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/mcp?tenant=1`
    const origin = await inspect(url, '--header', 'x-api-key: secret', '--bearer', 'token')
    const response = await fetch(`${origin}/mcp?tenant=2`, {
      method: 'POST',
      headers: { ...own, cookie: 'a=b', 'mcp-method': 'tools/list', 'content-type': 'application/json' },
      body: '{}',
    })
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 502,
      body: { error: 'The server redirects to http://192.0.2.1/elsewhere. Inspect that URL instead.' },
    })
    expect(received).toEqual([
      expect.objectContaining({
        url: '/mcp?tenant=1',
        'x-api-key': 'secret',
        authorization: 'Bearer token',
        'mcp-method': 'tools/list',
      }),
    ])
    expect(received[0]).not.toHaveProperty('cookie')
    expect(received[0]).not.toHaveProperty('inspector-token')
    target.closeAllConnections()
    target.close()
  })
})

it.each([
  [['inspect'], 'The URL of a server is missing'],
  [['inspect', 'src/main.ts'], "'src/main.ts' is not a URL of a server"],
  [['inspect', 'http://127.0.0.1:1/mcp', '--port', 'x'], "--port is 'x'"],
])('toolwright %j names the fix', async (args, message) => {
  const { code, stderr } = await runCommand(args)
  expect(code).toBe(64)
  expect(stderr).toContain(message)
})
