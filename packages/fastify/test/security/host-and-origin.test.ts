import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import {
  type AppOptions,
  closeApps,
  connectTo,
  legacyMessage,
  listen,
  openApp,
  type Reply,
} from '../../../../test/support/client/index.js'

afterEach(closeApps)

async function statusOf(app: FastifyInstance, host: string, origin?: string): Promise<number> {
  return (await connectTo(app, { era: 'legacy' }).send(legacyMessage('ping'), { host, origin })).status
}

function expectForbidden({ status, json }: Reply, what: string): void {
  expect([status, json]).toStrictEqual([
    403,
    { jsonrpc: '2.0', error: { code: -32600, message: `Forbidden: the ${what} is not allowed` } },
  ])
}

describe('the Host header', () => {
  const cases: [string, AppOptions, string, number][] = [
    ['localhost', {}, 'localhost', 200],
    ['localhost with a port', {}, 'localhost:3000', 200],
    ['the loopback address', {}, '127.0.0.1:3000', 200],
    ['the loopback address of IPv6', {}, '[::1]:3000', 200],
    ['the loopback address of IPv6 without a port', {}, '[::1]', 200],
    ['upper case', {}, 'LocalHost:3000', 200],
    ['a stranger', {}, 'evil.example.com', 403],
    ['a stranger with a port', {}, 'evil.example.com:3000', 403],
    ['a stranger below localhost', {}, 'localhost.evil.example.com', 403],
    ['a stranger that ends in localhost', {}, 'evil-localhost', 403],
    ['a trailing dot', {}, 'localhost.', 403],
    ['a user before the host', {}, 'evil@localhost', 403],
    ['a path behind the host', {}, 'localhost/evil', 403],
    ['two hosts', {}, 'localhost, evil.example.com', 403],
    ['another loopback address', {}, '127.0.0.2', 403],
    ['0.0.0.0, which some systems treat as loopback', {}, '0.0.0.0:3000', 403],
    ['an address in decimal', {}, '2130706433', 403],
    ['IPv6 without brackets', {}, '::1', 403],
    ['another IPv6 address', {}, '[::2]:3000', 403],
    ['a port that is not a number', {}, 'localhost:http', 403],
    ['a port that is empty', {}, 'localhost:', 403],
    ['an allowed host', { allowedHosts: ['mcp.example.com'] }, 'mcp.example.com', 200],
    ['an allowed host with any port', { allowedHosts: ['mcp.example.com'] }, 'MCP.example.com:8443', 200],
    ['an allowed host that is written in capitals', { allowedHosts: ['MCP.Example.com'] }, 'mcp.example.com', 200],
    ['localhost, when only others are allowed', { allowedHosts: ['mcp.example.com'] }, 'localhost', 403],
    ['an allowed host and port', { allowedHosts: ['mcp.example.com:8443'] }, 'mcp.example.com:8443', 200],
    ['an allowed host with another port', { allowedHosts: ['mcp.example.com:8443'] }, 'mcp.example.com:8444', 403],
    ['an allowed host without its port', { allowedHosts: ['mcp.example.com:8443'] }, 'mcp.example.com', 403],
    ['an allowed IPv6 address', { allowedHosts: ['[2001:db8::1]'] }, '[2001:DB8::1]:443', 200],
    ['anything where every host is allowed', { allowedHosts: ['*'] }, 'whatever.example.com:1', 200],
    ['anything where none is allowed', { allowedHosts: [] }, 'localhost', 403],
  ]

  it.each(cases)('%s', async (_what, options, host, expected) => {
    expect(await statusOf(await openApp(options), host)).toBe(expected)
  })

  it.each(['localhost\r\nHost: evil.example.com', 'evil.example.com\r\nhost: localhost'])(
    'is rejected if it is repeated: %j',
    async (hosts) => {
      const socket = connect(await listen(await openApp()), '127.0.0.1')
      socket.write(`GET /mcp HTTP/1.1\r\nHost: ${hosts}\r\nConnection: close\r\n\r\n`)

      expect(await text(socket)).toMatch(/^HTTP\/1.1 400 [^]*there is more than one host/)
    },
  )

  it.each([null, 50, 62, 0])(
    'is rejected if Node may have dropped a second Host (maxHeadersCount: %p)',
    async (most) => {
      const app = await openApp()
      app.server.maxHeadersCount = most
      const socket = connect(await listen(app), '127.0.0.1')
      const many = 'A: b\r\n'.repeat(1100)
      socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\n${many}Host: evil.example.com\r\nConnection: close\r\n\r\n`)

      // From Node 24 on, Node itself rejects more headers than it stores.
      expect(await text(socket)).toMatch(/^HTTP\/1.1 (400 [^]*there are too many headers|431 )/)
    },
  )

  it('is unique, also if other headers are repeated', async () => {
    const socket = connect(await listen(await openApp()), '127.0.0.1')
    const others = 'From: one@example.com\r\nFrom: two@example.com'
    socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\n${others}\r\nConnection: close\r\n\r\n`)

    expect(await text(socket)).toMatch(/^HTTP\/1.1 405 /)
  })

  it.each([
    ['http://evil.example.com/mcp', 400],
    ['https://localhost@evil.example.com/mcp', 400],
    ['HTTP://evil.example.com/mcp', 400],
    ['http:///mcp', 400],
    ['http://localhost/mcp', 405],
  ])('must equal the host of the URL in a proxy-style request: %s', async (url, status) => {
    const socket = connect(await listen(await openApp()), '127.0.0.1')
    socket.write(`GET ${url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)

    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it('is required', async () => {
    const socket = connect(await listen(await openApp()), '127.0.0.1')
    socket.write('GET /mcp HTTP/1.0\r\n\r\n')

    expect(await text(socket)).toMatch(/^HTTP\/1.1 403 [^]*the host '' is not allowed/)
  })

  it('is rejected if HTTP/2 has another :authority', async () => {
    const port = await listen(await openApp({ fastify: { http2: true } as never }))
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    const statusWith = async (authority: string, host: string): Promise<unknown> => {
      const stream = session.request({ ':path': '/mcp', ':authority': authority, host })
      const [headers] = await once(stream.resume(), 'response')
      return headers[':status']
    }

    expect(await statusWith('evil.example.com', 'localhost')).toBe(400)
    expect(await statusWith('localhost', 'evil.example.com')).toBe(400)
    expect(await statusWith('localhost', 'localhost')).toBe(405)
    session.close()
  })

  it('is named in the rejection, which has no id', async () => {
    const app = await openApp()

    expectForbidden(
      await connectTo(app, { era: 'legacy' }).send(legacyMessage('ping'), { host: 'evil.example.com' }),
      "host 'evil.example.com'",
    )
    expectForbidden(
      await connectTo(app).request('tools/list', {}, { headers: { host: 'x'.repeat(5000) } }),
      `host '${'x'.repeat(128)}…'`,
    )
  })

  it('is checked for every method', async () => {
    const app = await openApp()
    const methods = ['GET', 'HEAD', 'PUT', 'PATCH', 'OPTIONS', 'DELETE', 'POST'] as const

    const replies = await Promise.all(
      methods.map((method) => app.inject({ method, url: '/mcp', headers: { host: 'evil.example.com' } })),
    )

    expect(replies.map(({ statusCode }) => statusCode)).toStrictEqual(methods.map(() => 403))
  })

  it('is checked before the body is read', async () => {
    const client = connectTo(await openApp(), { era: 'legacy' })

    expect((await client.send('{', { host: 'evil.example.com', 'content-type': 'text/plain' })).status).toBe(403)
  })
})

describe('the Origin header', () => {
  const here = 'localhost:3000'
  const cases: [string, AppOptions, string | undefined, number][] = [
    ['no Origin, as without a browser', {}, undefined, 200],
    ['a page of this host', {}, 'http://localhost:3000', 200],
    ['a page of this host on another port', {}, 'http://localhost:5173', 200],
    ['a page of this host over TLS', {}, 'https://127.0.0.1', 200],
    ['a page of this host, in capitals', {}, 'HTTP://LOCALHOST:3000', 200],
    ['a page of this host by its IPv6 address', {}, 'http://[::1]:3000', 200],
    ['a page of another site', {}, 'https://evil.example.com', 403],
    ['a page below a name like this host', {}, 'http://localhost.evil.example.com', 403],
    ['a page that hides behind a user name', {}, 'http://localhost@evil.example.com', 403],
    ['a page that hides in front of this host', {}, 'http://evil.example.com@localhost', 403],
    ['a page with a path', {}, 'http://localhost/evil', 403],
    ['a document without an origin', {}, 'null', 403],
    ['a file', {}, 'file://', 403],
    ['an extension', {}, 'chrome-extension://localhost', 403],
    ['the source of a page', {}, 'view-source:http://localhost', 403],
    ['no URL', {}, 'localhost:3000', 403],
    ['nothing', {}, '', 403],
    ['two origins', {}, 'http://localhost, http://evil.example.com', 403],
    ['an allowed origin', { allowedOrigins: ['https://app.example.com'] }, 'https://app.example.com', 200],
    ['an allowed origin in capitals', { allowedOrigins: ['https://APP.example.com'] }, 'https://app.example.com', 200],
    [
      'an allowed origin with another scheme',
      { allowedOrigins: ['https://app.example.com'] },
      'http://app.example.com',
      403,
    ],
    [
      'an allowed origin with a port',
      { allowedOrigins: ['https://app.example.com'] },
      'https://app.example.com:444',
      403,
    ],
    ['an origin below an allowed one', { allowedOrigins: ['https://example.com'] }, 'https://evil.example.com', 403],
    [
      'an origin that begins like an allowed one',
      { allowedOrigins: ['https://app.example.com'] },
      'https://app.example.com.evil.net',
      403,
    ],
    [
      'this host beside an allowed origin',
      { allowedOrigins: ['https://app.example.com'] },
      'http://localhost:3000',
      200,
    ],
    ['anything where every origin is allowed', { allowedOrigins: ['*'] }, 'https://whoever.example.com', 200],
    ['null where every origin is allowed', { allowedOrigins: ['*'] }, 'null', 200],
    ['null where that is allowed', { allowedOrigins: ['null'] }, 'null', 200],
    ['a stranger where every host is allowed', { allowedHosts: ['*'] }, 'https://evil.example.com', 403],
    [
      'a page of a host that is allowed by name beside all',
      { allowedHosts: ['*', 'mcp.example.com'] },
      'https://mcp.example.com',
      200,
    ],
  ]

  it.each(cases)('%s', async (_what, options, origin, expected) => {
    expect(await statusOf(await openApp(options), here, origin)).toBe(expected)
  })

  it('can be a page of an allowed host, on any port if the allowed host has no port', async () => {
    const app = await openApp({ allowedHosts: ['mcp.example.com:8443'] })

    expect(await statusOf(app, 'mcp.example.com:8443', 'https://mcp.example.com:8443')).toBe(200)
    expect(await statusOf(app, 'mcp.example.com:8443', 'https://mcp.example.com')).toBe(403)
  })

  it('is rejected even with a valid Host, and the rejection names it', async () => {
    const client = connectTo(await openApp())

    const reply = await client.request('server/discover', {}, { headers: { origin: 'https://evil.example.com' } })

    expectForbidden(reply, "origin 'https://evil.example.com'")
  })

  it('does not get CORS headers unless the application sets them', async () => {
    const client = connectTo(await openApp({ allowedOrigins: ['*'] }), { era: 'legacy' })

    const { headers } = await client.send(legacyMessage('ping'), { origin: 'https://app.example.com' })

    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toStrictEqual([])
  })
})
