import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const program = join(__dirname, '..', 'fixtures', 'loaded', 'main.mjs')

/** The CommonJS packages that the program loaded until its input ended. */
async function packagesLoaded(...args: readonly string[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, PORT: '0' },
  })
  child.stdin.end()
  return JSON.parse(await text(child.stderr)) as readonly string[]
}

it('a server over stdio starts without Fastify', async () => {
  const loaded = await packagesLoaded('--stdio')

  expect(loaded).toContain('pino')
  const others = ['fastify', 'avvio', 'find-my-way']
  expect(loaded.filter((name) => others.includes(name))).toEqual([])
})

it('a server over stdio with TypeBox schemas loads only the packages for injection and logs', async () => {
  const loaded = await packagesLoaded('--stdio')

  const ofPino = [
    '@pinojs/redact',
    'atomic-sleep',
    'on-exit-leak-free',
    'pino-std-serializers',
    'quick-format-unescaped',
  ]
  const ofLogs = ['pino', 'safe-stable-stringify', 'sonic-boom', 'thread-stream', ...ofPino]
  const ofInjection = ['reflect-metadata', 'tslib', 'tsyringe']
  const ofPlugins = ['close-with-grace', 'fastify-plugin']
  expect(loaded.toSorted()).toEqual([...ofInjection, ...ofLogs, ...ofPlugins].toSorted())
})

it('a server over HTTP starts without the packages for WebSockets and skills', async () => {
  const loaded = await packagesLoaded()

  expect(loaded).toContain('fastify')
  const others = ['@fastify/websocket', 'mime-types', 'ws', 'yaml']
  expect(loaded.filter((name) => others.includes(name))).toEqual([])
})
