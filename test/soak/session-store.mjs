// A real Redis that hangs, crashes, recovers, and contains a value that is not a session. Needs `redis-server`, on the
// PATH or in the variable REDIS_SERVER; without it, the run is skipped with a message.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { connectRedis } from '@toolwright/redis'
import { createHost } from 'toolwright'
import { call, keepAlive, legacy, modern, openSession, readFlags } from './program.mjs'

const flags = readFlags({ rounds: 3, 'outage-ms': 2000 })
const { REDIS_SERVER = 'redis-server' } = process.env
const storeTimeoutMs = 1000

if (spawnSync(REDIS_SERVER, ['--version']).error !== undefined) {
  process.stdout.write(`${JSON.stringify({ notRun: `there is no ${REDIS_SERVER}` })}\n`)
} else await run()

async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  const port = await freePort()
  const redis = { process: startRedis(port, folder) }
  const url = `redis://127.0.0.1:${port}`
  const client = createClient({ url }).on('error', () => undefined)
  await client.connect()
  const nodes = await connectRedis({ url })
  const host = await createHost({
    name: 'soak',
    version: '1.0.0',
    controllers: [],
    ...nodes.stores,
    limits: { storeTimeoutMs },
    fastify: { logger: false },
  })
  host.mcp.catalog.addTool({ name: 'quick', handler: () => 'done' })
  const endpoint = new URL(`${await host.listen({ port: 0, host: '127.0.0.1' })}/mcp`)
  const session = await openSession(endpoint)
  const key = `toolwright:{${session['mcp-session-id']}}:session`
  const good = await client.get(key)
  const ttlMs = 600_000

  /** The failures of the store, and their repair. */
  const errors = {
    hangs: [() => redis.process.kill('SIGSTOP'), () => redis.process.kill('SIGCONT')],
    dies: [() => redis.process.kill('SIGKILL'), () => (redis.process = startRedis(port, folder))],
    wrongType: [
      () => client.multi().del(key).lPush(key, 'x').exec(),
      () => client.multi().del(key).set(key, good, { PX: ttlMs }).exec(),
    ],
    tornJson: [() => client.set(key, good.slice(0, 40), { PX: ttlMs }), () => client.set(key, good, { PX: ttlMs })],
  }
  const report = {}
  for (const [name, fault] of Object.entries(errors)) report[name] = await fail(endpoint, session, fault)
  process.stdout.write(`${JSON.stringify(report)}\n`)
  await host.close()
  await nodes.close()
  client.destroy()
  redis.process.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  const isGood = Object.values(report).every(
    ({ statuses, others, slowestMs, backAfterMs }) =>
      statuses.join() === '503' && others.join() === '200' && slowestMs < storeTimeoutMs + 100 && backAfterMs < 2000,
  )
  process.exitCode = isGood ? 0 : 1
}

/** The responses to the session's client meanwhile, those without a session, and the time to recover. */
async function fail(url, session, [breakIt, mendIt]) {
  const agent = keepAlive()
  const ping = async () => {
    const began = performance.now()
    const { status, headers } = await call(url, legacy('ping', {}, session), { agent })
    return { status, retry: headers['retry-after'], ms: performance.now() - began }
  }
  const answers = []
  const others = []
  for (let round = 0; round < flags.rounds; round++) {
    await breakIt()
    const end = performance.now() + flags['outage-ms']
    // Waits until the failure has begun.
    await setTimeout(50)
    while (performance.now() < end) {
      const [answer, other] = await Promise.all([ping(), call(url, modern('quick'), { agent })])
      answers.push(answer)
      others.push(other.status)
      await setTimeout(20)
    }
    await mendIt()
    answers.at(-1).mendedAt = performance.now()
    while ((await ping()).status !== 200) await setTimeout(20)
    answers.at(-1).backAfterMs = performance.now() - answers.at(-1).mendedAt
  }
  agent.destroy()
  return {
    requests: answers.length,
    statuses: [...new Set(answers.map(({ status }) => status))],
    retryAfter: [...new Set(answers.map(({ retry }) => retry))],
    others: [...new Set(others)],
    slowestMs: Math.round(Math.max(...answers.map(({ ms }) => ms))),
    backAfterMs: Math.round(Math.max(...answers.map(({ backAfterMs = 0 }) => backAfterMs))),
  }
}

/** Saves its data on disk, and loads it after a restart. */
function startRedis(port, folder) {
  const options = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'yes',
    '--appendfsync',
    'always',
  ]
  return spawn(REDIS_SERVER, options.map(String), { stdio: 'ignore' })
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
