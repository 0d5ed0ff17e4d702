// Clients that read at the speed of a real line, and send all their calls at once: each gets every answer, from a process with a
// small heap, over every transport.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { readAll, readFlags, send, startProgram } from './program.mjs'

const flags = readFlags({ rounds: 1, speed: 0, 'heap-mib': 128, 'peak-mib': 350, 'silence-ms': 30_000 })
const megabyte = 1_000_000

/** Megabytes a second. */
const speeds = flags.speed === 0 ? [2, 10, 100] : [flags.speed]

/** Numbers of calls, and megabytes of each result. */
const shapes = [
  [2, 5],
  [8, 2],
  [20, 1],
  [60, 2],
]

/** Each sends calls at once, and resolves with the lengths of all results. */
const transports = {
  webSocket: async ({ line }, calls) => {
    const socket = new WebSocket(`ws://127.0.0.1:${line.port}/ws`, 'mcp')
    await once(socket, 'open')
    const messages = collect(calls.length, (add) => {
      socket.on('message', (data) => add(/** @type {Buffer} */ (data).toString()))
      socket.on('close', () => add(null))
    })
    for (const message of calls) socket.send(JSON.stringify(message))
    const lengths = await messages
    socket.terminate()
    return lengths
  },
  httpAndSse: async ({ line, url }, calls) => {
    const events = await send(new URL('/sse', line.url), {}, { method: 'GET' })
    const lines = createInterface({ input: events })[Symbol.asyncIterator]()
    await lines.next()
    const path = (await lines.next()).value.slice('data: '.length)
    const messages = collect(calls.length, async (add) => {
      for await (const text of { [Symbol.asyncIterator]: () => lines }) {
        if (text.startsWith('data: ')) add(text.slice('data: '.length))
      }
      add(null)
    })
    // Messages take the direct way: only answers are slow.
    for (const message of calls) void send(new URL(`/${path}`, url), { body: message }).then(readAll, () => undefined)
    const lengths = await messages
    events.destroy()
    return lengths
  },
  http: async ({ line }, calls) => {
    const socket = connect(line.port, '127.0.0.1')
    const messages = collect(calls.length, (add) => {
      createInterface({ input: socket }).on('line', (text) => {
        // A JSON body and the next status line have no line break between them.
        if (text.startsWith('{')) add(text.slice(0, text.lastIndexOf('}') + 1))
      })
      socket.on('close', () => add(null))
    })
    const requests = calls.map((message) => {
      const body = JSON.stringify(message)
      return `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    })
    // The last body also needs a line break behind it: the answer to a request without a body.
    socket.write(`${requests.join('')}GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    const lengths = await messages
    socket.destroy()
    return lengths
  },
  stdio: ({ child, slowPipe }, calls) => {
    const messages = collect(calls.length, (add) => {
      slowPipe.listener = add
    })
    child.stdio[4].write(calls.map((message) => `${JSON.stringify(message)}\n`).join(''))
    return messages
  },
}

const report = {}
for (const speed of speeds) {
  const runs = Object.keys(transports).map(async (name) => [name, await run(name, speed)])
  report[`${speed} MB/s`] = Object.fromEntries(await Promise.all(runs))
}
process.stdout.write(`${JSON.stringify({ node: process.version, rounds: flags.rounds, ...report })}\n`)
const results = Object.values(report).flatMap((row) => Object.values(row))
process.exitCode = results.every(({ lost, peakMiB }) => lost === 0 && peakMiB <= flags['peak-mib']) ? 0 : 1

async function run(name, speed) {
  const program = await startProgram({ execArgv: [`--max-old-space-size=${flags['heap-mib']}`], pipe: true })
  const line = await openLine(program, speed)
  const [, , , , pipe] = program.child.stdio
  const slowPipe = { listener: () => undefined }
  if (name === 'stdio') {
    const slow = new PassThrough()
    void copyAt(speed, pipe, slow)
    createInterface({ input: slow }).on('line', (text) => slowPipe.listener(text))
  }
  let [answers, lost] = [0, 0]
  for (let round = 0; round < flags.rounds; round++) {
    for (const [count, megabytes] of shapes) {
      const lengths = await transports[name]({ ...program, line, slowPipe }, callsWith(count, megabytes))
      const whole = lengths.filter((length) => length === megabytes * megabyte).length
      answers += whole
      lost += count - whole
    }
  }
  line.close()
  const peakMiB = Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${program.child.pid}/status`))[1]) / 1024)
  const { cutStreams } = await program.ask('metrics')
  program.child.kill('SIGKILL')
  await program.ended
  return { answers, lost, cutStreams, peakMiB }
}

/** A proxy whose client reads at this speed. */
async function openLine({ url }, speed) {
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname)
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    client.pipe(upstream)
    client.on('close', () => upstream.destroy())
    void copyAt(speed, upstream, client).then(() => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  return { port, url: new URL(`http://127.0.0.1:${port}`), close: () => server.close() }
}

/** @param speed Megabytes a second. */
async function copyAt(speed, from, to) {
  let began = null
  let copied = 0
  try {
    for await (const piece of from) {
      began ??= performance.now()
      copied += piece.length
      to.write(piece)
      const aheadMs = copied / (speed * 1000) - (performance.now() - began)
      if (aheadMs > 1) await setTimeout(aheadMs)
    }
  } catch {
    // The connection was cut: the client reports what it lost.
  }
}

/** Resolves with the lengths of the results, once all have arrived, the connection has closed, or nothing arrives for long. */
async function collect(count, subscribe) {
  const lengths = []
  const state = { isOver: false, latest: performance.now() }
  subscribe((json) => {
    state.latest = performance.now()
    if (json === null) state.isOver = true
    else lengths.push(JSON.parse(json).result?.content[0].text.length ?? 0)
  })
  const isSilent = () => performance.now() - state.latest > flags['silence-ms']
  while (lengths.length < count && !state.isOver && !isSilent()) await setTimeout(10)
  return lengths
}

function callsWith(count, megabytes) {
  const params = { name: 'give_text', arguments: { megabytes } }
  return Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }))
}
