import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import express, { type Express } from 'express'
import type { FastifyInstance } from 'fastify'
import { mountInExpress } from '../../docs/snippets/come-from-elsewhere.js'

// The guide for applications of Express, in a real application.

let server: Server
let bank: FastifyInstance
let url: string

beforeEach(async () => {
  const app = express()
  bank = await mountQuietly(app)
  app.post('/echo', (request, response) => void response.json(request.body))
  url = await listen(app)
})

afterEach(async () => {
  await closeServer(server)
  await bank.close()
})

async function mountQuietly(app: Express): Promise<FastifyInstance> {
  const mounted = await mountInExpress(app)
  mounted.log.level = 'silent'
  return mounted
}

async function listen(app: Express): Promise<string> {
  server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function closeServer(open: Server): Promise<void> {
  open.closeAllConnections()
  await new Promise<void>((resolve) => open.close(() => resolve()))
}

async function post(path: string, body: object): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

test.each(['legacy', 'auto'] as const)('the official client calls a tool behind Express (%s)', async (mode) => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  const { content } = await client.callTool({ name: 'transfer', arguments: { account: 'ann', cents: 5 } })
  await client.close()
  expect(content).toEqual([{ type: 'text', text: '5 cents for ann' }])
})

test('behind Express, the other routes of the application still read their bodies', async () => {
  expect(await post('/echo', { a: 1 })).toEqual({ status: 200, text: '{"a":1}' })
})

test('pages of other sites are rejected, as without Express', async () => {
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: { origin: 'https://evil.example.com' } })
  expect(response.status).toBe(403)
})

test('a request behind express.json() gets an error, because its body was read already', async () => {
  const app = express()
  app.use(express.json())
  await closeServer(server)
  await bank.close()
  bank = await mountQuietly(app)
  url = await listen(app)
  expect(await post('/mcp', list)).toEqual({ status: 500, text: expect.stringContaining('Internal error') as string })
})

test('a request behind app.use gets 404, because the path is removed from its URL', async () => {
  const app = express()
  app.use('/mcp', (request, response) => bank.routing(request, response))
  await closeServer(server)
  url = await listen(app)
  expect(await post('/mcp', list)).toMatchObject({ status: 404 })
})
