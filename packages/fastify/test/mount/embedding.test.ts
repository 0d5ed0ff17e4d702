import { createServer as createHttpServer, request as openRequest, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { McpTool, ProtocolError } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { createServer } from '@toolwright/server'
import Fastify, { type FastifyInstance, type FastifyServerOptions, type RouteOptions } from 'fastify'
import {
  closeApps,
  connectTo,
  headersOf,
  legacyMessage,
  listen,
  metaKeys,
  modernMessage,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'

class Greeter {
  @McpTool('greet')
  greet(): string {
    return 'Hello!'
  }
}

const served = { name: 'wire', version: '1.0.0', controllers: [Greeter] }

const steps: TestTool = {
  name: 'steps',
  handler: (_args, context) => {
    context.progress(1)
    return 'done'
  },
}

const watched = legacyMessage('tools/call', { ...toolCall('steps'), _meta: { progressToken: 1 } })

const apps: FastifyInstance[] = []

function createApp(options: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify({ logger: false, ...options })
  apps.push(app)
  return app
}

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
  await closeApps()
})

/** The result of the tool `greet` at this path. */
async function greetingAt(app: FastifyInstance, url: string): Promise<unknown> {
  const payload = legacyMessage('tools/call', toolCall('greet'))
  const response = await app.inject({ method: 'POST', url, payload })
  return response.json<{ result?: { content: [{ text: string }] } }>().result?.content[0].text
}

describe('an existing application', () => {
  it('keeps its routes, parsers and error handling', async () => {
    const app = createApp()
    app.setErrorHandler((error: Error, _request, reply) => reply.code(418).send({ mine: error.message }))
    app.setNotFoundHandler((_request, reply) => reply.code(404).send('nothing here'))
    app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => {
      done(null, String(body).split(','))
    })
    app.post('/csv', (request) => request.body)
    app.post('/json', (request) => request.body)
    app.get('/fails', () => {
      throw new Error('on purpose')
    })
    await app.register(mcp, served)
    const send = (url: string, type: string, payload: string) =>
      app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })

    expect((await send('/csv', 'text/csv', 'a,b')).json()).toStrictEqual(['a', 'b'])
    expect((await send('/json', 'application/json', '{"a":[1]}')).json()).toStrictEqual({ a: [1] })
    expect((await send('/json', 'application/json', '{')).statusCode).toBe(418)
    expect((await app.inject('/fails')).json()).toStrictEqual({ mine: 'on purpose' })
    expect((await app.inject('/nowhere')).body).toBe('nothing here')
    expect((await app.inject({ url: '/fails', headers: { host: 'evil.example.com' } })).statusCode).toBe(418)
    expect(await greetingAt(app, '/mcp')).toBe('Hello!')
  })

  it('does not handle the errors of the endpoint', async () => {
    const seen: unknown[] = []
    const app = createApp()
    const client = connectTo(app, { era: 'legacy' })
    app.setErrorHandler((error, _request, reply) => {
      seen.push(error)
      return reply.code(418).send()
    })
    await app.register(mcp, served)

    const replies = [await client.send('{'), await client.send('x', { 'content-type': 'text/csv' })]

    expect(replies.map(({ status }) => status)).toStrictEqual([400, 415])
    expect(seen).toStrictEqual([])
  })

  it('has no routes of the plugin in its OpenAPI document', async () => {
    const routes: RouteOptions[] = []
    const app = createApp()
    app.addHook('onRoute', (route) => void routes.push(route))
    app.get('/own', () => 'fine')
    const metadata = { resource: 'https://mcp.example.com/mcp', authorization_servers: ['https://login.example.com'] }
    const authentication = { authenticate: () => null, metadata }
    await app.register(mcp, { ...served, legacySse: true, webSocket: true, rpc: true, authentication })
    await app.ready()

    const documented = routes.filter(({ schema }) => (schema as { hide?: boolean } | undefined)?.hide !== true)

    const methods = (url: string): unknown =>
      routes.filter((route) => route.url === url).flatMap(({ method }) => method)
    expect(methods('/mcp')).toEqual(expect.arrayContaining(['POST', 'PUT']))
    expect(methods('/.well-known/oauth-protected-resource/mcp')).toEqual(['GET', 'HEAD', 'OPTIONS'])
    expect(documented.map(({ url }) => url)).toStrictEqual(['/own', '/own'])
  })

  it('can add routes and hooks afterwards', async () => {
    const app = createApp()
    await app.register(mcp, served)
    app.get('/health', () => 'fine')

    expect((await app.inject('/health')).body).toBe('fine')
    expect(app.mcp.catalog.tools.all.map(({ name }) => name)).toStrictEqual(['greet'])
  })

  it.each<[string, (app: FastifyInstance) => Promise<unknown>, string]>([
    ['a path', async (app) => app.register(mcp, { ...served, path: '/tools/v1' }), '/tools/v1'],
    ['a prefix', async (app) => app.register(mcp, { ...served, prefix: '/api' }), '/api/mcp'],
    ['both', async (app) => app.register(mcp, { ...served, prefix: '/api', path: '/' }), '/api/'],
    [
      'the prefix of its scope',
      async (app) => app.register(async (scope) => scope.register(mcp, served), { prefix: '/inner' }),
      '/inner/mcp',
    ],
  ])('serves the endpoint below %s', async (_what, register, url) => {
    const app = createApp()
    await register(app)

    expect(await greetingAt(app, url)).toBe('Hello!')
    expect((await app.inject({ method: 'POST', url: '/mcp', payload: {} })).statusCode).toBe(404)
  })

  it('can serve an existing server, without closing it', async () => {
    const server = await createServer(served)
    const app = createApp()
    await app.register(mcp, { server })
    server.catalog.addTool({ name: 'late', handler: () => 'added' })

    expect(app.mcp).toBe(server)
    expect(await greetingAt(app, '/mcp')).toBe('Hello!')
    expect((await connectTo(app, { era: 'legacy' }).request('tools/list')).json.result.tools).toHaveLength(2)
    await server.close()
  })
})

describe('two servers', () => {
  it('can be mounted in separate scopes', async () => {
    const app = createApp()
    const names: string[] = []
    for (const name of ['one', 'two']) {
      app.register(
        async (scope) => {
          await scope.register(mcp, { name, version: '1.0.0', controllers: [], sessions: name === 'one' })
          scope.mcp.catalog.addTool({ name, handler: () => name })
          names.push(scope.mcp.identity.name)
        },
        { prefix: `/${name}` },
      )
    }
    await app.ready()
    const list = async (url: string): Promise<string[]> => {
      const response = await app.inject({ method: 'POST', url, payload: legacyMessage('tools/list') })
      return response.json<{ result: { tools: { name: string }[] } }>().result.tools.map((tool) => tool.name)
    }

    expect(names).toStrictEqual(['one', 'two'])
    expect([await list('/one/mcp'), await list('/two/mcp')]).toStrictEqual([['one'], ['two']])
    expect((await app.inject({ method: 'DELETE', url: '/one/mcp' })).statusCode).toBe(400)
    expect((await app.inject({ method: 'DELETE', url: '/two/mcp' })).statusCode).toBe(405)
    expect(app.hasDecorator('mcp')).toBe(false)
  })

  it('in one scope are rejected, with their names', async () => {
    const app = createApp()
    await app.register(mcp, served)

    const second = async (): Promise<void> => {
      await app.register(mcp, { ...served, path: '/other' })
    }

    await expect(second).rejects.toThrow('The plugin mcp is registered twice in one scope')
  })
})

describe('hooks of the application', () => {
  it('set headers that every kind of response keeps', async () => {
    const app = createApp()
    const legacy = connectTo(app, { era: 'legacy' })
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'access-control-allow-origin': 'https://app.example.com', vary: 'Origin' })
    })
    await app.register(mcp, served)
    app.mcp.catalog.addTool(steps)
    const replies = [
      await legacy.request('ping'),
      await legacy.send(watched),
      await legacy.notify('notifications/initialized'),
      await legacy.send('{'),
      await legacy.send(legacyMessage('ping'), { host: 'evil.example.com' }),
      await connectTo(app).request('unknown/method'),
    ]

    expect(replies.map(({ status }) => status)).toStrictEqual([200, 200, 202, 400, 403, 404])
    expect(replies[1]?.headers['content-type']).toBe('text/event-stream')
    for (const { headers } of replies) {
      expect(headers).toMatchObject({ 'access-control-allow-origin': 'https://app.example.com', vary: 'Origin' })
    }
  })

  it('run once for each request, streams included', async () => {
    const app = await openApp({ tools: [steps] })
    const ran: string[] = []
    app.addHook('onRequest', async () => void ran.push('onRequest'))
    app.addHook('preValidation', async () => void ran.push('preValidation'))
    app.addHook('preHandler', async () => void ran.push('preHandler'))
    app.addHook('onSend', async () => void ran.push('onSend'))
    app.addHook('onResponse', async () => void ran.push('onResponse'))

    const reply = await connectTo(app, { era: 'legacy' }).send(watched)

    expect(reply.messages).toHaveLength(2)
    expect(ran).toStrictEqual(['onRequest', 'preValidation', 'preHandler', 'onSend', 'onResponse'])
  })

  it('can respond instead of the endpoint', async () => {
    const app = await openApp()
    const client = connectTo(app, { era: 'legacy' })
    app.addHook('onRequest', async (request, reply) => {
      if (request.headers['authorization'] !== undefined) return
      await reply.code(401).header('www-authenticate', 'Bearer').send({ who: 'are you' })
    })

    const rejected = await client.request('ping')
    const accepted = await client.send(legacyMessage('ping'), { authorization: 'Bearer x' })

    expect([rejected.status, rejected.headers['www-authenticate'], rejected.json]).toStrictEqual([
      401,
      'Bearer',
      { who: 'are you' },
    ])
    expect(accepted.status).toBe(200)
  })

  it.each([
    [400, 'Invalid Request'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'Not Found'],
    [429, 'Too Many Requests'],
    [503, 'Service Unavailable'],
  ])('that throw an error with status %i cause a response with that status', async (statusCode, text) => {
    const app = await openApp()
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('retry-after', '7')
      throw Object.assign(new Error('an internal detail'), { statusCode })
    })

    const reply = await connectTo(app, { era: 'legacy' }).request('ping')

    expect([reply.status, reply.headers['retry-after'], reply.json.error.message]).toStrictEqual([
      statusCode,
      '7',
      text,
    ])
    expect(reply.json).not.toHaveProperty('id')
  })

  it('that throw 503 set Retry-After, which the endpoint does not override', async () => {
    const app = await openApp()
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('retry-after', '120')
      throw new ProtocolError('unavailable', 'The index is being built')
    })

    const { status, headers } = await connectTo(app, { era: 'legacy' }).request('ping')

    expect([status, headers['retry-after']]).toStrictEqual([503, '120'])
  })

  it.each([undefined, 200, 302, 999, 'x', Number.NaN])(
    'that throw an error with status %p cause an internal error',
    async (statusCode) => {
      const app = await openApp()
      app.addHook('preHandler', async () => {
        throw Object.assign(new Error('an internal detail'), { statusCode })
      })

      const reply = await connectTo(app, { era: 'legacy' }).request('ping')

      expect([reply.status, reply.json]).toStrictEqual([
        500,
        { jsonrpc: '2.0', id: 1, error: { code: -32603, message: expect.stringMatching(internalError) } },
      ])
    },
  )

  it.each([null, undefined, 'text', 7, {}])('that throw %p cause an internal error', async (thrown) => {
    const app = await openApp()
    app.addHook('preHandler', async () => {
      throw thrown
    })

    expect((await connectTo(app, { era: 'legacy' }).request('ping')).status).toBe(500)
  })
})

const internalError = /^Internal error\. .* \(error [\da-f-]{36}\)\.$/

describe('a client that disconnects during a hook of the application', () => {
  /** Sends the message, and disconnects before a hook of the application has finished. */
  async function sendAndLeave(
    message: Parameters<typeof headersOf>[0],
    prepare: (app: FastifyInstance) => void = () => undefined,
  ) {
    const [asked, answered, handled] = [createGate(), createGate(), createGate()]
    const app = createApp()
    app.addHook('preHandler', async () => {
      asked.open()
      await answered.opened
    })
    await app.register(mcp, served)
    prepare(app)
    app.server.once('request', (_request, response) => response.once('close', handled.open))
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headersOf(message),
    }
    const sent = openRequest({ host: '127.0.0.1', port: await listen(app), path: '/mcp', method: 'POST', headers })
    sent.on('error', () => undefined)
    sent.end(JSON.stringify(message))
    await asked.opened
    sent.destroy()
    await handled.opened
    answered.open()
    await delay(20)
    // On a busy machine, that is too short for the work to end.
    await until(() => {
      const { inFlight, runningTasks } = app.mcp.metrics()
      return inFlight.value === 0 && runningTasks.value === 0
    })
    return app.mcp.metrics()
  }

  it('leaves no subscription behind', async () => {
    const metrics = await sendAndLeave(
      modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    )

    expect(metrics).toMatchObject({ subscriptions: { value: 0 }, inFlight: { value: 0 } })
  })

  it('starts no task', async () => {
    let runs = 0
    const _meta = { [metaKeys.capabilities]: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
    const { runningTasks } = await sendAndLeave(modernMessage('tools/call', { ...toolCall('job'), _meta }), (app) => {
      app.mcp.catalog.addTool({ name: 'job', task: 'required', handler: () => void runs++ })
    })

    expect({ runs, tasks: runningTasks.value }).toStrictEqual({ runs: 0, tasks: 0 })
  })
})

describe('the logger of the application', () => {
  it('gets the lines of a call, with the id of the HTTP request', async () => {
    const lines: Record<string, unknown>[] = []
    const stream = new Writable({
      write: (line: Buffer, _encoding, done) => {
        lines.push(JSON.parse(String(line)) as Record<string, unknown>)
        done()
      },
    })
    const failing: TestTool = {
      name: 'failing',
      handler: (_args, context) => {
        context.log.info('about to fail')
        throw new Error('a secret')
      },
    }
    const client = connectTo(
      await openApp({
        tools: [failing],
        fastify: { logger: { level: 'info', stream } },
      }),
      { era: 'legacy' },
    )

    const reply = await client.call('failing', {}, { id: 'rpc-7' })

    expect(reply.json.result).toMatchObject({ isError: true })
    expect(reply.text).not.toContain('a secret')
    const errorId = /error ([0-9a-f-]{36})/.exec(reply.text)?.[1]
    expect(lines.filter((line) => 'requestId' in line)).toMatchObject([
      {
        level: 30,
        msg: 'about to fail',
        reqId: 'req-1',
        requestId: 'rpc-7',
        method: 'tools/call',
        protocolVersion: '2025-03-26',
      },
      {
        level: 50,
        msg: "Tool 'failing' failed",
        reqId: 'req-1',
        requestId: 'rpc-7',
        errorId,
        err: { message: 'a secret' },
      },
    ])
  })
})

describe('a server behind another framework, such as Express', () => {
  const greetRequest: RequestInit = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(legacyMessage('tools/call', toolCall('greet'))),
  }

  /** Handles one request that a Node server passes on. */
  async function answerBehind(listener: RequestListener): Promise<{ status: number; body: string }> {
    const server = createHttpServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, greetRequest)
      return { status: response.status, body: await response.text() }
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it('responds to requests that are passed to its routes', async () => {
    const app = createApp()
    await app.register(mcp, served)
    await app.ready()

    const { status, body } = await answerBehind((request, response) => app.routing(request, response))

    expect([status, body]).toStrictEqual([200, expect.stringContaining('Hello!')])
  })

  it('logs that the body was read before, and does not wait for it', async () => {
    const lines: string[] = []
    const stream = new Writable({
      write(line: Buffer, _encoding, done) {
        lines.push(line.toString())
        done()
      },
    })
    const app = createApp({ logger: { level: 'error', stream } })
    await app.register(mcp, served)
    await app.ready()

    const { status, body } = await answerBehind((request, response) => {
      void readText(request).then(() => app.routing(request, response))
    })

    expect([status, body]).toStrictEqual([500, expect.stringContaining('Internal error')])
    expect(lines.join('')).toContain('the body of the request was read before it reached the endpoint')
  })
})
