// Measures the memory that a server keeps of ended calls, rejected calls and ended sessions: it must be zero.
import { setTimeout } from 'node:timers/promises'
import { call, keepAlive, legacy, modern, openSession, readFlags, repeat, startProgram } from './program.mjs'

const counts = { calls: 50_000, rejections: 10_000, sessions: 2000, 'warm-up': 1500 }
// Rough values take two garbage collections each instead of eight.
const flags = readFlags({ ...counts, connections: 32, rough: 0 })
const memory = flags.rough === 0 ? 'memory' : 'roughMemory'
const idleMs = 1000
const limits = JSON.stringify({ sessionIdleMs: idleMs, maxSessions: 10_000 })
const program = await startProgram({ env: { LIMITS: limits, COUNT: 'all' }, execArgv: ['--expose-gc'] })
const { url } = program
const agent = keepAlive(flags.connections)

const echo = { text: 'x'.repeat(20) }
/** Rejected requests: by the host, by the session, by initialize, and as invalid messages. */
const rejected = [
  legacy('ping', {}, { host: 'evil.example' }),
  legacy('ping', {}, { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' }),
  legacy('initialize', { capabilities: [] }),
  { body: 'no message' },
]
const rejections = { next: 0 }

const kinds = {
  modernCall: { count: flags.calls, run: () => expectOk(call(url, modern('echo', echo), { agent })) },
  legacyCall: {
    count: flags.calls,
    run: () => expectOk(call(url, legacy('tools/call', { name: 'echo', arguments: echo }), { agent })),
  },
  rejection: {
    count: flags.rejections,
    run: () => expectRejected(call(url, rejected[rejections.next++ % rejected.length], { agent })),
  },
  deletedSession: {
    count: flags.sessions,
    run: async () => {
      const session = await openSession(url, { agent })
      await expectOk(call(url, legacy('tools/call', { name: 'echo', arguments: echo }, session), { agent }))
      await expectOk(call(url, { headers: session }, { agent, method: 'DELETE' }))
    },
  },
  abandonedSession: {
    count: flags.sessions,
    run: () => openSession(url, { agent }),
    after: () => setTimeout(idleMs * 2.5),
  },
}

const bounds = { modernCall: 0.1, legacyCall: 0.1, rejection: 0.1, deletedSession: 0.5, abandonedSession: 0.5 }
const report = {}
for (const { run, after } of Object.values(kinds)) {
  await repeat(flags['warm-up'], flags.connections, run)
  await after?.()
}
// Garbage of the warm-up must not count.
await program.ask(memory)
const descriptors = program.descriptors()
const atFirst = await program.ask('leftovers')
for (const [name, { count, run, after }] of Object.entries(kinds)) {
  const before = (await program.ask(memory)).heap
  await repeat(count, flags.connections, run)
  await after?.()
  const grown = (await program.ask(memory)).heap - before
  report[name] = { count, kibEach: Number((grown / 1024 / count).toFixed(3)) }
}
report.descriptorsMore = program.descriptors() - descriptors
Object.assign(report, moreThan(atFirst, await program.ask('leftovers')))
const { sessions } = await program.ask('metrics')
report.sessionsLeft = sessions.value
process.stdout.write(`${JSON.stringify(report)}\n`)
agent.destroy()
program.child.kill('SIGTERM')
await program.ended
const isSmall = Object.entries(bounds).every(([name, bound]) => report[name].kibEach <= bound)
const isAsBefore = report.timersMore === 0 && report.listenersMore === 0 && Math.abs(report.descriptorsMore) <= 2
process.exitCode = isSmall && isAsBefore && report.sessionsLeft === 0 ? 0 : 1

/** Node has a timer for each connection, and the client may have opened another one. */
function moreThan(before, after) {
  const timers = (leftovers) => leftovers.timers - leftovers.connections
  const listeners = (leftovers) => Object.values(leftovers.listeners).reduce((sum, count) => sum + count, 0)
  return { timersMore: timers(after) - timers(before), listenersMore: listeners(after) - listeners(before) }
}

async function expectOk(answer) {
  const { status, text } = await answer
  if (status !== 200) throw new Error(`answered with ${status}: ${text}`)
}

async function expectRejected(answer) {
  const { status, text } = await answer
  if (status >= 500 || !text.includes('"error"')) throw new Error(`answered with ${status}: ${text}`)
}
