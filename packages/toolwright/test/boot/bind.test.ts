import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import Fastify from 'fastify'
import { authenticateWith, BootError, createHost, type HostOptions, type McpServer, mcp, serve } from 'toolwright'

const options: HostOptions = { name: 'bound', version: '1.0.0', controllers: [], fastify: { logger: false } }

/** Listens on this host. Returns the code of a problem, or nothing. */
async function listenOn(host: string | undefined, more: Partial<HostOptions> = {}): Promise<string | undefined> {
  const app = await createHost({ ...options, ...more })
  try {
    await app.listen({ port: 0, ...(host === undefined ? {} : { host }) })
    return undefined
  } catch (error) {
    if (error instanceof BootError) return error.diagnostics[0]?.code
    throw error
  } finally {
    await app.close()
  }
}

it.each(['0.0.0.0', '::', '', '10.1.2.3', 'example.com'])(
  'a server without access control cannot listen on %p',
  async (host) => {
    expect(await listenOn(host)).toBe('open-bind')
  },
)

it.each(['127.0.0.1', '127.1.2.3', 'localhost', undefined])(
  'a server without access control can listen on %p',
  async (host) => {
    expect(await listenOn(host)).toBeUndefined()
  },
)

it.each([
  ['it has allowed hosts', { allowedHosts: ['mcp.example.com'] }],
  ['open-bind is waived', { waive: ['open-bind'] }],
] as const)('a server can listen on all addresses when %s', async (_name, more) => {
  expect(await listenOn('0.0.0.0', more)).toBeUndefined()
})

describe('a destructive tool without a rule', () => {
  const named = { allowedHosts: ['mcp.example.com'] }
  const destroyer = (server: McpServer) =>
    server.catalog.addTool({ name: 'wipe', annotations: { destructiveHint: true }, handler: () => 'gone' })

  it('is rejected on a public address, also with allowed hosts', async () => {
    const app = await createHost({ ...options, ...named, onReady: destroyer })
    await expect(app.listen({ port: 0, host: '0.0.0.0' })).rejects.toThrow(
      'The server would listen on 0.0.0.0, which other machines can reach, and no rule restricts its tools with ' +
        'destructiveHint: true: wipe. Add authentication, or put @Authorize() on these tools. If a proxy authenticates ' +
        "callers, set `waive: ['open-bind']`. [unguarded-destructive-tool]",
    )
    await app.close()
  })

  it('is served on a loopback address, and with a waiver', async () => {
    expect(await listenOn('127.0.0.1', { ...named, onReady: destroyer })).toBeUndefined()
    expect(await listenOn('0.0.0.0', { ...named, waive: ['open-bind'], onReady: destroyer })).toBeUndefined()
    const authorization = { default: 'anonymous', allowAnonymousDestructive: ['wipe'] } as const
    expect(await listenOn('0.0.0.0', { ...named, authorization, onReady: destroyer })).toBeUndefined()
  })

  it('is served with its own rule, even if no other feature has one', async () => {
    const guarded = ({ catalog }: McpServer) =>
      catalog.addTool({
        name: 'wipe',
        annotations: { destructiveHint: true },
        authorize: { roles: ['Admin'] },
        handler: () => 'gone',
      })
    expect(await listenOn('0.0.0.0', { ...named, onReady: guarded })).toBeUndefined()
  })

  it('is served to authenticated callers', async () => {
    const authentication = authenticateWith(() => ({ subject: 'ada' }))
    expect(await listenOn('0.0.0.0', { authentication, onReady: destroyer })).toBeUndefined()
  })

  it('closes the existing application that would serve it', async () => {
    const app = Fastify({ logger: false })
    await app.register(mcp, { name: 'bound', version: '1.0.0', ...named, onReady: destroyer })
    const closed = new Promise<void>((resolve) => {
      app.addHook('onClose', async () => resolve())
    })
    await app.listen({ port: 0, host: '0.0.0.0' })
    await closed
    expect(app.server.listening).toBe(false)
  })
})

it("'*' is rejected as the name of a host", async () => {
  expect(await listenOn('0.0.0.0', { allowedHosts: ['*'] })).toBe('open-bind')
  expect(await listenOn('0.0.0.0', { allowedHosts: ['*', 'mcp.example.com'] })).toBe('open-bind')
  expect(await listenOn('127.0.0.1', { allowedHosts: ['*'] })).toBeUndefined()
})

it('a bind problem names the fault, the reason and the fix', async () => {
  const app = await createHost(options)
  await expect(app.listen({ port: 0, host: '0.0.0.0' })).rejects.toThrow(
    'The server would listen on 0.0.0.0, which other machines can reach, without authentication. ' +
      "Set the host names that clients use, such as `allowedHosts: ['mcp.example.com']`, or add authentication. " +
      "If only this machine calls, listen on 127.0.0.1. If the server is meant to be open, set `waive: ['open-bind']`. " +
      '[open-bind]',
  )
  await app.close()
})

it('a bind problem is passed to a callback, too', async () => {
  const app = await createHost(options)
  const error = await new Promise((resolve) => {
    app.listen({ port: 0, host: '0.0.0.0' }, resolve)
  })
  expect(error).toBeInstanceOf(BootError)
  await app.close()
})

it('an existing application that listens on a public address is closed', async () => {
  const app = Fastify({ logger: false })
  await app.register(mcp, { name: 'bound', version: '1.0.0', controllers: [] })
  const closed = new Promise<void>((resolve) => {
    app.addHook('onClose', async () => resolve())
  }).catch(() => undefined)
  await app.listen({ port: 0, host: '0.0.0.0' })
  await closed
  expect(app.server.listening).toBe(false)
})

it('mistakes of the endpoint are reported together with those of the server', async () => {
  const wrong = createHost({ ...options, name: '', cors: true, allowedHosts: ['*'] })
  const { diagnostics } = (await wrong.catch((error: unknown) => error)) as BootError
  expect(diagnostics.map(({ message }) => message.split('.')[0])).toEqual([
    "name is the string ''",
    'cors is on, but no web page may call',
  ])
})

it('probes are answered, unless they are disabled', async () => {
  const app = await createHost({ ...options, health: { checks: { db: () => false } } })
  expect((await app.inject('/health/live')).statusCode).toBe(200)
  expect((await app.inject('/health/ready')).statusCode).toBe(503)
  await app.close()
  const without = await createHost({ ...options, health: false })
  expect((await without.inject('/health/live')).statusCode).toBe(404)
  await without.close()
})

describe('an address that cannot be listened on', () => {
  const { HOST, PORT } = process.env

  afterEach(() => {
    for (const [name, value] of Object.entries({ HOST, PORT })) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  function serveOn(host: string, port: number): Promise<unknown> {
    Object.assign(process.env, { HOST: host, PORT: String(port) })
    return serve({ ...options, waive: ['open-bind'] })
  }

  it('is reported if another program uses the port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await expect(serveOn('127.0.0.1', port)).rejects.toThrow(
      `PORT ${port} of 127.0.0.1 is in use. Stop the program that uses it, or choose another PORT. [bad-option]`,
    )
    other.close()
  })

  it('is reported if this machine has no such address', async () => {
    await expect(serveOn('198.51.100.1', 0)).rejects.toThrow(
      "HOST is '198.51.100.1', which is not an address of this machine. Give one, such as 127.0.0.1. [bad-option]",
    )
  })
})
