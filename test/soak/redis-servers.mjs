// Redis servers as processes, on free ports of 127.0.0.1. Needs `redis-server` and `redis-cli`, on the PATH or in the
// variables REDIS_SERVER and REDIS_CLI.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

export const { REDIS_SERVER = 'redis-server', REDIS_CLI = 'redis-cli' } = process.env
const children = new Set()

/**
 * Runs a function with a folder for the servers, ends every process afterwards, and prints the report of the function.
 * Without Redis, prints that it is missing.
 */
export async function withRedis(run) {
  const missing = [REDIS_SERVER, REDIS_CLI].filter((each) => spawnSync(each, ['--version']).error !== undefined)
  if (missing.length > 0) {
    const how = 'install Redis, such as with apt-get install redis-server, or set REDIS_SERVER and REDIS_CLI'
    process.stdout.write(`SKIPPED: there is no ${missing.join(' and no ')}. To run it, ${how}\n`)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  try {
    const { isGood, ...report } = await run(folder)
    process.stdout.write(`${JSON.stringify(report)}\n`)
    process.exitCode = isGood ? 0 : 1
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Registers a process, which is killed at the end of the run. */
export function endLater(child) {
  children.add(child)
  return child
}

export function startRedis(folder, port, options = []) {
  return start(REDIS_SERVER, ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...options])
}

export function start(command, options) {
  return endLater(spawn(command, options.map(String), { stdio: 'ignore' }))
}

export function cli(...args) {
  const result = spawnSync(REDIS_CLI, args.map(String), { encoding: 'utf8' })
  return result.stdout
}

export async function until(isSo) {
  const end = performance.now() + 30_000
  while (!isSo()) {
    if (performance.now() > end) throw new Error('Redis did not become ready')
    await setTimeout(100)
  }
}

export async function freePort() {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address()
    await new Promise((resolve) => server.close(resolve))
    // A cluster also uses the port that is higher by 10,000.
    if (port < 55_000) return port
  }
}
