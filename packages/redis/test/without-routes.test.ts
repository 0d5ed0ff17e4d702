// A load balancer that sends each request to another node, in front of official clients.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { Type } from 'toolwright'
import { closeApps, type TestTool } from '../../../test/support/client/index.js'
import { inTurn } from '../../fastify/test/support/in-turn.js'
import { openNodes } from './support/nodes.js'
import { RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests(closeApps)

const tools: readonly TestTool[] = [
  { name: 'echo', handler: () => 'on' },
  {
    name: 'asks',
    handler: async (_args, context) => {
      const { action } = await context.elicit({ message: 'Sure?', schema: Type.Object({ ok: Type.Boolean() }) })
      return action
    },
  },
]

async function openPorts(): Promise<readonly [number, number]> {
  const requestState = { keys: ['k'.repeat(40)] }
  const [a, b] = await openNodes(server, { tools, legacySse: true, requestState })
  return [a.port, b.port]
}

it.each(['legacy', 'auto'] as const)('a client (%s) lists and calls, on every node', async (mode) => {
  const ports = await openPorts()
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${ports[0]}/mcp`), inTurn(ports))
  const client = new Client({ name: 'moving', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(transport)

  const names = []
  for (let index = 0; index < 4; index++) names.push((await client.listTools()).tools.map(({ name }) => name).join())
  const results = []
  for (let index = 0; index < 4; index++) results.push((await client.callTool({ name: 'echo' })).content)

  expect(new Set(names)).toEqual(new Set(['asks,echo']))
  expect(results).toStrictEqual(results.map(() => [{ type: 'text', text: 'on' }]))
  await client.close()
})

it('an input request of 2026-07-28 can be answered on every node', async () => {
  const ports = await openPorts()
  const way = inTurn(ports)
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${ports[0]}/mcp`), way)
  const capabilities = { elicitation: { form: {} } }
  const options = { versionNegotiation: { mode: 'auto' }, capabilities } as const
  const client = new Client({ name: 'moving', version: '1.0.0' }, options)
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { ok: true } }))
  await client.connect(transport)

  const results = []
  for (let index = 0; index < 3; index++) results.push((await client.callTool({ name: 'asks' })).content)

  expect(results).toStrictEqual(results.map(() => [{ type: 'text', text: 'accept' }]))
  expect(new Set(way.statuses)).toEqual(new Set([200]))
  await client.close()
})

it('an HTTP+SSE client whose message arrives at another node gets an error that tells it to reopen its stream', async () => {
  const ports = await openPorts()
  const url = new URL(`http://127.0.0.1:${ports[0]}/sse`)
  const client = new OldClient({ name: 'old', version: '1.0.0' })

  const connecting = client.connect(new SSEClientTransport(url, inTurn(ports)))

  await expect(connecting).rejects.toThrow(/404.*Session not found: open the stream again/)
  await client.close()
})
