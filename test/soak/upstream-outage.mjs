// One of two upstreams behind a proxy is killed and started again, over and over, while both are called: calls to the other one
// are all answered, and take no longer than while both are up.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { keepAlive, modern, post, quantile, readFlags } from './program.mjs'

// `slower`: share by which the median call may take longer while an upstream is down. `dying-per-second`: calls to the upstream
// that dies, as many while it is down.
const flags = readFlags({ rounds: 10, 'round-ms': 2000, workers: 4, 'dying-per-second': 50, slower: 0.1 })
const agent = keepAlive()
const living = await start()
let dying = await start()
const { port } = new URL(dying.url)
const front = await start({ UPSTREAMS: JSON.stringify({ living: { url: living.url }, dying: { url: dying.url } }) })

await measure()
const rounds = []
for (let round = 0; round < flags.rounds; round++) {
  const up = await measure()
  dying.child.kill('SIGKILL')
  await once(dying.child, 'exit')
  const down = await measure()
  dying = await start({ PORT: port })
  await untilUsable()
  rounds.push({ up, down })
}

const ratios = (read) => rounds.map(({ up, down }) => read(down) / read(up))
const median = (values) => Number(quantile(values, 0.5).toFixed(3))
const sum = (read) => rounds.reduce((total, { up, down }) => total + read(up) + read(down), 0)
const report = {
  calls: sum(({ times }) => times.length),
  failed: sum(({ failed }) => failed),
  medianTime: median(ratios(({ times }) => quantile(times, 0.5))),
  slowestOfHundred: median(ratios(({ times }) => quantile(times, 0.99))),
  callsWhileDown: median(ratios(({ times }) => times.length)),
  longestErrorMs: Math.round(Math.max(...rounds.map(({ down }) => Math.max(...down.errors)))),
}
process.stdout.write(`${JSON.stringify(report)}\n`)
process.exitCode = report.failed === 0 && report.medianTime <= 1 + flags.slower ? 0 : 1
agent.destroy()
for (const { child } of [living, dying, front]) child.disconnect()

async function start(env = {}) {
  const child = fork(fileURLToPath(new URL('./upstream-outage-server.mjs', import.meta.url)), {
    env: { ...process.env, ...env },
  })
  const [{ url }] = await once(child, 'message')
  return { child, url }
}

/** @returns Milliseconds of the call, and whether the tool has answered. */
async function call(tool) {
  const { body, headers } = modern(tool)
  const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const began = performance.now()
  const { status, text } = await post(
    new URL(front.url),
    { body: JSON.stringify(body), headers: { ...accept, ...headers } },
    agent,
  )
  return { ms: performance.now() - began, isAnswered: status === 200 && text.includes('done') }
}

/** Calls both upstreams for the time of a round. */
async function measure() {
  const end = performance.now() + flags['round-ms']
  const times = []
  const errors = []
  let failed = 0
  const callLiving = async () => {
    while (performance.now() < end) {
      const { ms, isAnswered } = await call('living_quick')
      times.push(ms)
      if (!isAnswered) failed++
    }
  }
  const callDying = async () => {
    const running = []
    while (performance.now() < end) {
      running.push(call('dying_quick').then(({ ms }) => errors.push(ms)))
      await setTimeout(1000 / flags['dying-per-second'])
    }
    await Promise.all(running)
  }
  await Promise.all([callDying(), ...Array.from({ length: flags.workers }, callLiving)])
  return { times, errors, failed }
}

async function untilUsable() {
  while (!(await call('dying_quick')).isAnswered) await setTimeout(50)
}
