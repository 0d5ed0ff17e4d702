import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { call, legacy } from '../support/wire.js'

const program = join(__dirname, '..', 'fixtures', 'large-results.mjs')
/** A tenth of what the calls of one test return together. */
const heap = '--max-old-space-size=100'
const running: ChildProcess[] = []

afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

let port = 0
let node: ChildProcess

beforeAll(async () => {
  node = spawn(process.execPath, [heap, program], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(node)
  const [line] = (await once(node.stdout as never, 'data')) as [Buffer]
  port = Number(line.toString())
})

function calls(count: number, tool: string, megabytes: number): object[] {
  return Array.from({ length: count }, (_, index) => legacy('tools/call', call(tool, { megabytes }), index + 1))
}

const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-03-26',
}

async function post(message: unknown): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify(message),
  })
  return response.json()
}

async function expectServed(): Promise<void> {
  expect(await post(legacy('tools/call', call('short')))).toMatchObject({ result: { content: [{ text: 'here' }] } })
  expect(node.exitCode).toBeNull()
}

const tools = ['at-once', 'later']

describe('a node stays up, and serves others', () => {
  test.each(tools)('while a batch over HTTP has results of 900 MB (%s)', async (tool) => {
    const answer = post(calls(100, tool, 9))
    await expectServed()
    expect(await answer).toMatchObject({ error: { message: expect.stringContaining('Send its messages one by one') } })
  })

  test.each(tools)('while a batch over a WebSocket has results of 900 MB (%s)', async (tool) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, 'mcp')
    await once(socket, 'open')
    const initialize = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    socket.send(JSON.stringify(legacy('initialize', initialize, 'init')))
    await once(socket, 'message')
    socket.send(JSON.stringify(calls(100, tool, 9)))
    await expectServed()
    const [answer] = (await once(socket, 'message')) as [Buffer]
    expect(JSON.parse(answer.toString())).toMatchObject({ error: { code: -32603 } })
    socket.terminate()
  })

  test.each(tools)('while calls in one piece over a WebSocket have results of 180 MB (%s)', async (tool) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, 'mcp')
    await once(socket, 'open')
    for (const message of calls(90, tool, 2)) socket.send(JSON.stringify(message))
    await expectServed()
    await sleep(200)
    await expectServed()
    socket.terminate()
  })

  const reading = [true, false].flatMap((reads) =>
    tools.map((tool) => [reads ? 'reads' : 'does not read', tool] as const),
  )

  test.each(reading)('while a client pipelines calls with results of 540 MB, and %s (%s)', async (reads, tool) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    if (reads === 'does not read') socket.pause()
    let received = 0
    const last = new Promise<void>((resolve) => {
      socket.on('data', (piece: Buffer) => {
        received += piece.length
        if (received > 60 * 9_000_000) resolve()
      })
      if (reads === 'does not read') socket.pause()
    })
    socket.write(calls(60, tool, 9).map(toRequest).join(''))
    await expectServed()
    if (reads === 'reads') await last
    await expectServed()
    socket.destroy()
  })

  test.each(reading)('while a client of stdio sends calls with results of 400 MB, and %s (%s)', async (reads, tool) => {
    const child = spawn(process.execPath, [heap, program, 'stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
    running.push(child)
    const messages = [...calls(200, tool, 2), legacy('tools/call', call('short'), 'last')]
    child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
    if (reads === 'does not read') await sleep(1000)
    const lines = createInterface({ input: child.stdout })
    let count = 0
    for await (const line of lines) {
      count++
      if (line.includes('"last"')) break
    }
    expect(count).toBe(201)
    expect(child.exitCode).toBeNull()
    child.kill('SIGKILL')
  })
})

function toRequest(message: object): string {
  const body = JSON.stringify(message)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`
}
