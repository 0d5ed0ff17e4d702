// Sends ten times as many calls at once as the server accepts: the rest are rejected at once, and the server recovers
// soon.
import { setTimeout } from 'node:timers/promises'
import { call, keepAlive, modern, readFlags, startProgram } from './program.mjs'

const flags = readFlags({ cap: 100, calls: 1000, 'call-ms': 500, 'per-second': 2500 })
const program = await startProgram({ env: { LIMITS: JSON.stringify({ maxInFlight: flags.cap }) } })
const { url } = program
const agent = keepAlive()
// Measures the rejection, without the creation of a thousand connections.
await repeat(flags.calls, () => call(url, { headers: {} }, { agent, method: 'GET' }))
// In several turns: otherwise most of the time would be spent in this client.
const answers = await repeat(flags.calls, async (_, index) => {
  await setTimeout((index / flags['per-second']) * 1000)
  return timed(modern('wait', { ms: flags['call-ms'] }))
})
const afterwards = await timed(modern('echo', { text: 'x' }))
const rejected = answers.filter(({ status }) => status === 503).map(({ ms }) => ms)
rejected.sort((a, b) => a - b)
const report = {
  calls: flags.calls,
  accepted: answers.filter(({ status }) => status === 200).length,
  rejected: rejected.length,
  rejectedP99Ms: Math.round(rejected[Math.floor(rejected.length * 0.99)]),
  afterwards: { status: afterwards.status, ms: Math.round(afterwards.ms) },
}
process.stdout.write(`${JSON.stringify(report)}\n`)
agent.destroy()
program.child.kill('SIGTERM')
await program.ended
const isQuick = report.rejectedP99Ms < 100 && report.afterwards.ms < 1000
const isAll = report.accepted + report.rejected === report.calls && report.accepted >= flags.cap
process.exitCode = isAll && isQuick && report.afterwards.status === 200 ? 0 : 1

function repeat(count, run) {
  return Promise.all(Array.from({ length: count }, run))
}

async function timed(message) {
  const began = performance.now()
  const { status } = await call(url, message, { agent })
  return { status, ms: performance.now() - began }
}
