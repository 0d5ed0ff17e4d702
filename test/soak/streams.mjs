// Large contents, many streams, stopped readers and aborts, against a separate program: contents arrive whole, memory
// stays within the windows, and all is free within a second.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect } from '@toolwright/client'
import { readFlags } from './program.mjs'
import { hashOfContent, hashOfStream, upload } from './streams-content.mjs'

const flags = readFlags({ megabytes: 100, streams: 500, 'stalled-mib': 80, 'free-ms': 1000 })
const bytes = flags.megabytes * 1_000_000
const expected = hashOfContent(bytes)
const MiB = 1024 * 1024

const child = fork(fileURLToPath(new URL('./streams-server.mjs', import.meta.url)), { execArgv: ['--expose-gc'] })
const [{ url }] = await once(child, 'message')
const client = await connect(url)

const report = {
  up: await transfer(async () => {
    const stream = await client.stream('hash')
    await upload(bytes, stream.writable)
    return stream.done
  }),
  down: await transfer(async () => hashOfStream((await client.stream('produce', { bytes })).readable)),
  both: await transfer(async () => {
    const stream = await client.stream('echo')
    const [hash] = await Promise.all([hashOfStream(stream.readable), upload(bytes, stream.writable)])
    return hash
  }),
  atOnce: await manyAtOnce(),
  stalled: await stalledReaders(),
  aborted: await abortAll(),
}
process.stdout.write(`${JSON.stringify(report)}\n`)
const { up, down, both, atOnce, stalled, aborted } = report
process.exitCode =
  [up, down, both].every(({ isWhole }) => isWhole) &&
  atOnce.whole === flags.streams &&
  stalled.grownMiB <= flags['stalled-mib'] &&
  stalled.isOtherWhole &&
  aborted.freeMs <= flags['free-ms'] &&
  aborted.lostFreeMs <= flags['free-ms']
    ? 0
    : 1
child.disconnect()

async function transfer(run) {
  const began = performance.now()
  const isWhole = (await run()) === expected
  const seconds = (performance.now() - began) / 1000
  return { isWhole, megabytesPerSecond: Math.round(flags.megabytes / seconds) }
}

/** Many streams that share a connection, with contents of different lengths. */
async function manyAtOnce() {
  const sizes = Array.from({ length: flags.streams }, (_, index) => 10_000 + index * 397)
  const streams = await openMany(flags.streams, 'echo')
  await untilState(({ open }) => open === flags.streams)
  const hashes = await Promise.all(
    streams.map(async (stream, index) => {
      const [hash] = await Promise.all([hashOfStream(stream.readable), upload(sizes[index], stream.writable)])
      return hash
    }),
  )
  return { whole: hashes.filter((hash, index) => hash === hashOfContent(sizes[index])).length }
}

/** Tools and clients that do not read hold at most their windows, and another stream on the connection goes on. */
async function stalledReaders() {
  const before = (await state()).used
  const unreadByTools = await openMany(100, 'stall')
  const unread = await openMany(100, 'produce', { bytes: 10_000_000 })
  for (const stream of unreadByTools) upload(10_000_000, stream.writable).catch(() => undefined)
  const other = await client.stream('hash')
  await upload(bytes, other.writable)
  const isOtherWhole = (await other.done) === expected
  const grownMiB = Math.round(((await state()).used - before) / MiB)
  for (const stream of [...unreadByTools, ...unread]) stream.abort()
  await untilState(({ open }) => open === 0)
  return { streams: 200, grownMiB, isOtherWhole }
}

/** Milliseconds until all streams are free: after aborts of their clients, and after their connection is lost. */
async function abortAll() {
  const streams = await openMany(flags.streams, 'stall')
  await untilState((now) => now.open === flags.streams)
  let began = performance.now()
  for (const stream of streams) stream.abort()
  await untilState((now) => now.open === 0 && now.inFlight === 0)
  const freeMs = Math.round(performance.now() - began)
  await openMany(flags.streams, 'stall')
  await untilState((now) => now.open === flags.streams)
  began = performance.now()
  await client.close()
  await untilState((now) => now.open === 0 && now.inFlight === 0)
  return { freeMs, lostFreeMs: Math.round(performance.now() - began) }
}

function openMany(count, tool, args) {
  return Promise.all(Array.from({ length: count }, () => client.stream(tool, args)))
}

async function state() {
  child.send('state')
  const [answer] = await once(child, 'message')
  return answer
}

async function untilState(isReached) {
  while (!isReached(await state())) await setTimeout(5)
}
