// Clients with open streams that read nothing: the pending data for each is limited, and other clients are served about
// as well as beside clients that read.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { call, keepAlive, modern, quantile, readFlags, startProgram } from './program.mjs'

const flags = readFlags({ readers: 100, compared: 2000, messages: 50_000 })
const program = await startProgram()
const { url } = program
const path = fileURLToPath(new URL('./readers.mjs', import.meta.url))
const readers = fork(path, ['--readers', String(flags.readers), '--port', url.port])
await once(readers, 'message')

const agent = keepAlive()
let before = 0
let peak = 0
await callWhile(setTimeout(500))
// One message to all clients at a time, with turns for other requests between them.
const besideReaders = await callWhile(flood(flags.compared, 1))
await setTimeout(500)
readers.send('pause')
await once(readers, 'message')
before = await program.ask('rss')
peak = 0
const besideSlowReaders = await callWhile(flood(flags.compared, 1))
// And the rest as fast as possible.
await callWhile(flood(flags.messages, 100))
const { subscriptions } = await program.ask('metrics')
const report = {
  readers: flags.readers,
  publishedMiB: Math.round(((flags.compared + flags.messages) * 2150) / 2 ** 20),
  rssGrewMiB: Math.round(peak / 2 ** 20),
  subscriptionsLeft: subscriptions.value,
  besideReaders,
  besideSlowReaders,
}
process.stdout.write(`${JSON.stringify(report)}\n`)
readers.disconnect()
agent.destroy()
program.child.kill('SIGTERM')
await program.ended
const isBounded = report.rssGrewMiB < 150 && report.subscriptionsLeft === 0
process.exitCode = isBounded && besideSlowReaders.p99Ms < 2 * besideReaders.p99Ms ? 0 : 1

function flood(messages, atOnce) {
  return call(url, modern('flood', { messages, atOnce }))
}

/** Durations of calls of other clients, until a promise settles. */
async function callWhile(running) {
  const state = { isOver: false }
  void running.then(() => (state.isOver = true))
  const times = []
  while (!state.isOver) {
    const began = performance.now()
    await call(url, modern('echo', { text: 'x' }), { agent })
    times.push(performance.now() - began)
    if (times.length % 10 === 0) peak = Math.max(peak, (await program.ask('rss')) - before)
    await setTimeout(1)
  }
  return { calls: times.length, medianMs: round(quantile(times, 0.5)), p99Ms: round(quantile(times, 0.99)) }
}

function round(ms) {
  return Number(ms.toFixed(1))
}
