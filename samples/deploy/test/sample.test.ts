import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { defaultLimits } from 'toolwright'
import { RedisServer } from '../../../packages/redis/test/support/redis-server.js'
import { describeProgram } from '../../../test/support/program-behaviour.js'
import { call, connectSample, programLanes, type SampleProcess, startSample } from '../../../test/support/sample.js'
import { until } from '../../../test/support/until.js'

const folder = join(__dirname, '..')

describeProgram('deploy', ['read_note', 'track_order', 'write_invoice'])

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8')
}

/** The command of an image, and its environment variables. */
function readImage(): { readonly command: readonly string[]; readonly env: Record<string, string> } {
  const dockerfile = read('Dockerfile')
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? []
  const [, env = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? []
  return {
    command: JSON.parse(command) as string[],
    env: Object.fromEntries(env.split(' ').map((pair) => pair.split('='))) as Record<string, string>,
  }
}

describe.each(programLanes)('deploy over $lane, $era', (lane) => {
  it('serves its tools, and marks third-party text', async () => {
    const sample = await connectSample('deploy', lane)
    expect(await call(sample.client, 'track_order', { order: '42' })).toEqual({
      content: [{ type: 'text', text: 'Order 42 is on its way.' }],
    })
    const note = await sample.client.callTool({ name: 'read_note', arguments: { order: '42' } })
    expect(note._meta).toMatchObject({ 'toolwright/untrusted': true })
    await sample.close()
  })
})

describe('the configuration of deploy', () => {
  it('is rejected with all errors before the port opens', () => {
    const program = spawnSync(process.execPath, [join(folder, 'dist', 'main.js')], {
      env: { ...process.env, PORT: '0', LOG_LEVEL: 'loud', MAX_IN_FLIGHT: 'many', SHOP_URL: 'secret' },
      encoding: 'utf8',
    })
    expect(program.status).toBe(1)
    expect(program.stderr).toContain(
      'BootError: The server cannot start: 3 problems found.\n' +
        '  1. The environment variable LOG_LEVEL must be one of "debug", "info", "warn", "error". [bad-environment]\n' +
        '  2. The environment variable MAX_IN_FLIGHT must be an integer. [bad-environment]\n' +
        '  3. The environment variable SHOP_URL must match the pattern "^https?://" (a shop that must be available). [bad-environment]',
    )
    expect(program.stderr).not.toContain('secret')
  })
})

it('deploy prints a working curl command if its address is not an allowed host', async () => {
  const program = await startSample('deploy', { ALLOWED_HOSTS: 'mcp.example.com,b.example.com' })
  const [command] = await program.output.match(/curl .*\\\n.*\n/)
  const answer = JSON.parse(execFileSync('sh', ['-c', command], { encoding: 'utf8' })) as object
  await program.stop()

  expect(answer).toMatchObject({ result: { tools: expect.any(Array) } })
})

describe('the probes of deploy', () => {
  let shop: Server
  let running: SampleProcess & { url: URL }
  let isOpen = true

  beforeAll(async () => {
    shop = createServer((_request, response) => response.writeHead(isOpen ? 200 : 500).end())
    await new Promise<void>((resolve) => {
      shop.listen(0, '127.0.0.1', resolve)
    })
    const { port } = shop.address() as AddressInfo
    running = await startSample('deploy', { SHOP_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: 'error' })
  })

  afterAll(async () => {
    await running.stop()
    shop.close()
  })

  const probe = async (name: string): Promise<number> => (await fetch(new URL(`/health/${name}`, running.url))).status

  it('are ready while the shop is reachable', async () => {
    expect([await probe('live'), await probe('ready')]).toEqual([200, 200])
    isOpen = false
    // A result is cached for a second.
    await until(async () => (await probe('ready')) === 503)
    expect(await probe('live')).toBe(200)
  })
})

describe('two processes of deploy with one Redis', () => {
  const redis = RedisServer.forTests()

  it('share sessions, and are not ready while Redis is down', async () => {
    const env = { REDIS_URL: redis.url, LOG_LEVEL: 'error' }
    const [one, other] = [await startSample('deploy', env), await startSample('deploy', env)]
    const send = ({ url }: { url: URL }, message: object, headers = {}): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      })
    const clientInfo = { name: 'test', version: '1.0.0' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const opened = await send(one, { method: 'initialize', params })
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }

    expect((await send(other, { method: 'ping' }, session)).status).toBe(200)
    expect((await send(other, { method: 'ping' }, { 'mcp-session-id': 'unknown' })).status).toBe(404)
    redis.proxy.goAway()
    await until(async () => (await fetch(new URL('/health/ready', one.url))).status === 503)

    expect(await Promise.all([one.stop(), other.stop()])).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ])
  })
})

describe('the image of deploy', () => {
  it('runs the program directly, on every address, as an unprivileged user', async () => {
    const { command, env } = readImage()
    expect(command).toEqual(['node', '--enable-source-maps', 'dist/main.js'])
    expect(env).toEqual({ NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '3000' })
    expect(read('Dockerfile')).toMatch(/^USER node$/m)
    const program = await startSample('deploy', { ...env, PORT: '0' })
    const { port } = program.url
    const ask = (host: string) => fetch(`http://127.0.0.1:${port}/mcp`, { method: 'PUT', headers: { host } })
    // Every allowed host name reaches the endpoint, which responds with 405.
    expect((await ask(`127.0.0.1:${port}`)).status).toBe(405)
    expect(await program.stop()).toEqual({ code: 0, signal: null })
  })

  it('has a longer stop timeout than the drain timeout of calls', () => {
    const [, seconds = '0'] = /stop_grace_period: (\d+)s/.exec(read('compose.yaml')) ?? []
    const [, milliseconds = '0'] = /drainTimeoutMs: ([\d_]+)/.exec(read('src/main.ts')) ?? []
    expect(Number(seconds) * 1000).toBeGreaterThan(Number(milliseconds.replaceAll('_', '')) + 500)
  })
})

// test/soak/proxy.mjs runs a real nginx with this configuration.
describe('the proxy of deploy', () => {
  const directives = read('nginx.conf')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.endsWith(';'))

  it('passes on events, the client address and the host', () => {
    expect(directives).toEqual(
      expect.arrayContaining([
        'proxy_buffering off;',
        'proxy_http_version 1.1;',
        'proxy_set_header Host $host;',
        'proxy_set_header X-Forwarded-For $remote_addr;',
        'proxy_set_header X-Forwarded-Host $host;',
        'proxy_set_header X-Forwarded-Proto $scheme;',
      ]),
    )
  })

  it('waits longer than the time limit of a call', () => {
    const [, seconds = '0'] = /proxy_read_timeout (\d+)s;/.exec(read('nginx.conf')) ?? []
    expect(Number(seconds) * 1000).toBeGreaterThan(defaultLimits.callTimeoutMs)
  })

  it('accepts messages up to the limit of the server', async () => {
    const [, kibibytes = '0'] = /client_max_body_size (\d+)k;/.exec(read('nginx.conf')) ?? []
    const program = await startSample('deploy')
    const statusOf = async (bytes: number): Promise<number> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }).padStart(bytes)
      const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' }
      return (await fetch(program.url, { method: 'POST', headers, body })).status
    }

    expect([await statusOf(Number(kibibytes) * 1024), await statusOf(Number(kibibytes) * 1024 + 1)]).toEqual([200, 413])
    await program.stop()
  })
})
