import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import type { Authenticator } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { legacyMessage } from '../../../../test/support/client/index.js'

/** Accepts all requests, and notes their connections. */
class Doorkeeper implements Authenticator {
  readonly connections: unknown[] = []

  authenticate({ connection }: Parameters<Authenticator['authenticate']>[0]) {
    this.connections.push(connection)
    return { subject: 'anybody', roles: [], scopes: [], claims: {} }
  }
}

/** Posts over separate connections. Resolves with the status. */
interface Client {
  post(): Promise<number>
  close(): void
}

const path = '/mcp'
const body = JSON.stringify(legacyMessage('ping'))

function openHttp1(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    async post() {
      const headers = { 'content-type': 'application/json' }
      const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }).end(body)
      const [response] = await once(sent, 'response')
      await buffer(response)
      return response.statusCode
    },
    close: () => agent.destroy(),
  }
}

function openHttp2(port: number): Client {
  const session = connect(`http://127.0.0.1:${port}`)
  return {
    async post() {
      const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' }).end(body)
      const [headers] = await once(stream, 'response')
      await buffer(stream)
      return headers[':status']
    },
    close: () => session.close(),
  }
}

it.each([
  ['HTTP/1.1', () => Fastify(), openHttp1],
  ['HTTP/2', () => Fastify({ http2: true }) as unknown as FastifyInstance, openHttp2],
])('an authenticator gets the connection of requests, shared or not: %s', async (_version, create, open) => {
  const doorkeeper = new Doorkeeper()
  const app = create()
  await app.register(mcp, { name: 'wire', version: '1', controllers: [], authentication: doorkeeper })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const [one, other] = [open(port), open(port)]

  expect([await one.post(), await one.post(), await other.post()]).toEqual([200, 200, 200])

  const [first, second, third] = doorkeeper.connections
  expect([typeof first, first === second, first === third]).toEqual(['object', true, false])
  one.close()
  other.close()
  await app.close()
})
