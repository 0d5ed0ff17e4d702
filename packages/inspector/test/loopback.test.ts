import Fastify, { type FastifyInstance } from 'fastify'
import { createServer, McpTool } from 'toolwright'
import { inspector } from '../src/index.js'

class Clock {
  @McpTool({ description: 'Returns the time' })
  now(): string {
    return 'noon'
  }
}

describe('the inspector on an address', () => {
  let app: FastifyInstance

  beforeEach(async () => {
    const server = await createServer({ name: 'clock', version: '1.0.0', controllers: [Clock] })
    app = Fastify()
    app.addHook('onClose', () => server.close())
    await app.register(inspector, { server })
  })

  afterEach(() => app.close())

  test.each(['0.0.0.0', '::', '192.0.2.1', ''])(
    "that others can reach, '%s', prevents the application from listening",
    async (host) => {
      await expect(app.listen({ host, port: 0 })).rejects.toThrow(
        "The inspector at '/inspector' would be served on " + (host === '' ? 'every address' : `'${host}'`),
      )
      expect(app.addresses()).toEqual([])
    },
  )

  test('that others can reach reports the fix to a callback, too', async () => {
    const error = await new Promise((resolve) => {
      app.listen({ host: '0.0.0.0', port: 0 }, resolve)
    })
    expect(String(error)).toContain('Listen on 127.0.0.1, or register it only in development')
  })

  test('of a Unix socket prevents the application from listening', async () => {
    await expect(app.listen({ path: '/tmp/never-created.sock' })).rejects.toThrow('cannot start')
  })

  test.each(['127.0.0.1', 'localhost', undefined])('of this machine, %s, is served', async (host) => {
    const address = await app.listen({ port: 0, ...(host === undefined ? {} : { host }) })
    const response = await fetch(`${address}/inspector`)
    expect(response.status).toBe(200)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/,
    )
    expect(policy).not.toContain('unsafe')
    expect(await response.text()).not.toMatch(/(?:src|href)="https?:/)
  })

  test('closes an application that began to listen before the plugin was loaded', async () => {
    const late = Fastify()
    // Not awaited: `listen` loads the plugins.
    void late.register(inspector)
    const closed = new Promise((resolve) => late.addHook('onClose', (_app, done) => resolve(done())))
    await late.listen({ host: '0.0.0.0', port: 0 }).catch(() => undefined)
    await closed
    expect(late.server.listening).toBe(false)
  })
})

describe('the inspector rejects', () => {
  let app: FastifyInstance

  beforeAll(async () => {
    app = Fastify()
    await app.register(inspector, {})
  })

  afterAll(() => app.close())

  const own = { host: 'localhost:3000' }

  test.each([
    [
      'a host that resolves to this machine',
      { headers: { host: 'evil.example.com:3000' } },
      'not a name of this machine',
    ],
    ['a page of another origin', { headers: { ...own, origin: 'https://evil.example.com' } }, 'another origin'],
    ['a page of another port', { headers: { ...own, origin: 'http://localhost:9999' } }, 'another origin'],
    ['a page without an origin', { headers: { ...own, origin: 'null' } }, 'another origin'],
    ['a link from another site', { headers: { ...own, 'sec-fetch-site': 'cross-site' } }, 'another site'],
    ['a proxy', { headers: { ...own, 'x-forwarded-for': '192.0.2.1' } }, 'through a proxy'],
    ['another machine', { headers: own, remoteAddress: '192.0.2.1' }, 'this machine only'],
  ])('%s', async (_sender, request, reason) => {
    for (const url of ['/inspector', '/inspector/report', '/inspector/app']) {
      // oxlint-disable-next-line no-await-in-loop
      const { statusCode, body } = await app.inject({ url, ...request })
      expect({ statusCode, body: body.slice(0, 200) }).toEqual({
        statusCode: 403,
        body: expect.stringContaining(reason),
      })
    }
  })

  test.each(['127.0.0.1:3000', '[::1]:3000', 'localhost'])('no request of the page itself at %s', async (host) => {
    const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
    expect((await app.inject({ url: '/inspector', headers })).statusCode).toBe(200)
  })
})

describe('the page for Apps', () => {
  let app: FastifyInstance

  beforeAll(async () => {
    app = Fastify()
    await app.register(inspector, { path: '/tools/inspect' })
  })

  afterAll(() => app.close())

  const policyOf = async (query: Record<string, string>): Promise<string> => {
    const { headers } = await app.inject({ url: '/tools/inspect/app', query, headers: { host: 'localhost' } })
    return String(headers['content-security-policy'])
  }

  test('allows no network and no origin by default', async () => {
    expect(await policyOf({})).toBe(
      "default-src 'none'; connect-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; " +
        "font-src data:; media-src data: blob:; frame-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; " +
        'sandbox allow-scripts allow-forms',
    )
  })

  test('allows the declared origins, and nothing that adds a directive', async () => {
    const policy = await policyOf({
      connect:
        "https://maps.example.com wss://*.example.com:8443 'self' https: https://a.example.com;sandbox https://b/path",
    })
    expect(policy).toContain('; connect-src https://maps.example.com wss://*.example.com:8443; ')
    expect(policy.match(/sandbox/g)).toHaveLength(1)
  })
})

describe('the options of the inspector', () => {
  test('report every mistake at once', async () => {
    const app = Fastify()
    const wrong = { server: 'mine', path: 'inspector', endpont: '/mcp' } as object
    const error: unknown = await app.register(inspector, wrong).then(
      () => null,
      (problem: unknown) => problem,
    )
    await app.close()
    expect(String(error)).toMatch(/The inspector cannot start: 3 problems found/)
    expect(String(error)).toContain('Did you mean endpoint?')
    expect(String(error)).toContain('Give `app.mcp`')
  })

  test('accept a function, for a server that is replaced', async () => {
    const servers = await Promise.all(
      ['first', 'second'].map((name) => createServer({ name, version: '1', controllers: [Clock] })),
    )
    const app = Fastify()
    let current = 0
    await app.register(inspector, { server: () => servers[current] as never })
    const nameOf = async (): Promise<unknown> => {
      const { body } = await app.inject({ url: '/inspector/report', headers: { host: 'localhost' } })
      return (JSON.parse(body) as { identity: { name: unknown } }).identity.name
    }
    expect(await nameOf()).toBe('first')
    current = 1
    expect(await nameOf()).toBe('second')
    await app.close()
    await Promise.all(servers.map((server) => server.close()))
  })
})
