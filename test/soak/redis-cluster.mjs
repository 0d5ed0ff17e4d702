// Nodes on a Redis Cluster of three shards with replicas while a primary dies and keys move to another shard; then on a
// primary with a replica that sentinels watch, while the primary dies. Needs `redis-server` and `redis-cli`, on the PATH or
// as REDIS_SERVER and REDIS_CLI say; where there are none, it says so.
import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { keepAlive, legacy, openSession, readFlags, send } from './program.mjs'

const flags = readFlags({ sessions: 20, 'phase-ms': 6000 })
const { REDIS_SERVER = 'redis-server', REDIS_CLI = 'redis-cli' } = process.env
const missing = [REDIS_SERVER, REDIS_CLI].filter((each) => spawnSync(each, ['--version']).error !== undefined)
const children = new Set()

if (missing.length > 0) {
  const how = 'install Redis, such as with apt-get install redis-server, or set REDIS_SERVER and REDIS_CLI'
  process.stdout.write(`SKIPPED: there is no ${missing.join(' and no ')}. To run it, ${how}\n`)
} else await run()

async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'redis-cluster-'))
  try {
    const report = { cluster: await onCluster(folder), sentinels: await onSentinels(folder) }
    process.stdout.write(`${JSON.stringify(report)}\n`)
    const rounds = Object.values(report)
    // Redis answers before a replica has a write, so that a failover may lose the last ones: the call in flight of each session may be lost.
    const isGood = rounds.every(
      ({ doubled, lost, failedAtTheEnd }) => doubled + failedAtTheEnd === 0 && lost <= sent / 100,
    )
    process.exitCode = isGood ? 0 : 1
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

async function onCluster(folder) {
  const ports = []
  for (let count = 0; count < 6; count++) ports.push(await freePort())
  const options = (port) => [
    '--cluster-enabled',
    'yes',
    '--cluster-node-timeout',
    '2000',
    '--cluster-config-file',
    `nodes-${port}`,
  ]
  const servers = ports.map((port) => startRedis(folder, port, options(port)))
  await setTimeout(1500)
  const addresses = ports.map((port) => `127.0.0.1:${port}`)
  cli('--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes')
  await until(() => ports.every((port) => cli('-p', port, 'CLUSTER', 'INFO').includes('cluster_state:ok')))
  const nodes = await startNodes({ cluster: { rootNodes: addresses.map((each) => ({ url: `redis://${each}` })) } })
  const load = startLoad(nodes)
  await setTimeout(flags['phase-ms'] / 2)
  const marks = [load.mark('calm')]
  servers[0].kill('SIGKILL')
  await setTimeout(flags['phase-ms'])
  marks.push(load.mark('failover'))
  const [from, to] = ports.slice(1, 3).map((port) => cli('-p', port, 'CLUSTER', 'MYID').trim())
  const moved = `--cluster-from ${from} --cluster-to ${to} --cluster-slots 2000 --cluster-yes`
  const moving = spawn(REDIS_CLI, ['--cluster', 'reshard', addresses[1], ...moved.split(' ')])
  const [code] = await once(
    moving.on('error', () => undefined).on('spawn', () => moving.stdout.resume()),
    'exit',
  )
  marks.push({ ...load.mark('resharding'), code })
  return finish(load, nodes, marks)
}

async function onSentinels(folder) {
  const [primary, replica] = [await freePort(), await freePort()]
  const first = startRedis(folder, primary)
  startRedis(folder, replica, ['--replicaof', '127.0.0.1', primary])
  const sentinels = [await freePort(), await freePort(), await freePort()]
  for (const port of sentinels) {
    const file = join(folder, `sentinel-${port}.conf`)
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor main 127.0.0.1 ${primary} 2`,
      'sentinel down-after-milliseconds main 1000',
      'sentinel failover-timeout main 5000',
    ]
    writeFileSync(file, lines.join('\n'))
    start(REDIS_SERVER, [file, '--sentinel'])
  }
  await until(() => cli('-p', primary, 'INFO', 'replication').includes('state=online'))
  await until(() => cli('-p', sentinels[0], 'SENTINEL', 'MASTER', 'main').includes('num-other-sentinels\n2'))
  const sentinelRootNodes = sentinels.map((port) => ({ host: '127.0.0.1', port }))
  const nodes = await startNodes({ sentinel: { name: 'main', sentinelRootNodes } })
  const load = startLoad(nodes)
  await setTimeout(flags['phase-ms'] / 2)
  const marks = [load.mark('calm')]
  first.kill('SIGKILL')
  await setTimeout(flags['phase-ms'] * 1.5)
  marks.push(load.mark('failover'))
  return finish(load, nodes, marks)
}

async function finish(load, nodes, phases) {
  // Until all goes on, or for so long that it never does.
  for (let tries = 0; tries < 20; tries++) {
    await setTimeout(1000)
    const { phase, sent, failed } = load.mark('recovery')
    phases.push({ phase, sent, failed })
    if (sent > 0 && failed === 0) break
  }
  await setTimeout(flags['phase-ms'] / 2)
  const afterwards = load.mark('afterwards')
  const totals = await load.end()
  for (const { child } of nodes) child.disconnect()
  return { ...totals, failedAtTheEnd: afterwards.failed, phases: [...phases, afterwards] }
}

async function startNodes(options) {
  const nodes = []
  for (let count = 0; count < 2; count++) {
    const child = fork(fileURLToPath(new URL('./redis-node.mjs', import.meta.url)), {
      env: { ...process.env, REDIS: JSON.stringify(options) },
    })
    children.add(child)
    const [url] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => ['the node ended'])])
    nodes.push({ child, url: new URL(url) })
  }
  return nodes
}

/** Sessions whose calls come to the nodes in turn, and go on at another node where their stream breaks. */
function startLoad(nodes) {
  const agent = keepAlive()
  const totals = { sent: 0, failed: 0, lost: 0, doubled: 0, resumed: 0, newSessions: 0 }
  const stopping = new AbortController()
  let [turn, before] = [0, { ...totals }]
  const nextUrl = () => nodes[turn++ % nodes.length].url
  const workers = Array.from({ length: flags.sessions }, async () => {
    let session = null
    while (!stopping.signal.aborted) {
      try {
        session ??= await openSession(nextUrl(), { agent })
        if (session['mcp-session-id'] === undefined) throw new Error('no session')
        const status = await callOnce(session)
        if (status === 404) throw new Error('the session is gone')
      } catch {
        totals.failed++
        totals.newSessions++
        session = null
      }
      await setTimeout(10)
    }
  })

  async function callOnce(session) {
    totals.sent++
    const id = totals.sent
    const params = { name: 'counts', arguments: {}, _meta: { progressToken: id } }
    const message = legacy('tools/call', params, session, id)
    const seen = { progress: [], answers: 0, lastId: undefined }
    const { statusCode } = await read(await send(nextUrl(), message, { agent }), seen)
    if (statusCode !== 200) {
      if (statusCode !== 404) totals.failed++
      return statusCode
    }
    for (let tries = 0; seen.answers === 0 && seen.lastId !== undefined && tries < 5; tries++) {
      totals.resumed++
      await setTimeout(200)
      const headers = { ...session, 'last-event-id': seen.lastId, 'mcp-protocol-version': '2025-11-25' }
      const { statusCode: status } = await read(await send(nextUrl(), { headers }, { agent, method: 'GET' }), seen)
      if (status === 400 || status === 404) break
    }
    if (seen.answers === 0) totals.lost++
    else if (new Set(seen.progress).size < 3) totals.lost++
    if (seen.answers > 1 || new Set(seen.progress).size < seen.progress.length) totals.doubled++
    return 200
  }

  return {
    mark(phase) {
      const counts = Object.entries(totals).map(([name, value]) => [name, value - before[name]])
      before = { ...totals }
      return { phase, ...Object.fromEntries(counts) }
    },
    async end() {
      stopping.abort()
      await Promise.all(workers)
      agent.destroy()
      return totals
    },
  }
}

/** Reads an answer, as JSON or as events, until it ends or breaks. */
async function read(response, seen) {
  let text = ''
  const timer = globalThis.setTimeout(() => response.destroy(), 5000)
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk
  } catch {
    // The client comes back for the rest.
  } finally {
    clearTimeout(timer)
  }
  if (response.statusCode !== 200) return response
  const isJson = response.headers['content-type']?.startsWith('application/json')
  const events = isJson ? [`data: ${text}`] : text.split('\n\n').slice(0, -1)
  for (const event of events) {
    seen.lastId = /^id: ?(.+)$/m.exec(event)?.[1] ?? seen.lastId
    const data = /^data:(.*)$/m.exec(event)?.[1].trim() ?? ''
    if (data === '') continue
    const { result, params } = JSON.parse(data)
    if (result !== undefined) seen.answers++
    else if (params?.progress !== undefined) seen.progress.push(params.progress)
  }
  return response
}

function startRedis(folder, port, options = []) {
  return start(REDIS_SERVER, ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...options])
}

function start(command, options) {
  const child = spawn(command, options.map(String), { stdio: 'ignore' })
  children.add(child)
  return child
}

function cli(...args) {
  const result = spawnSync(REDIS_CLI, args.map(String), { encoding: 'utf8' })
  return result.stdout
}

async function until(isSo) {
  const end = performance.now() + 30_000
  while (!isSo()) {
    if (performance.now() > end) throw new Error('Redis did not become ready')
    await setTimeout(100)
  }
}

async function freePort() {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address()
    await new Promise((resolve) => server.close(resolve))
    // A cluster also uses the port that is higher by 10,000.
    if (port < 55_000) return port
  }
}
