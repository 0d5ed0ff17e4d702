import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { collect, run, start } from './run.mjs'

/** Newer versions of verdaccio need Node 22. It depends on a tag of node-fetch, which mirrors of npm may lack. */
const manifest = { private: true, dependencies: { verdaccio: '6.7.4' }, overrides: { 'node-fetch': '2.7.0' } }

/** Time in ms that the registry may take to start. */
const startMs = 60_000

/**
 * Starts an npm registry on 127.0.0.1. It has its own packages under our names, even if npm has some, and passes all
 * other names on to the registry of this machine.
 *
 * @returns {Promise<{ url: string, token: string }>}
 */
export async function startRegistry(folder) {
  const cwd = join(folder, 'registry')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest))
  const { env } = process
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', cwd], { cwd, env })
  const uplink = (await run('npm', ['config', 'get', 'registry'], { cwd, env })).trim()
  const config = join(cwd, 'config.yaml')
  writeFileSync(config, describe(cwd, uplink))
  const port = await findPort()
  const url = `http://127.0.0.1:${port}/`
  const program = join(cwd, 'node_modules', 'verdaccio', 'bin', 'verdaccio')
  const args = [program, '--config', config, '--listen', `127.0.0.1:${port}`]
  const child = start(process.execPath, args, { cwd, env })
  const read = collect(child)
  if (!(await isReady(`${url}-/ping`, child))) throw new Error(`the registry did not start\n${read()}`)
  return { url, token: await createUser(url) }
}

/** Only the user of this rehearsal may publish, and only under our names. */
function describe(path, uplink) {
  const own = ['toolwright', 'create-toolwright', '@toolwright/*']
  return JSON.stringify({
    storage: join(path, 'storage'),
    auth: { htpasswd: { file: join(path, 'htpasswd'), max_users: 1 } },
    uplinks: { npm: { url: uplink, maxage: '60m', timeout: '60s', max_fails: 10, agent_options: { maxSockets: 40 } } },
    packages: {
      ...Object.fromEntries(own.map((name) => [name, { access: '$all', publish: '$authenticated' }])),
      '**': { access: '$all', proxy: 'npm' },
    },
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
  })
}

/** @returns The token of a new user. */
async function createUser(url) {
  const response = await fetch(`${url}-/user/org.couchdb.user:rehearsal`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'rehearsal', password: crypto.randomUUID() }),
  })
  const { token, error } = await response.json()
  if (token === undefined) throw new Error(`the registry created no user: ${error}`)
  return token
}

async function findPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

async function isReady(url, child) {
  const end = performance.now() + startMs
  while (performance.now() < end && child.exitCode === null) {
    const answers = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (answers) return true
    await setTimeout(100)
  }
  return false
}
