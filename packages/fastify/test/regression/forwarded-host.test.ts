// The original host of a request, behind a proxy that sends its own `Host`.
import type { FastifyServerOptions } from 'fastify'
import { closeApps, connectTo, legacyMessage, openApp } from '../../../../test/support/client/index.js'

afterEach(closeApps)

const allowedHosts = ['mcp.example.com']

test.each<[FastifyServerOptions['trustProxy'] | undefined, string, string, number]>([
  [['127.0.0.1'], 'upstream:8080', 'mcp.example.com', 200],
  [true, 'upstream:8080', 'mcp.example.com', 200],
  [['127.0.0.1'], 'upstream:8080', 'evil.example, mcp.example.com', 200],
  [['127.0.0.1'], 'upstream:8080', 'mcp.example.com, evil.example', 403],
  [['127.0.0.1'], 'mcp.example.com', 'evil.example', 403],
  [['10.0.0.1'], 'upstream:8080', 'mcp.example.com', 403],
  [['10.0.0.1'], 'mcp.example.com', 'evil.example', 200],
  [undefined, 'upstream:8080', 'mcp.example.com', 403],
  [undefined, 'mcp.example.com', 'evil.example', 200],
])(
  'with trustProxy %j, Host %s and X-Forwarded-Host %s the status is %i',
  async (trustProxy, host, forwarded, status) => {
    const client = connectTo(await openApp({ allowedHosts, fastify: trustProxy === undefined ? {} : { trustProxy } }), {
      era: 'legacy',
    })
    expect((await client.send(legacyMessage('ping'), { host, 'x-forwarded-host': forwarded })).status).toBe(status)
  },
)

test('a page of the forwarded host is allowed as Origin', async () => {
  const client = connectTo(await openApp({ allowedHosts, fastify: { trustProxy: ['127.0.0.1'] } }), { era: 'legacy' })
  const headers = { host: 'upstream:8080', 'x-forwarded-host': 'mcp.example.com', origin: 'https://mcp.example.com' }
  expect((await client.send(legacyMessage('ping'), headers)).status).toBe(200)
})
