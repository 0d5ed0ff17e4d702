import websocket from '@fastify/websocket'
import { mcp } from '@toolwright/fastify'
import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import {
  closeApps,
  connectTo,
  legacyMessage,
  listen,
  modernMessage,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { openSocket } from '../support/web-socket-client.js'

const tools: readonly TestTool[] = [
  { name: 'anywhere', handler: (_args, context) => String(context.transport) },
  { name: 'by_http', transports: ['http'], handler: (_args, context) => String(context.transport) },
  { name: 'by_socket', transports: ['websocket'], handler: (_args, context) => String(context.transport) },
  { name: 'local', transports: ['stdio'], handler: () => 'local' },
]

function namesOf({ result }: { result: { tools: readonly { name: string }[] } }): string[] {
  return result.tools.map(({ name }) => name)
}

async function postRpc(app: FastifyInstance, payload: object) {
  return (await app.inject({ method: 'POST', url: '/rpc', payload })).json()
}

afterEach(closeApps)

describe.each([
  ['modern', modernMessage],
  ['legacy', legacyMessage],
] as const)('tools with transports, in %s messages', (era, write) => {
  it('are served by Streamable HTTP and plain JSON-RPC as http', async () => {
    const app = await openApp({ tools, rpc: true })
    const send = async (message: ReturnType<typeof legacyMessage>) =>
      (era === 'modern' ? await connectTo(app).send(message) : await connectTo(app, { era: 'legacy' }).send(message))
        .json
    for (const ask of [send, (message: object) => postRpc(app, message)]) {
      // oxlint-disable-next-line no-await-in-loop
      expect(namesOf(await ask(write('tools/list')))).toEqual(['anywhere', 'by_http'])
      // oxlint-disable-next-line no-await-in-loop
      expect((await ask(write('tools/call', toolCall('by_http')))).result.content[0].text).toBe('http')
      // oxlint-disable-next-line no-await-in-loop
      expect((await ask(write('tools/call', toolCall('local')))).error.message).toBe(
        "Tool 'local' is not served over http. It needs stdio",
      )
    }
  })

  it('are served over WebSocket', async () => {
    const app = Fastify()
    await app.register(websocket)
    await app.register(mcp, { name: 'wire', version: '1.0.0', controllers: [], webSocket: true })
    for (const tool of tools) app.mcp.catalog.addTool(tool)
    const client = await openSocket(await listen(app))
    expect(namesOf(await client.request(write('tools/list')))).toEqual(['anywhere', 'by_socket'])
    const { result } = await client.request(write('tools/call', toolCall('by_socket')))
    expect(result.content[0].text).toBe('websocket')
    const { error } = await client.request(write('tools/call', toolCall('by_http')))
    expect(error.message).toBe("Tool 'by_http' is not served over websocket. It needs http")
    await app.close()
  })
})

it('tools with transports are the same in each part of a batch', async () => {
  const client = connectTo(await openApp({ tools }), { era: 'legacy' })
  const { json } = await client.send(
    [legacyMessage('tools/list', {}, 1), legacyMessage('tools/call', toolCall('by_http'), 2)],
    {
      'mcp-protocol-version': '2025-03-26',
    },
  )
  expect(namesOf(json[0])).toEqual(['anywhere', 'by_http'])
  expect(json[1].result.content[0].text).toBe('http')
})

it('an endpoint requires authentication if all anonymous tools are served over stdio only', async () => {
  const app = await openApp({
    authorization: { default: 'authenticated' },
    authentication: { authenticate: () => null },
    onReady: ({ catalog }) => {
      catalog.addTool({ name: 'local', transports: ['stdio'], allowAnonymous: true, handler: () => 'local' })
      catalog.addTool({ name: 'guarded', handler: () => 'guarded' })
    },
  })
  const client = connectTo(app)
  expect((await client.request('tools/list')).status).toBe(401)
  app.mcp.catalog.addTool({ name: 'open', transports: ['http'], allowAnonymous: true, handler: () => 'open' })
  expect(namesOf((await client.request('tools/list')).json)).toEqual(['open'])
})
