// Bodies over the limit, from clients that keep sending: the memory used until they are rejected, in chunks of any
// size, and the end of their connections.
import { setTimeout } from 'node:timers/promises'
import { readFlags, startProgram } from './program.mjs'
import { Sender } from './sender.mjs'

const flags = readFlags({ connections: 4, 'limit-kib': 1024 })
const limit = flags['limit-kib'] * 1024
const limits = JSON.stringify({ maxMessageBytes: limit })
const program = await startProgram({ env: { LIMITS: limits }, execArgv: ['--expose-gc'] })
const start = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const chunked = `${start}Transfer-Encoding: chunked\r\n\r\n`
const announced = (bytes) => `${start}Content-Length: ${bytes}\r\n\r\n`

const large = 'x'.repeat(65_536)
/** The first part of a body up to the limit, if any, and the part that is repeated until the connection is closed. */
const ways = {
  // Ends long before the limit: each chunk takes time, also a small one.
  chunksOf1Byte: { head: chunked, upToLimit: [], more: chunks(1, 65_536) },
  chunksOf100Bytes: { head: chunked, upToLimit: chunks(100, limit), more: chunks(65_536, 65_536) },
  chunksOf64KiB: { head: chunked, upToLimit: chunks(65_536, limit), more: chunks(65_536, 65_536) },
  // Rejected before the body is read.
  announced: { head: announced(limit + 1), upToLimit: [], more: [large] },
  longerThanAnnounced: { head: announced(limit), upToLimit: ['x'.repeat(limit)], more: [large] },
}

// Objects that the first connections and bodies allocate once.
await sendTooMuch(ways.chunksOf100Bytes)
await sendTooMuch(ways.chunksOf64KiB)
const atFirst = (await program.ask('roughMemory')).held
const report = { ways: {} }
for (const [name, way] of Object.entries(ways)) report.ways[name] = await sendTooMuch(way)
const left = (await program.ask('roughMemory')).held - atFirst
report.leftKiB = Math.round(kibEach(left) / Object.keys(ways).length)
process.stdout.write(`${JSON.stringify(report)}\n`)
program.child.kill('SIGTERM')
await program.ended
const isSmall = Object.values(report.ways).every(({ keptBeyondLimitKiB = 0 }) => keptBeyondLimitKiB <= 64)
process.exitCode = isSmall && report.leftKiB <= 64 ? 0 : 1

/** Returns the KiB used for each connection, after all connections are closed. */
async function sendTooMuch({ head, upToLimit, more }) {
  const senders = Array.from({ length: flags.connections }, () => new Sender(Number(program.url.port), head))
  const isHeld = upToLimit.length > 0 && head === chunked
  if (isHeld) await untilRead(head.length)
  // The memory of connections and requests themselves is not measured here.
  const before = (await program.ask('roughMemory')).held
  await Promise.all(senders.map((sender) => sender.sendAll(upToLimit)))
  if (isHeld) await untilRead([head, ...upToLimit].reduce((sum, text) => sum + text.length, 0))
  const kept = (await program.ask('roughMemory')).held - before
  await Promise.all(senders.map((sender) => sender.goOn(more)))
  const readMiB = Number(((await program.ask('read')).most / 2 ** 20).toFixed(1))
  return isHeld ? { keptBeyondLimitKiB: kibEach(kept) - limit / 1024, readMiB } : { readMiB }
}

async function untilRead(bytes) {
  // By then, the server has rejected a request that takes too long.
  const deadline = performance.now() + 30_000
  while ((await program.ask('read')).now < bytes * flags.connections) {
    if (performance.now() > deadline) throw new Error('the bodies were not read in time')
    await setTimeout(10)
  }
}

function kibEach(bytes) {
  return Math.round(bytes / 1024 / flags.connections)
}

/** A chunked body with chunks of one length, in strings of about a megabyte at most. */
function chunks(length, total) {
  const chunk = `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`
  const inText = Math.max(1, Math.floor(1e6 / chunk.length))
  const count = Math.floor(total / length)
  const texts = Array.from({ length: Math.floor(count / inText) }, () => chunk.repeat(inText))
  const rest = total % length
  return [...texts, chunk.repeat(count % inText), ...(rest === 0 ? [] : chunks(rest, rest))]
}
