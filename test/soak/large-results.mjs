// Many calls with large results, sent in one chunk, to a process with a small heap: it has to survive them, and to
// serve other clients meanwhile.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { call, keepAlive, modern, readAll, readFlags, send, startProgram } from './program.mjs'

const flags = readFlags({ rounds: 10, 'heap-mib': 512, 'slowest-ms': 1000, 'peak-mib': 700 })
const megabyte = 1_000_000

/** Each sends its calls in one chunk, and resolves once they are answered. */
const ways = {
  batchOf100With9MB: async ({ url }) => {
    const headers = { 'mcp-protocol-version': '2025-03-26' }
    expectTooLarge(await readAll(await send(url, { body: callsWith(100, 9), headers })))
  },
  webSocketBatchOf100With9MB: async ({ url }) => {
    const socket = new WebSocket(new URL('/ws', url.href.replace('http', 'ws')), 'mcp')
    await once(socket, 'open')
    const initialize = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'soak', version: '1' } }
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'first', method: 'initialize', params: initialize }))
    await once(socket, 'message')
    socket.send(JSON.stringify(callsWith(100, 9)))
    const [answer] = await once(socket, 'message')
    expectTooLarge(answer.toString())
    socket.terminate()
  },
  pipelined60With9MB: (program) => pipeline(program, 60, 9),
  pipelined400With2MB: (program) => pipeline(program, 400, 2),
  stdio400With2MB: async ({ child }) => {
    const [, , , , pipe] = child.stdio
    const answered = untilReceived(pipe, 400 * 2 * megabyte)
    pipe.write(
      callsWith(400, 2)
        .map((message) => `${JSON.stringify(message)}\n`)
        .join(''),
    )
    await answered
  },
}

const report = {}
for (const [name, way] of Object.entries(ways)) report[name] = await runWay(way)
process.stdout.write(`${JSON.stringify(report)}\n`)
const isGood = ({ slowestMs, peakMiB }) => slowestMs <= flags['slowest-ms'] && peakMiB <= flags['peak-mib']
process.exitCode = Object.values(report).every(isGood) ? 0 : 1

async function runWay(way) {
  const program = await startProgram({ execArgv: [`--max-old-space-size=${flags['heap-mib']}`], pipe: true })
  const died = program.ended.then(({ signal, code }) => {
    throw new Error(`the program ended with ${signal ?? code}`)
  })
  died.catch(() => undefined)
  const bystander = watchCalls(program)
  for (let round = 0; round < flags.rounds; round++) await Promise.race([way(program), died])
  const times = await Promise.race([bystander.end(), died])
  const peakMiB = peakOf(program.child)
  program.child.kill('SIGKILL')
  return { rounds: flags.rounds, calls: times.length, slowestMs: Math.round(Math.max(...times)), peakMiB }
}

/** Calls of another client, one after the other. */
function watchCalls({ url }) {
  const agent = keepAlive(1)
  const over = new AbortController()
  const run = async () => {
    const times = []
    while (!over.signal.aborted) {
      const began = performance.now()
      const { status } = await call(url, modern('echo', { text: 'bystander' }), { agent })
      if (status !== 200) throw new Error(`a call of another client got ${status}`)
      times.push(performance.now() - began)
      await setTimeout(10)
    }
    agent.destroy()
    return times
  }
  const running = run()
  running.catch(() => undefined)
  return {
    end: () => {
      over.abort()
      return running
    },
  }
}

async function pipeline({ url }, count, megabytes) {
  const socket = connect(Number(url.port), url.hostname)
  await once(socket, 'connect')
  const answered = untilReceived(socket, count * megabytes * megabyte)
  const requests = callsWith(count, megabytes).map((message) => {
    const body = JSON.stringify(message)
    const head = [
      `POST ${url.pathname} HTTP/1.1`,
      `Host: ${url.host}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      'MCP-Protocol-Version: 2025-11-25',
      `Content-Length: ${body.length}`,
    ]
    return `${head.join('\r\n')}\r\n\r\n${body}`
  })
  socket.write(requests.join(''))
  await answered
  socket.destroy()
}

/** This many bytes arrive only if every call was answered with its result. */
function untilReceived(stream, bytes) {
  return new Promise((resolve, reject) => {
    let received = 0
    const count = (chunk) => {
      received += chunk.length
      if (received < bytes) return
      stream.off('data', count)
      resolve()
    }
    stream.on('data', count)
    stream.once('close', () => reject(new Error(`the connection was closed after ${received} of ${bytes} bytes`)))
  })
}

function callsWith(count, megabytes) {
  const params = { name: 'give_text', arguments: { megabytes } }
  return Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }))
}

function expectTooLarge(answer) {
  if (!answer.includes('Send its messages one by one')) throw new Error(`answered ${answer.slice(0, 200)}`)
}

/** Peak memory of the process in MiB. */
function peakOf({ pid }) {
  const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(kib / 1024)
}
