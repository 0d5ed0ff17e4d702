import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createServer, type McpServer, McpTool, Type } from 'toolwright'
import { serveOverHttp } from '../../docs/snippets/write-a-transport.js'

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
