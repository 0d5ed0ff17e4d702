import { gateway } from '@toolwright/gateway'
import type { FastifyInstance } from 'fastify'
import { createHost, McpTool } from 'toolwright'

class Tools {
  @McpTool({ description: 'Returns a text of two lines' })
  poem(): string {
    return 'one\ntwo'
  }
}

let app: FastifyInstance

beforeAll(async () => {
  app = await createHost(await gateway({ controllers: [Tools], fastify: { logger: false } }))
})

afterAll(() => app.close())

async function post(payload: string, headers: Readonly<Record<string, string>> = {}) {
  return app.inject({
    method: 'POST',
    url: '/sse',
    headers: { 'content-type': 'application/json', host: 'localhost', ...headers },
    payload,
  })
}

const ping = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })

describe('POST /sse', () => {
  test('sends each response as an event, and done as the last event', async () => {
    const { statusCode, headers, body } = await post(`[${ping(1)},${ping('two')}]`)
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8')
    const [id] = /\d+/.exec(body) ?? []
    const first = Number(id)
    expect(body).toBe(
      [
        `id: ${first}\nevent: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n`,
        `id: ${first + 1}\nevent: message\ndata: {"jsonrpc":"2.0","id":"two","result":{}}\n\n`,
        `id: ${first + 2}\nevent: done\ndata: {}\n\n`,
      ].join(''),
    )
  })

  test('sends line breaks as JSON', async () => {
    const { body } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'poem' }))
    expect(body).toContain('data: {"jsonrpc":"2.0","id":1,"result":"one\\ntwo"}\n')
  })

  test('sends only done for a notification', async () => {
    const { body } = await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    expect(body).toMatch(/^id: \d+\nevent: done\ndata: \{\}\n\n$/)
  })

  test('sends malformed JSON as the event error', async () => {
    const { statusCode, body } = await post('{')
    expect(statusCode).toBe(200)
    expect(body).toMatch(/^id: \d+\nevent: error\ndata: \{"jsonrpc":"2.0","error":\{"code":-32700/)
  })

  test('rejects foreign hosts, other media types and GET as the endpoint does', async () => {
    expect((await post(ping(1), { host: 'evil.example' })).statusCode).toBe(403)
    expect((await post(ping(1), { 'content-type': 'text/plain' })).statusCode).toBe(415)
    expect((await app.inject({ method: 'GET', url: '/sse', headers: { host: 'localhost' } })).statusCode).toBe(405)
  })

  test('rejects bodies over the limit with a status', async () => {
    const { statusCode, headers } = await post(`"${'a'.repeat(5_000_000)}"`)
    expect(statusCode).toBe(413)
    expect(headers['content-type']).toContain('application/json')
  })
})
