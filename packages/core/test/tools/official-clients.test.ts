import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import {
  Client as Client2,
  type ClientOptions,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

// Each official client against a server in a separate process: compiled code, real pipes and sockets.

const program = join(__dirname, '..', 'fixtures', 'server.mjs')

interface CallOptions {
  signal?: AbortSignal
  onprogress?: (progress: object) => void
}

interface Connection {
  listNames(): Promise<string[]>
  call(params: { name: string; arguments?: Record<string, unknown> }, options?: CallOptions): Promise<object>
  readonly stderr: Readable
  close(): Promise<void>
}

interface HttpServer {
  readonly url: URL
  readonly stderr: Readable
}

const identity = { name: 'official-client', version: '1.0.0' }
const onStdio = { command: process.execPath, args: [program], stderr: 'pipe' } as const

async function connect1(transport: Stdio1 | Http1, stderr: Readable): Promise<Connection> {
  const client = new Client1(identity)
  await client.connect(transport)
  return {
    listNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (params, options) => client.callTool(params, undefined, options),
    stderr,
    close: () => client.close(),
  }
}

type Mode = NonNullable<ClientOptions['versionNegotiation']>['mode']

async function connect2(transport: Stdio2 | Http2, stderr: Readable, mode: Mode): Promise<Connection> {
  const client = new Client2(identity, { versionNegotiation: { mode } })
  await client.connect(transport)
  expect(client.getProtocolEra()).toBe(mode === 'legacy' ? 'legacy' : 'modern')
  return {
    listNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (params, options) => client.callTool(params, options),
    stderr,
    close: () => client.close(),
  }
}

function overStdio1(): Promise<Connection> {
  const transport = new Stdio1({ ...onStdio, args: [...onStdio.args] })
  return connect1(transport, transport.stderr as Readable)
}

function overStdio2(mode: Mode): Promise<Connection> {
  const transport = new Stdio2({ ...onStdio, args: [...onStdio.args] })
  return connect2(transport, transport.stderr as Readable, mode)
}

const modern = { pin: '2026-07-28' }

const clients: readonly [string, (server: HttpServer) => Promise<Connection>][] = [
  ['1.x, stdio', () => overStdio1()],
  ['1.x, HTTP', ({ url, stderr }) => connect1(new Http1(url), stderr)],
  ['2.x, stdio, legacy', () => overStdio2('legacy')],
  ['2.x, stdio, modern', () => overStdio2(modern)],
  ['2.x, stdio, finding out the era', () => overStdio2('auto')],
  ['2.x, HTTP, legacy', ({ url, stderr }) => connect2(new Http2(url), stderr, 'legacy')],
  ['2.x, HTTP, modern', ({ url, stderr }) => connect2(new Http2(url), stderr, modern)],
  ['2.x, HTTP, finding out the era', ({ url, stderr }) => connect2(new Http2(url), stderr, 'auto')],
]

/** Resolves with the output of a stream as soon as it contains a text. */
async function untilPrinted(stream: Readable, text: RegExp): Promise<string> {
  let printed = ''
  const read = (chunk: Buffer): void => void (printed += chunk.toString())
  stream.on('data', read)
  while (!text.test(printed)) await once(stream, 'data')
  stream.off('data', read)
  return printed
}

let httpProcess: ChildProcess
let httpServer: HttpServer

beforeAll(async () => {
  httpProcess = spawn(process.execPath, [program, '--http'])
  const printed = await untilPrinted(httpProcess.stdout as Readable, /^http.*\n/m)
  const [url] = /^http.*$/m.exec(printed) as RegExpExecArray
  httpServer = { url: new URL(url), stderr: httpProcess.stderr as Readable }
})

afterAll(async () => {
  const ended = once(httpProcess, 'exit')
  httpProcess.kill()
  await ended
})

describe.each(clients)('%s', (_name, connect) => {
  let connection: Connection

  beforeAll(async () => {
    connection = await connect(httpServer)
  })

  afterAll(() => connection.close())

  it('lists the tools', async () => {
    expect(await connection.listNames()).toEqual(['add', 'chat', 'count', 'fail', 'fill', 'release', 'sleep', 'wait'])
  })

  it('calls a tool', async () => {
    expect(await connection.call({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
      content: [{ type: 'text', text: '{"sum":3}' }],
      structuredContent: { sum: 3 },
    })
  })

  it('gets errors', async () => {
    expect(await connection.call({ name: 'fail' })).toMatchObject({
      content: [{ type: 'text', text: 'Not today.' }],
      isError: true,
    })
    expect(await connection.call({ name: 'sleep', arguments: { ms: 'long' } })).toMatchObject({
      content: [{ type: 'text', text: "Invalid arguments for tool 'sleep': 'ms' must be an integer, got a string." }],
      isError: true,
    })
    await expect(connection.call({ name: 'slep' })).rejects.toMatchObject({
      code: -32602,
      data: { suggestions: ['sleep'] },
    })
  })

  it('gets progress', async () => {
    const reported: object[] = []
    // The clients lose progress that arrives together with the result, so the result waits for another request.
    let released: Promise<object> | undefined
    const onprogress = (progress: object): void => {
      if (reported.push(progress) === 2) released = connection.call({ name: 'release' })
    }
    expect(await connection.call({ name: 'count' }, { onprogress })).toMatchObject({
      content: [{ type: 'text', text: 'counted' }],
    })
    expect(reported).toEqual([
      { progress: 1, total: 2, message: 'half' },
      { progress: 2, total: 2 },
    ])
    await released
  })

  it('cancels a call', async () => {
    const controller = new AbortController()
    const started = untilPrinted(connection.stderr, /wait has started\n/)
    const outcome = connection.call({ name: 'wait' }, { signal: controller.signal }).then(
      () => 'answered',
      () => 'rejected',
    )
    await started
    const stopped = untilPrinted(connection.stderr, /wait was stopped\n/)
    controller.abort()
    expect(await outcome).toBe('rejected')
    await stopped
  })

  it('works with a tool that prints', async () => {
    const chat = { content: [{ type: 'text', text: 'said' }] }
    expect(await connection.call({ name: 'chat' })).toMatchObject(chat)
    expect(await connection.call({ name: 'chat' })).toMatchObject(chat)
  })
})
