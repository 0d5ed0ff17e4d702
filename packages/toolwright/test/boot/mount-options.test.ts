import { BootError, type McpServer } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { createServer } from '@toolwright/server'
import Fastify from 'fastify'
import { createHost, serve } from 'toolwright'

const served = { name: 'mounted', version: '1.0.0', controllers: [] }

const hosts: readonly (readonly [string, (options: object) => Promise<unknown>])[] = [
  ['createHost', (options) => createHost({ ...served, fastify: { logger: false }, ...options })],
  ['the plugin', async (options) => Fastify().register(mcp, { ...served, ...options })],
  [
    'the plugin with a server',
    async (options) => Fastify().register(mcp, { server: await createServer(served), ...options } as never),
  ],
]

async function findWrong(open: (options: object) => Promise<unknown>, options: object): Promise<readonly string[]> {
  const failed: unknown = await open(options).then(
    () => null,
    (error: unknown) => error,
  )
  if (!(failed instanceof BootError)) throw failed
  return failed.diagnostics.map(({ code, message }) => `${code}: ${message}`)
}

describe.each(hosts)('%s', (_name, open) => {
  it('reports mistakes in its mount options', async () => {
    const options = { path: 'mcp', allowedHosts: 'x', allowedOrigins: [5], retryMs: -1, keepAliveMs: 'x', sessions: 1 }

    expect(await findWrong(open, options)).toStrictEqual([
      "bad-option: path is the string 'mcp'. Give a path that begins with / and has no query, such as '/mcp'.",
      "bad-option: allowedHosts is the string 'x'. Give an array of strings, such as ['mcp.example.com'].",
      'bad-option: allowedOrigins has 5, which is never sent as an Origin header. Give origins without a path, ' +
        "such as 'https://app.example.com'; '*' accepts all.",
      'bad-option: retryMs is -1. Give a whole number from 0 to 9007199254740991.',
      "bad-option: keepAliveMs is the string 'x'. Give a whole number from 1 to 2147483647.",
      'bad-option: sessions is 1. Give true or false.',
    ])
  })

  it.each(['/mcp?key=1', '/mcp#tools', '/:tenant/mcp?', '/mcp::x?'])(
    'rejects %s, which no request can reach',
    async (path) => {
      expect(await findWrong(open, { path, rpc: { path: `${path}/rpc` }, webSocket: { path: '/:ws?' } })).toStrictEqual(
        [
          `bad-option: path is the string '${path}'. Give a path that begins with / and has no query, such as '/mcp'.`,
          "bad-option: rpc is a plain object. Give true, or { path: '/rpc' }.",
        ],
      )
    },
  )

  it.each(['/:tenant?/mcp', '/*/mcp'])('rejects %s, which the router rejects', async (path) => {
    const why = "An optional parameter (?) or a wildcard (*) must be the last part of the path, as in '/mcp/:tenant?'."

    expect(await findWrong(open, { path, rpc: { path: `/rpc${path}` } })).toStrictEqual([
      `bad-option: path is the string '${path}'. ${why}`,
      `bad-option: rpc.path is the string '/rpc${path}'. ${why}`,
    ])
  })

  it.each(['/mcp/:tenant?', '/mcp/:tenant(^[a-z]?$)/x', '/*'])('accepts %s', async (path) => {
    await using host = (await open({ path })) as AsyncDisposable

    expect(host).toBeDefined()
  })

  it("rejects strings for boolean options, because 'false' would admit every caller", async () => {
    const options = { allowAnonymous: 'false', streamAnswers: 1, legacySse: null, onDrainTimeout: 'exit' }

    expect(await findWrong(open, options)).toStrictEqual([
      "bad-option: allowAnonymous is the string 'false'. Give true or false.",
      'bad-option: streamAnswers is 1. Give true or false.',
      'bad-option: legacySse is null. Give true or false.',
      "bad-option: onDrainTimeout is the string 'exit'. Give a function.",
    ])
    expect(await findWrong(open, { rpc: null, webSocket: 'on' })).toStrictEqual([
      "bad-option: webSocket is the string 'on'. Give true, or { path: '/websocket' }.",
      "bad-option: rpc is null. Give true, or { path: '/rpc' }.",
    ])
  })

  it.each([
    [
      ['open-bnd', 'open-bind'],
      ["waive has the string 'open-bnd', which is not a waiver. Did you mean 'open-bind'? Give one of: 'open-bind'."],
    ],
    [
      ['everything', 7, '__proto__'],
      [
        "waive has the string 'everything', which is not a waiver. Give one of: 'open-bind'.",
        "waive has 7, which is not a waiver. Give one of: 'open-bind'.",
        "waive has the string '__proto__', which is not a waiver. Give one of: 'open-bind'.",
      ],
    ],
    ['open-bind', ["waive is the string 'open-bind'. Give an array of names, such as ['open-bind']."]],
  ])('waives only known checks: %j', async (waive, messages) => {
    expect(await findWrong(open, { waive })).toStrictEqual(messages.map((message) => `bad-option: ${message}`))
  })

  it('reports invalid names of hosts and origins', async () => {
    const allowedHosts = ['https://mcp.example.com', '*.example.com', 'mcp.example.com/mcp', '::1']
    const allowedOrigins = ['app.example.com', 'https://app.example.com/', 'https://*.example.com']
    const host = "Give names, with or without a port, such as 'mcp.example.com'; '*' accepts all."
    const origin = "Give origins without a path, such as 'https://app.example.com'; '*' accepts all."

    expect(await findWrong(open, { allowedHosts, allowedOrigins })).toStrictEqual([
      ...allowedHosts.map(
        (name) => `bad-option: allowedHosts has the string '${name}', which is never sent as a Host header. ${host}`,
      ),
      ...allowedOrigins.map(
        (name) =>
          `bad-option: allowedOrigins has the string '${name}', which is never sent as an Origin header. ${origin}`,
      ),
    ])
  })

  it('accepts every valid name of hosts and origins', async () => {
    const allowedHosts = ['*', 'localhost', 'MCP.example.com:8443', '10.0.0.7', '[::1]', '[fe80::1]:3000', 'words_1']
    const allowedOrigins = [
      '*',
      'null',
      'https://app.example.com:8443',
      'http://[::1]:5173',
      'vscode-webview://a1',
      'app://.',
    ]

    await expect(open({ allowedHosts, allowedOrigins })).resolves.toBeDefined()
  })

  it('requires an authenticator, not its options', async () => {
    const fix = 'Give the result of jwtBearer({ … }), introspection({ … }), apiKeys({ … }) or authenticateWith(…).'

    expect(await findWrong(open, { authentication: { keys: [] } })).toStrictEqual([
      `bad-option: authentication is a plain object, which has no method authenticate. ${fix}`,
    ])
  })

  const own = { code: 'bad-option', message: 'vault: the address is missing. Give it.' }
  const list = 'Give an array of { code, message }, or leave it out.'
  const entry = 'Give { code, message }, both strings.'

  it.each<[unknown, ...string[]]>([
    ['broken', `authentication: diagnostics is the string 'broken'. ${list}`],
    [{ 0: own }, `authentication: diagnostics is a plain object. ${list}`],
    [() => [own], `authentication: diagnostics is a function without a name. ${list}`],
    [
      [null, own, 'broken', { code: 5, message: 'x' }, { code: 'bad-option', message: Symbol('x') }],
      `authentication: diagnostics[0] is null. ${entry}`,
      own.message,
      `authentication: diagnostics[2] is the string 'broken'. ${entry}`,
      `authentication: diagnostics[3] is a plain object. ${entry}`,
      `authentication: diagnostics[4] is a plain object. ${entry}`,
    ],
  ])('reports the diagnostics %p of an authenticator, if they are readable', async (diagnostics, ...told) => {
    const authentication = { authenticate: () => null, diagnostics }

    expect(await findWrong(open, { authentication })).toStrictEqual(told.map((message) => `bad-option: ${message}`))
  })

  it('names the place for the options of Fastify', async () => {
    expect(await findWrong(open, { port: 3000, trustProxy: true })).toStrictEqual([
      'bad-option: port is not an option. Set the environment variable PORT for `serve`, or pass the port to `listen`.',
      "bad-option: trustProxy is not an option. It is an option of Fastify: give `fastify: { trustProxy: ['loopback'] }`, or `Fastify({ trustProxy: ['loopback'] })`.",
    ])
  })

  it.each([
    ['auth', 'Give `authentication: jwtBearer({ … })`, or another authenticator.'],
    ['bearer', 'Give `authentication: jwtBearer({ … })`, or another authenticator.'],
    ['hosts', "Give `allowedHosts: ['mcp.example.com']`."],
    ['https', 'It is an option of Fastify: give `fastify: { https: … }`, or `Fastify({ https: … })`.'],
    ['origins', "Give `allowedOrigins: ['https://app.example.com']`."],
    ['auditing', 'Give one of '],
  ])('names the place for %s', async (name, advice) => {
    expect(await findWrong(open, { [name]: [] })).toStrictEqual([
      expect.stringContaining(`bad-option: ${name} is not an option. ${advice}`),
    ])
  })

  it('does not suggest internal options', async () => {
    const [message] = await findWrong(open, { auditing: true })

    expect(message).not.toContain('answersSlash')
    expect(await findWrong(open, { answersSlash: true })).toStrictEqual([
      expect.stringContaining('bad-option: answersSlash is not an option. Give one of '),
    ])
  })

  it('validates nested objects', async () => {
    const allowedOrigins = ['https://app.example.com']
    const cors = { credential: true, credentials: 'no', maxAge: '1h' }

    expect(await findWrong(open, { allowedOrigins, cors, rpc: { path: '/r', methods: [] } })).toStrictEqual([
      'bad-option: cors.credential is not an option. Did you mean credentials?',
      "bad-option: cors.credentials is the string 'no'. Give true or false.",
      "bad-option: cors.maxAge is the string '1h'. Give a whole number from 0 to 9007199254740991.",
      'bad-option: rpc.methods is not an option. Give one of path.',
    ])
    expect(await findWrong(open, { allowedOrigins, cors: null })).toStrictEqual([
      'bad-option: cors is null. Give an object.',
    ])
    expect(await findWrong(open, { allowedOrigins: null, cors: true, drainTimeoutMs: 0.5 })).toStrictEqual([
      "bad-option: allowedOrigins is null. Give an array of strings, such as ['https://app.example.com'].",
      'bad-option: drainTimeoutMs is 0.5. Give a whole number of at least 0.',
    ])
  })

  it('reports two endpoints at one path', async () => {
    const options = { path: '/x', rpc: { path: '/x' }, legacySse: true, webSocket: { path: '/sse' } }

    expect(await findWrong(open, options)).toStrictEqual([
      "bad-option: path and rpc are both at '/x'. Give each a separate path.",
      "bad-option: legacySse and webSocket are both at '/sse'. Give each a separate path.",
    ])
    expect(await findWrong(open, { path: '/messages', legacySse: true })).toStrictEqual([
      "bad-option: path and legacySse are both at '/messages'. Give each a separate path.",
    ])
  })

  it('reports misspelt options', async () => {
    expect(await findWrong(open, { alowedHosts: [] })).toStrictEqual([
      'bad-option: alowedHosts is not an option. Did you mean allowedHosts?',
    ])
  })
})

it('createHost reports mistakes of the server and of its mount together', async () => {
  const open = hosts[0]?.[1] as (options: object) => Promise<unknown>

  expect(await findWrong(open, { version: '', path: 5 })).toStrictEqual([
    "bad-option: version is the string ''. Give the server a version: clients show it.",
    "bad-option: path is 5. Give a path that begins with / and has no query, such as '/mcp'.",
  ])
})

describe('createHost', () => {
  const open = hosts[0]?.[1] as (options: object) => Promise<unknown>

  it.each([[undefined], [null], [[]]])('rejects %p as options', async (options) => {
    const message = 'bad-option: The options are not an object. Give one: { name, version, controllers: [MyTools] }.'

    expect(await findWrong(createHost as never, options as never)).toStrictEqual([message])
    expect(await findWrong(serve as never, options as never)).toStrictEqual([message])
  })

  it.each([
    [{ fastify: null }, 'fastify is null. Give an object.'],
    [{ fastify: { logger: false, http: null } }, 'fastify.http is null. Give an object.'],
    [{ fastify: { logger: false, http: 5 } }, 'fastify.http is 5. Give an object.'],
  ])('reports invalid options of Fastify together with other mistakes: %j', async (options, message) => {
    expect(await findWrong(open, { path: 5, ...options })).toStrictEqual([
      "bad-option: path is 5. Give a path that begins with / and has no query, such as '/mcp'.",
      `bad-option: ${message}`,
    ])
  })

  it('reports invalid health options together with other mistakes', async () => {
    expect(await findWrong(open, { version: '', health: { check: () => false, timeoutMs: 0 } })).toStrictEqual([
      "bad-option: version is the string ''. Give the server a version: clients show it.",
      'bad-option: health.check is not an option. Give `checks`, with a function for each name: ' +
        '`{ database: () => database.ping() }`.',
      'bad-option: health.timeoutMs is 0. Give a whole number of at least 1.',
    ])
    for (const [health, found] of [
      [null, 'null'],
      ['on', "the string 'on'"],
    ]) {
      expect(await findWrong(open, { health })).toStrictEqual([`bad-option: health is ${found}. Give an object.`])
    }
  })

  it('reports an endpoint at the path of its health checks', async () => {
    expect(await findWrong(open, { path: '/health/live', rpc: { path: '/probes/ready' } })).toStrictEqual([
      "bad-option: path and health are both at '/health/live'. Give each a separate path.",
    ])
    expect(await findWrong(open, { rpc: { path: '/up/ready' }, health: { path: '/up' } })).toStrictEqual([
      "bad-option: rpc and health are both at '/up/ready'. Give each a separate path.",
    ])
    await expect(open({ path: '/health/live', health: false })).resolves.toBeDefined()
  })

  it("reports a health check at the endpoint's path with a trailing slash", async () => {
    const options = { rpc: { path: '/mcp/' } }

    expect(await findWrong(open, options)).toStrictEqual([
      "bad-option: path and rpc are both at '/mcp/'. Give each a separate path.",
    ])
    const fastify = { logger: false, routerOptions: { ignoreTrailingSlash: false } }
    await expect(open({ ...options, fastify })).resolves.toBeDefined()
  })

  it('closes the server when it cannot be mounted', async () => {
    let close: jest.SpyInstance | undefined
    const onReady = (server: McpServer): void => {
      close = jest.spyOn(server, 'close')
    }

    // The router rejects it: the two are one path, although their parameters have different names.
    const options = { path: '/:one', rpc: { path: '/:other' }, onReady }
    await expect(open(options)).rejects.toThrow("already declared for route '/:other'")
    expect(close).toHaveBeenCalledTimes(1)
  })
})

it('createHost names the place for the options of an application', async () => {
  const open = hosts[0]?.[1] as (options: object) => Promise<unknown>
  const options = { prefix: '/api', logger: Fastify().log, loggerInstance: console, server: {}, healthChecks: {} }

  expect(await findWrong(open, options)).toStrictEqual([
    "bad-option: prefix is not an option. Put the prefix into the path: `path: '/api/mcp'`.",
    'bad-option: logger is not an option. Give `fastify: { logger }`.',
    'bad-option: loggerInstance is not an option. Give `fastify: { loggerInstance }`.',
    'bad-option: server is not an option. createHost creates it from the other options. For an existing server, use ' +
      '`app.register(mcp, { server })`.',
    'bad-option: healthChecks is not an option. Give `health: { checks }`.',
  ])
})

describe('the plugin with an existing server', () => {
  const open = async (options: object): Promise<unknown> => Fastify().register(mcp, options as never)

  it('rejects options that belong to the creator of the server', async () => {
    const server = await createServer(served)

    expect(await findWrong(open, { server, controllers: [], name: 'x' })).toStrictEqual([
      'bad-option: controllers is not an option. Pass it to createServer, which created the server.',
      'bad-option: name is not an option. Pass it to createServer, which created the server.',
    ])
  })

  it('requires a server', async () => {
    expect(await findWrong(open, { server: createServer(served), retryMs: -1 })).toStrictEqual([
      'bad-option: server is a promise. Await it: `server: await createServer({ … })`.',
      'bad-option: retryMs is -1. Give a whole number from 0 to 9007199254740991.',
    ])
    expect(await findWrong(open, { server: { name: 'x' } })).toStrictEqual([
      'bad-option: server is a plain object. Give the server that createServer({ … }) resolves to.',
    ])
  })
})

test('an application closes the server that the plugin could not mount', async () => {
  let close: jest.SpyInstance | undefined
  const onReady = (server: McpServer): void => {
    close = jest.spyOn(server, 'close')
  }
  const app = Fastify()
  app.post('/mcp', () => 'mine')

  await expect(async () => app.register(mcp, { ...served, onReady })).rejects.toThrow("for route '/mcp'")
  await app.close()
  expect(close).toHaveBeenCalledTimes(1)
})
