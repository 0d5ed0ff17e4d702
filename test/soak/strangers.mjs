// Measures the objects that a server creates for requests that it rejects before authentication: none.
import { call, keepAlive, legacy, modern, readFlags, repeat, startProgram } from './program.mjs'
import { issueTokens } from './tokens.mjs'

const flags = readFlags({ requests: 10_000, 'warm-up': 1500, connections: 32, memory: 1 })
const { options, good, forged } = await issueTokens()
const env = { JWT: JSON.stringify(options), COUNT: 'all' }
const program = await startProgram({ env, execArgv: ['--expose-gc'] })
const { url } = program
const agent = keepAlive(flags.connections)

const bearer = (token) => ({ authorization: `Bearer ${token}` })
const visit = (headers) => legacy('tools/call', { name: 'visit', arguments: {} }, headers)
const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } }
const listen = modern(undefined, { notifications: { toolsListChanged: true } }, 'subscriptions/listen')

/** Each kind of anonymous request, with its messages in turn, and its response. */
const kinds = {
  noToken: { status: 401, messages: [visit({})] },
  forgedToken: { status: 401, messages: [visit(bearer(forged))] },
  malformedToken: {
    status: 401,
    messages: ['Bearer', 'Bearer no.such.token', 'Basic c29hazpzb2Fr', `Bearer ${good.slice(0, -9)}`].map(
      (authorization) => visit({ authorization }),
    ),
  },
  badHost: { status: 403, messages: [visit({ ...bearer(good), host: 'evil.example' })] },
  badOrigin: { status: 403, messages: [visit({ ...bearer(good), origin: 'https://evil.example' })] },
  initialize: {
    status: 401,
    messages: [legacy('initialize', initialize), legacy('initialize', initialize, bearer(forged))],
  },
  listen: { status: 401, messages: [listen, { headers: {}, method: 'GET' }] },
}

const atBoot = await program.ask('containers')
const { status } = await call(url, visit(bearer(good)), { agent })
// Control: shows that the counters do change.
const goodCall = { status, containers: (await program.ask('containers')) - atBoot }
for (const kind of Object.values(kinds)) await reject(kind, flags['warm-up'])

const kibEach = {}
let held = await readHeap()
for (const [name, kind] of Object.entries(kinds)) {
  await reject(kind, flags.requests)
  const before = held
  held = await readHeap()
  kibEach[name] = Number(((held - before) / 1024 / flags.requests).toFixed(3))
}
const { sessions, subscriptions, inFlight } = await program.ask('metrics')
const made = {
  sessions: sessions.value,
  streams: subscriptions.value + inFlight.value,
  containers: (await program.ask('containers')) - atBoot - goodCall.containers,
}
const report = { requests: flags.requests, kibEach, made, goodCall }
process.stdout.write(`${JSON.stringify(report)}\n`)
agent.destroy()
program.child.kill('SIGTERM')
await program.ended
const isSmall = Math.max(...Object.values(kibEach)) <= 0.1
const isNothing = Object.values(made).every((count) => count === 0)
process.exitCode = isSmall && isNothing && goodCall.containers === 1 ? 0 : 1

async function readHeap() {
  return flags.memory === 0 ? 0 : (await program.ask('memory')).heap
}

async function reject({ status: expected, messages }, count) {
  let next = 0
  await repeat(count, flags.connections, async () => {
    const { method, ...message } = messages[next++ % messages.length]
    const answer = await call(url, message, { agent, method })
    if (answer.status !== expected) throw new Error(`answered with ${answer.status}: ${answer.text}`)
  })
}
