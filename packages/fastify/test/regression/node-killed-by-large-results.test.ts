import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { legacyMessage, toolCall } from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'

const program = join(__dirname, '..', 'fixtures', 'large-results.mjs')
/** Less than the results of one test together. */
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
  return Array.from({ length: count }, (_, index) =>
    legacyMessage('tools/call', toolCall(tool, { megabytes }), index + 1),
  )
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
  expect(await post(legacyMessage('tools/call', toolCall('short')))).toMatchObject({
    result: { content: [{ text: 'here' }] },
  })
  expect(node.exitCode).toBeNull()
}

describe('a node survives, and serves other clients,', () => {
  test('while a batch over HTTP has results of 180 MB', async () => {
    const answer = post(calls(20, 'later', 9))
    await expectServed()
    expect(await answer).toMatchObject({ error: { message: expect.stringContaining('Send its messages one by one') } })
  })

  test('while a client pipelines calls with results of 180 MB', async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    let received = 0
    const last = new Promise<void>((resolve) => {
      socket.on('data', (piece: Buffer) => {
        received += piece.length
        if (received > 20 * 9_000_000) resolve()
      })
    })
    socket.write(
      calls(20, 'later', 9)
        .map((message) => toRequest(message))
        .join(''),
    )
    await expectServed()
    await last
    await expectServed()
    socket.destroy()
  })

  test('while a client of HTTP+SSE pipelines calls with results of 120 MB', async () => {
    const [events, posts] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    let [path, received] = ['', 0]
    const last = new Promise<void>((resolve) => {
      events.on('data', (piece: Buffer) => {
        received += piece.length
        path ||= /^data: (.*)$/m.exec(piece.toString())?.[1] ?? ''
        if (received > 60 * 2_000_000) resolve()
      })
    })
    events.write(`GET /sse HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\n\r\n`)
    await until(() => path !== '')
    posts.write(
      calls(60, 'later', 2)
        .map((message) => toRequest(message, `/${path}`))
        .join(''),
    )
    await expectServed()
    await last
    await expectServed()
    for (const socket of [events, posts]) socket.destroy()
  })
})

test('a node survives when a stdio client sends calls with results of 120 MB in one chunk', async () => {
  const child = spawn(process.execPath, [heap, program, 'stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
  running.push(child)
  const messages = [...calls(60, 'later', 2), legacyMessage('tools/call', toolCall('short'), 'last')]
  child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
  let received = 0
  const last = new Promise<void>((resolve) => {
    child.stdout.on('data', (piece: Buffer) => {
      received += piece.length
      if (received > 60 * 2_000_000) resolve()
    })
    child.on('exit', () => resolve())
  })
  await last
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
})

function toRequest(message: object, path = '/mcp'): string {
  const body = JSON.stringify(message)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`
}
