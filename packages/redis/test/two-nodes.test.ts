// Two nodes behind one Redis: a client may come to either, and to the other when one is gone.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { call, closeApps, createGate, legacy, post, until, type WireTool } from '../../fastify/test/support/wire.js'
import { openNodes, openSessions } from './support/nodes.js'
import { RedisServer } from './support/redis-server.js'

let server: RedisServer

beforeAll(async () => {
  server = await RedisServer.start()
})
afterEach(async () => {
  await closeApps()
  server.closeAll()
})
afterAll(() => server.stop())

const echo: WireTool = { name: 'echo', handler: () => 'on' }

it('an official client whose session was opened on one node goes on at the other, also when the first is closed', async () => {
  const [a, b] = await openNodes(server, { tools: [echo] })
  let { port } = a
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
    // As a load balancer does it.
    fetch: async (url, init) => fetch(String(url).replace(/:\d+/, `:${port}`), init),
  })
  const client = new Client({ name: 'moving', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(transport)
  const { sessionId } = transport

  port = b.port
  const whileBothAreThere = await client.callTool({ name: 'echo' })
  await a.app.close()
  const afterwards = await client.callTool({ name: 'echo' })

  expect([whileBothAreThere.content, afterwards.content]).toStrictEqual(
    Array.from({ length: 2 }, () => [{ type: 'text', text: 'on' }]),
  )
  expect([typeof sessionId, transport.sessionId]).toStrictEqual(['string', sessionId])
  await client.close()
})

it('DELETE on one node ends the session on the other, with its calls and streams', async () => {
  const gate = createGate()
  let aborted = 0
  const wait: WireTool = {
    name: 'wait',
    handler: async (_args, { signal }) => {
      signal.addEventListener('abort', () => aborted++)
      await gate.opened
    },
  }
  const nodes = await openNodes(server, { tools: [wait] })
  const [a, b] = nodes
  const { headers, atA, close } = await openSessions(nodes)
  const stream = await atA.get()
  const calling = post(a.app, legacy('tools/call', call('wait')), headers)
  await until(() => a.app.mcp.figures().inFlight.value > 0)

  const deleted = await b.app.inject({ method: 'DELETE', url: '/mcp', headers })

  expect(deleted.statusCode).toBe(200)
  expect((await stream.rest()).filter(({ data }) => data !== '')).toStrictEqual([])
  await calling
  expect(aborted).toBe(1)
  const statuses = await Promise.all([a, b].map(async ({ app }) => (await post(app, legacy('ping'), headers)).status))
  expect(statuses).toStrictEqual([404, 404])
  gate.open()
  close()
})
