// Clients that listen and read nothing: what waits for each is bounded, and everybody else is served meanwhile.
import { setTimeout } from 'node:timers/promises'
import { call, floodedUri, keepAlive, modern, readFlags, send, startProgram } from './program.mjs'

const flags = readFlags({ readers: 100, messages: 52_000 })
const program = await startProgram()
const { url } = program

const filter = {
  notifications: { resourceSubscriptions: Array.from({ length: 100 }, (_, index) => floodedUri(index)) },
}
const readers = await Promise.all(
  Array.from({ length: flags.readers }, () => send(url, modern(undefined, filter, 'subscriptions/listen'))),
)
if (readers.some(({ statusCode }) => statusCode !== 200)) throw new Error('a subscription was refused')
for (const reader of readers) reader.pause().on('error', () => undefined)
const before = await program.ask('rss')
const flood = call(url, modern('flood', { messages: flags.messages }))
const agent = keepAlive()
const times = []
let peak = 0
const flooding = { isOver: false }
void flood.then(() => (flooding.isOver = true))
while (!flooding.isOver) {
  const began = performance.now()
  await call(url, modern('echo', { text: 'x' }), { agent })
  times.push(performance.now() - began)
  peak = Math.max(peak, (await program.ask('rss')) - before)
  await setTimeout(20)
}
const { subscriptions } = await program.ask('figures')
times.sort((a, b) => a - b)
const report = {
  readers: flags.readers,
  publishedMiB: Math.round((flags.messages * 2150) / 2 ** 20),
  rssGrewMiB: Math.round(peak / 2 ** 20),
  subscriptionsLeft: subscriptions.value,
  othersMedianMs: Math.round(times[Math.floor(times.length / 2)]),
}
process.stdout.write(`${JSON.stringify(report)}\n`)
for (const reader of readers) reader.destroy()
agent.destroy()
program.child.kill('SIGTERM')
await program.ended
process.exitCode = report.rssGrewMiB < 150 && report.subscriptionsLeft === 0 ? 0 : 1
