import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createServer, type McpServer, McpTool, Type } from 'toolwright'
import { serveOverHttp, serveOverTcp } from '../../docs/snippets/write-a-transport.js'

class WeatherTools {
  @McpTool({ description: 'Forecast for one day', input: Type.Object({ city: Type.String() }) })
  forecast({ city }: { city: string }): string {
    return `Sunny in ${city}`
  }
}

describe('the transport of the guide', () => {
  let server: McpServer
  let http: ReturnType<typeof serveOverHttp>
  let port: number

  beforeAll(async () => {
    server = await createServer({ name: 'weather', version: '1.0.0', controllers: [WeatherTools] })
    http = serveOverHttp(server).listen(0, '127.0.0.1')
    await once(http, 'listening')
    port = (http.address() as AddressInfo).port
  })

  afterAll(async () => {
    http.closeAllConnections()
    http.close()
    await server.close()
  })

  test.each(['2026-07-28', 'legacy'] as const)('serves the official client in %s', async (mode) => {
    const versionNegotiation = { mode: mode === 'legacy' ? ('legacy' as const) : { pin: mode } }
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation })
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/`)))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['forecast'])
    const { content } = await client.callTool({ name: 'forecast', arguments: { city: 'Bern' } })
    expect(content).toEqual([{ type: 'text', text: 'Sunny in Bern' }])
    await client.close()
  })

  test.each([
    [{ host: 'evil.example' }, '{}', 403],
    [{}, '{"jsonrpc"', 400],
    [{}, ' '.repeat(5 * 1024 * 1024), 413],
  ])('rejects %j with %#', async (headers, body, status) => {
    const sent = request({ port, host: '127.0.0.1', method: 'POST', headers: { host: 'localhost', ...headers } })
    sent.on('error', () => undefined)
    sent.end(body)
    const [response] = await once(sent, 'response')
    response.resume()
    expect(response.statusCode).toBe(status)
  })
})

describe('the connection of the guide', () => {
  let server: McpServer
  let tcp: ReturnType<typeof serveOverTcp>
  let socket: Socket
  const text = 'x'.repeat(4_000_000)

  beforeAll(async () => {
    server = await createServer({ name: 'weather', version: '1.0.0', controllers: [WeatherTools] })
    server.catalog.addTool({ name: 'long', handler: () => text })
    tcp = serveOverTcp(server).listen(0, '127.0.0.1')
    await once(tcp, 'listening')
  })

  beforeEach(async () => {
    socket = connect({ port: (tcp.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined)
    await once(socket, 'connect')
  })

  afterEach(() => socket.destroy())

  afterAll(async () => {
    tcp.close()
    await server.close()
  })

  function frameOf(body: string): Buffer {
    const frame = Buffer.alloc(4 + Buffer.byteLength(body))
    frame.writeUInt32BE(Buffer.byteLength(body))
    frame.write(body, 4)
    return frame
  }

  const callOf = (id: number, name: string, args: object = {}): Buffer =>
    frameOf(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }))

  // oxlint-disable-next-line typescript/no-explicit-any
  async function readAll(): Promise<any[]> {
    const pieces: Buffer[] = []
    for await (const piece of socket) pieces.push(piece as Buffer)
    const bytes = Buffer.concat(pieces)
    const answers: object[] = []
    for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32BE(at)) {
      answers.push(JSON.parse(bytes.toString('utf8', at + 4, at + 4 + bytes.readUInt32BE(at))) as object)
    }
    return answers
  }

  test('answers calls, and messages that are not JSON, after the client has sent everything', async () => {
    socket.end(Buffer.concat([callOf(1, 'forecast', { city: 'Bern' }), frameOf('{')]))
    const answers = await readAll()
    expect(answers.find(({ id }) => id === 1).result.content[0].text).toBe('Sunny in Bern')
    expect(answers.find(({ id }) => id !== 1).error.code).toBe(-32700)
  })

  test('sends all results to a client that reads late', async () => {
    socket.pause()
    socket.end(Buffer.concat(Array.from({ length: 8 }, (_, id) => callOf(id, 'long'))))
    await new Promise((resolve) => setTimeout(resolve, 200))
    const answers = await readAll()
    expect(answers.map(({ result }) => result.content[0].text.length)).toEqual(
      Array.from({ length: 8 }, () => 4_000_000),
    )
  })

  test('disconnects a client that sends a message that is too long', async () => {
    socket.write(Buffer.from([0xff, 0, 0, 0]))
    await once(socket.resume(), 'end')
    expect(server.inFlight.count).toBe(0)
  })
})
