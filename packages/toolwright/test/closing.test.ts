import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createHost, type HostOptions, McpTool } from 'toolwright'

let closed: string[] = []

/** Everything that can close the application while it is served, and tells when it is let go itself. */
async function open(options: Partial<HostOptions> = {}): Promise<FastifyInstance> {
  class Stops {
    @McpTool()
    stop(): string {
      void app.close()
      void app.mcp.close()
      return 'stopping'
    }

    dispose(): void {
      closed.push('controller')
    }
  }
  const app = await createHost({
    name: 'closing',
    version: '1.0.0',
    controllers: [Stops],
    fastify: { logger: false },
    drainTimeoutMs: 5000,
    ...options,
  })
  app.addHook('onClose', async () => {
    closed.push('application')
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

async function callStop(app: FastifyInstance): Promise<unknown> {
  const { port } = app.server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'stop' } }),
  })
  return response.json()
}

const stopping = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'stopping' }] } }

beforeEach(() => {
  closed = []
})

test('a server that is closed many times at once lets go of everything once', async () => {
  const app = await open()
  await Promise.all([app.close(), app.mcp.close(), app.close(), app.mcp.close()])
  await app.close()

  expect(closed.toSorted()).toEqual(['application', 'controller'])
})

test('a tool that closes its own server is answered, and the server ends once', async () => {
  const app = await open()

  expect(await callStop(app)).toEqual(stopping)
  await app.close()
  expect(app.server.listening).toBe(false)
  expect(closed.toSorted()).toEqual(['application', 'controller'])
})

test('so is one whose server is closed by a hook of the call', async () => {
  const onCompleted = (): void => void app.close()
  const app = await open({ hooks: [{ onCompleted }] })

  expect(await callStop(app)).toEqual(stopping)
  await app.close()
  expect(closed.toSorted()).toEqual(['application', 'controller'])
})
