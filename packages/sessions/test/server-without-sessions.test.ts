import { createServer, McpTool } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { connectTo, joinSession } from '../../../test/support/client/index.js'

const identity = { name: 'plain', version: '1.0.0' }
const unknownSession = '00000000-0000-4000-8000-000000000000'
const content = [{ type: 'text', text: 'hello' }]

class GreetingTools {
  @McpTool({ description: 'Greets' })
  greet(): string {
    return 'hello'
  }
}

async function openPlainApp(): Promise<FastifyInstance> {
  const app = Fastify({ logger: false })
  await app.register(mcp, { server: await createServer({ ...identity, controllers: [GreetingTools] }) })
  return app
}

describe('createServer of core, which has no sessions', () => {
  test('serves legacy clients over HTTP without a session', async () => {
    const app = await openPlainApp()
    const client = connectTo(app, { era: 'legacy', headers: { 'mcp-protocol-version': '2025-11-25' } })
    const handshake = await client.initialize('2025-11-25')
    expect([handshake.status, handshake.json.result.protocolVersion]).toEqual([200, '2025-11-25'])
    expect(handshake.headers).not.toHaveProperty('mcp-session-id')
    expect((await client.notify('notifications/initialized')).status).toBe(202)
    expect((await client.call('greet')).json.result.content).toEqual(content)
    // A session that another server opened: the id is ignored.
    expect((await joinSession(app, unknownSession).call('greet')).json.result.content).toEqual(content)
    await app.close()
  })

  test('rejects the methods of HTTP that only sessions have', async () => {
    const app = await openPlainApp()
    const headers = { accept: 'text/event-stream', 'mcp-session-id': unknownSession }
    for (const method of ['GET', 'DELETE'] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const reply = await app.inject({ method, url: '/mcp', headers })
      expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'POST'])
    }
    await app.close()
  })

  test('serves modern clients, and has no metrics of sessions', async () => {
    const app = await openPlainApp()
    expect((await connectTo(app).call('greet')).json.result.content).toEqual(content)
    expect(app.mcp.metrics()).not.toHaveProperty('sessions')
    await app.close()
  })

  test.each(['sessionStore', 'eventStore', 'tasks', 'skills'])(
    'rejects the option %s, and names the other createServer',
    async (name) => {
      const options = { ...identity, controllers: [GreetingTools], [name]: {} }
      const fix = 'Create the server with createServer of @toolwright/server.'
      await expect(createServer(options)).rejects.toThrow(`${name} is not an option. ${fix}`)
    },
  )
})
