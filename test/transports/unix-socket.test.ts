import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Answer, Exchange, parseJson, runningServer } from '@toolwright/core/transport'
import { createServer, McpContext, type McpServer, McpTool, type Principal, type ServerOptions, Type } from 'toolwright'
import { createGate } from '../support/gate.js'
import { until } from '../support/until.js'

/** One line of JSON. The client names its user in the first line. */
class LineExchange extends Exchange {
  constructor(
    message: unknown,
    principal: Principal | null,
    private readonly socket: Socket,
    { log }: McpServer,
  ) {
    super({ message, headers: null, sender: { principal, transport: null, headers: null, log } })
    socket.once('close', () => this.disconnected())
  }

  protected sendAnswer({ body }: Answer): void {
    if (body !== null) this.socket.write(`${body.toString()}\n`)
  }

  send(json: string): void {
    this.socket.write(`${json}\n`)
  }

  crash(error: unknown): void {
    this.socket.destroy(error as Error)
  }
}

/** Serves lines of JSON over a Unix socket, as the guide for transports describes. */
function serveOverUnixSocket(server: McpServer, path: string): Server {
  const running = runningServer(server)
  return createSocketServer((socket) => {
    let principal: Principal | null = null
    socket.on('error', () => undefined)
    createInterface({ input: socket }).on('line', (line) => {
      if (line.startsWith('user '))
        principal = { subject: line.slice('user '.length), roles: [], scopes: [], claims: {} }
      else running.receive(new LineExchange(parseJson(Buffer.from(line), running.limits), principal, socket, server))
    })
  }).listen(path)
}

const started: string[] = []
const cancelled: string[] = []
let gate = createGate()

class WaitTools {
  @McpTool({ description: 'Waits until the gate opens', input: Type.Object({ name: Type.String() }) })
  async wait({ name }: { name: string }, context: McpContext): Promise<string> {
    started.push(name)
    context.signal.addEventListener('abort', () => cancelled.push(name))
    await gate.opened
    return `waited for ${name}`
  }
}

interface Received {
  readonly id?: unknown
  readonly result?: { readonly content: readonly { readonly text: string }[] }
  readonly error?: { readonly code: number; readonly message: string }
  readonly method?: string
}

interface LineClient {
  readonly socket: Socket
  readonly received: Received[]
  send(message: object): void
  call(id: number, name: string): void
}

describe('a transport over a Unix socket, written by the guide', () => {
  let folder: string
  let server: McpServer
  let listening: Server
  const clients: LineClient[] = []

  async function start(options: Partial<ServerOptions>): Promise<void> {
    gate = createGate()
    server = await createServer({ name: 'outside', version: '1.0.0', controllers: [WaitTools], ...options })
    listening = serveOverUnixSocket(server, join(folder, 'mcp.sock'))
    await once(listening, 'listening')
  }

  async function open(user?: string): Promise<LineClient> {
    const socket = connect(join(folder, 'mcp.sock'))
    await once(socket, 'connect')
    const received: Received[] = []
    createInterface({ input: socket }).on('line', (line) => received.push(JSON.parse(line) as Received))
    const send = (message: object): void => void socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const call = (id: number, name: string): void =>
      send({ id, method: 'tools/call', params: { name: 'wait', arguments: { name }, _meta } })
    if (user !== undefined) socket.write(`user ${user}\n`)
    const client = { socket, received, send, call }
    clients.push(client)
    return client
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'unix-socket-'))
    started.length = 0
    cancelled.length = 0
  })

  afterEach(async () => {
    gate.open()
    for (const { socket } of clients.splice(0)) socket.destroy()
    listening.close()
    await server.close()
    rmSync(folder, { recursive: true })
  })

  test('serves one of three calls with maxInFlight 1, and rejects two', async () => {
    await start({ limits: { maxInFlight: 1 } })
    const client = await open()
    for (const id of [1, 2, 3]) client.call(id, `call ${id}`)
    await until(() => client.received.length === 2)
    expect(client.received.map(({ id }) => id)).toEqual([2, 3])
    expect(client.received.map(({ error }) => error?.message)).toEqual(
      Array.from({ length: 2 }, () => 'The server is busy. Try again in 1 s'),
    )
    expect(server.metrics()).toMatchObject({ inFlight: { value: 1, max: 1 }, rejectedRequests: 2 })
    expect(server.gauges.all.find(({ name }) => name === 'requests_in_flight')?.read()).toBe(1)
    gate.open()
    await until(() => client.received.length === 3)
    expect(client.received[2]).toMatchObject({ id: 1, result: { content: [{ text: 'waited for call 1' }] } })
    expect(started).toEqual(['call 1'])
    expect(server.metrics().inFlight.value).toBe(0)
  })

  test('holds close() until its calls are answered', async () => {
    await start({})
    const client = await open()
    client.call(1, 'last')
    await until(() => started.length === 1)
    let isClosed = false
    const close = async (): Promise<void> => {
      await server.close()
      isClosed = true
    }
    const closing = close()
    await nextTurn()
    expect(isClosed).toBe(false)
    gate.open()
    await closing
    await until(() => client.received.length === 1)
    expect(client.received[0]).toMatchObject({ id: 1, result: { content: [{ text: 'waited for last' }] } })
  })

  test('limits the calls of each caller', async () => {
    await start({ limits: { maxInFlightPerCaller: 1 } })
    const [ada, grace] = [await open('ada'), await open('grace')]
    ada.call(1, 'first of ada')
    await until(() => started.length === 1)
    ada.call(2, 'second of ada')
    grace.call(1, 'first of grace')
    await until(() => ada.received.length === 1 && started.length === 2)
    expect(ada.received[0]).toMatchObject({ id: 2, error: { message: expect.stringContaining('at most 1 at once') } })
    expect(started).toEqual(['first of ada', 'first of grace'])
    gate.open()
    await until(() => ada.received.length === 2 && grace.received.length === 1)
  })

  test('cancels the calls of a client that disconnects, and frees their places', async () => {
    await start({ limits: { maxInFlight: 1 } })
    const client = await open()
    client.call(1, 'abandoned')
    await until(() => started.length === 1)
    client.socket.destroy()
    await until(() => cancelled.includes('abandoned'))
    await until(() => server.inFlight.count === 0)
    const other = await open()
    other.call(1, 'next')
    await until(() => started.length === 2)
    gate.open()
    await until(() => other.received.length === 1)
    expect(other.received[0]).toMatchObject({ id: 1, result: {} })
  })
})
