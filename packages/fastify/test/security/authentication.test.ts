import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import {
  AllowAnonymous,
  AuthenticationError,
  type Authenticator,
  Authorize,
  ForbiddenError,
  McpTool,
  type Principal,
  ProtocolError,
  type ResourceMetadata,
} from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  type AppOptions,
  closeApps,
  connectTo,
  EventReader,
  type HeaderValues,
  joinSession,
  legacyMessage,
  listen,
  messagesOf,
  modernMessage,
  openApp,
  openSession,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'

afterEach(closeApps)

const metadata: ResourceMetadata = {
  resource: 'https://mcp.example.com/mcp',
  authorization_servers: ['https://login.example.com'],
}

const where = 'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"'

function principal(subject: string): Principal {
  return { subject, roles: [], scopes: [], claims: {} }
}

/** Treats the token as the name of the caller, synchronously or after a delay. */
function create(more: Partial<Authenticator> = {}, isSlow = false): Authenticator & { asked: number } {
  return {
    asked: 0,
    metadata,
    authenticate({ headers: { authorization } }) {
      this.asked++
      const name = authorization === undefined ? undefined : String(authorization).replace('Bearer ', '')
      if (name === 'forged')
        throw new AuthenticationError('invalid_token', 'Unauthorized: "forged"\r\n', { reason: 'x' })
      if (name === 'weak') throw new ForbiddenError('Forbidden', ['mcp:use', 'evil" scope'])
      const found = name === undefined ? null : principal(name)
      return isSlow ? Promise.resolve(found) : found
    },
    ...more,
  }
}

const who: TestTool = { name: 'who', handler: (_args, context) => context.principal?.subject ?? 'nobody' }

function open(authentication: Authenticator, options: AppOptions = {}): Promise<FastifyInstance> {
  return openApp({ tools: [who], authentication, ...options })
}

const as = (name: string): Record<string, string> => ({ authorization: `Bearer ${name}` })

const ask = legacyMessage('tools/call', toolCall('who'))

describe.each([
  ['synchronously', false],
  ['after a delay', true],
])('an authenticator that responds %s', (_name, isSlow) => {
  it('sets the principal for handlers of either era', async () => {
    const app = await open(create({}, isSlow))
    const answers = [
      await connectTo(app, { era: 'legacy' }).send(ask, as('ann')),
      await connectTo(app).call('who', {}, { headers: as('bob') }),
    ]
    expect(answers.map(({ json }) => json.result.content[0].text)).toEqual(['ann', 'bob'])
  })

  it('rejects requests without credentials, with a challenge', async () => {
    const client = connectTo(await open(create({}, isSlow)), { era: 'legacy' })
    const { status, headers, json } = await client.send(ask)
    expect({ status, challenge: headers['www-authenticate'], json }).toEqual({
      status: 401,
      challenge: `Bearer ${where}`,
      json: {
        jsonrpc: '2.0',
        error: { code: -32_600, message: 'Unauthorized: missing credentials, see the WWW-Authenticate header' },
      },
    })
  })

  it('rejects all requests when it fails', async () => {
    const failures: (() => unknown)[] = [
      () => {
        throw new Error('broken')
      },
      () => Promise.reject(new Error('broken')),
      () => undefined,
      () => Promise.resolve(undefined),
      () => ({}),
      () => ({ subject: 1 }),
    ]
    for (const authenticate of failures) {
      // oxlint-disable-next-line no-await-in-loop
      const client = connectTo(await open({ authenticate: authenticate as never }, { allowAnonymous: true }), {
        era: 'legacy',
      })
      // oxlint-disable-next-line no-await-in-loop
      const { status, json } = await client.send(ask)
      expect({ status, json }).toEqual({
        status: 500,
        json: {
          jsonrpc: '2.0',
          error: {
            code: -32_603,
            message: expect.stringMatching(/^Internal error\. The cause is in the server.s log \(error [\w-]+\)\.$/),
          },
        },
      })
    }
  })
})

it.each([
  [null, { scopes: ['mcp:use', 'bad" scope'] }, `Bearer scope="mcp:use", ${where}`],
  [null, {}, `Bearer ${where}`],
  [
    'invalid_token',
    { scheme: { name: 'DPoP', parameters: { algs: 'ES256' } } },
    `DPoP algs="ES256", error="invalid_token", error_description="log in again", ${where}`,
  ],
] as const)(
  'an authenticated endpoint sends the challenge of an error that a handler throws: %j, %j',
  async (failure, init, challenge) => {
    const expired: TestTool = {
      name: 'expired',
      handler: () => {
        throw new AuthenticationError(failure, 'Unauthorized: log in again', init)
      },
    }
    const app = await open(create(), { tools: [expired], rpc: true })
    const message = modernMessage('tools/call', toolCall('expired'))
    const plain = await app.inject({ method: 'POST', url: '/rpc', payload: message, headers: as('ann') })
    const answers = [
      await connectTo(app, { era: 'legacy' }).call('expired', {}, { headers: as('ann') }),
      await connectTo(app).send(message, as('ann')),
      { status: plain.statusCode, headers: plain.headers, json: plain.json<unknown>() },
    ]
    for (const [index, { status, headers, json }] of answers.entries()) {
      expect({ status, challenge: headers['www-authenticate'], json }).toEqual({
        status: 401,
        // The metadata names the URL that the client has called.
        challenge: index === 2 ? challenge.replace('/mcp"', '/rpc"') : challenge,
        json: { jsonrpc: '2.0', id: 1, error: { code: -32_600, message: 'Unauthorized: log in again' } },
      })
    }
  },
)

it('an authenticator that cannot reach its issuer causes 503 with Retry-After', async () => {
  const unavailable = new ProtocolError('unavailable', 'Token verification is temporarily unavailable')
  const client = connectTo(await open({ authenticate: () => Promise.reject(unavailable) }), { era: 'legacy' })
  const { status, headers } = await client.send(ask)
  expect([status, headers['retry-after'], headers['www-authenticate']]).toEqual([503, '1', undefined])
})

it('an authenticator is called only after Host and Origin are checked, and before the body is read', async () => {
  const authenticator = create()
  const client = connectTo(await open(authenticator), { era: 'legacy' })
  const { status } = await client.send(ask, { ...as('ann'), origin: 'https://evil.example' })
  expect([status, authenticator.asked]).toEqual([403, 0])
  expect((await client.send('{ no json', as('forged'))).status).toBe(401)
  expect((await client.send('{ no json', as('ann'))).status).toBe(400)
})

it('an authenticated endpoint quotes the values in its challenge, so that no challenge can be forged', async () => {
  const client = connectTo(await open(create()), { era: 'legacy' })
  const { headers } = await client.send(ask, as('forged'))
  expect(headers['www-authenticate']).toBe(`Bearer error="invalid_token", error_description="\\"forged\\"??", ${where}`)
})

it('an authenticated endpoint names the scopes required for all requests in the first challenge', async () => {
  const client = connectTo(await open(create({ requiredScopes: ['mcp:use', 'no scope'] })), { era: 'legacy' })
  expect((await client.send(ask)).headers['www-authenticate']).toBe(`Bearer scope="mcp:use", ${where}`)
})

it('an authenticated endpoint rejects an authenticated caller with the missing scopes', async () => {
  const client = connectTo(await open(create()), { era: 'legacy' })
  const { status, headers } = await client.send(ask, as('weak'))
  expect([status, headers['www-authenticate']]).toEqual([
    403,
    `Bearer error="insufficient_scope", scope="mcp:use", ${where}`,
  ])
})

it('an authenticated endpoint logs the scopes that a caller lacks for all requests', async () => {
  const lines: string[] = []
  const logger = { base: null, timestamp: false, stream: { write: (line: string) => void lines.push(line) } }
  const client = connectTo(await open(create(), { fastify: { logger } }), { era: 'legacy' })
  await client.send(ask, as('weak'))
  const rejections = lines
    .map((line) => JSON.parse(line) as { msg: string })
    .filter(({ msg }) => msg.includes('rejected'))
  expect(rejections).toEqual([
    {
      level: 30,
      reqId: expect.any(String) as string,
      missingScopes: ['mcp:use', 'evil" scope'],
      msg: 'request rejected: the caller may not use this server',
    },
  ])
})

it.each([
  [
    'scopes are missing',
    ['files:read', 'files:write'],
    `Bearer error="insufficient_scope", scope="files:read files:write", ${where}`,
  ],
  ['no scope would help', [], undefined],
])('an authenticated endpoint responds with 403 to a forbidden call because %s', async (_name, missing, challenge) => {
  const handler = (): never => {
    throw new ForbiddenError('Forbidden: not you', missing)
  }
  const app = await open(create(), { tools: [], controllers: [] })
  app.mcp.catalog.addPrompt({ name: 'secret', handler })
  const prompt = { name: 'secret' }
  for (const answer of [
    await connectTo(app, { era: 'legacy' }).request('prompts/get', prompt, { headers: as('ann') }),
    await connectTo(app).request('prompts/get', prompt, { headers: as('ann') }),
  ]) {
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([403, challenge])
    expect(answer.json.error).toMatchObject({ code: -32_600, message: 'Forbidden: not you' })
  }
})

it('an authenticated endpoint admits anonymous callers if allowed, but no invalid credentials', async () => {
  const client = connectTo(await open(create(), { allowAnonymous: true, authorization: { default: 'anonymous' } }), {
    era: 'legacy',
  })
  expect((await client.send(ask)).json.result.content[0].text).toBe('nobody')
  expect((await client.send(ask, as('ann'))).json.result.content[0].text).toBe('ann')
  expect((await client.send(ask, as('forged'))).status).toBe(401)
})

class MixedTools {
  @McpTool({ description: 'For everybody' })
  @AllowAnonymous()
  open(): string {
    return 'welcome'
  }

  @McpTool({ description: 'For some' })
  @Authorize({ scopes: ['files:write', 'files:read'] })
  closed(): string {
    return 'done'
  }
}

it('an authenticated endpoint challenges anonymous callers of a guarded tool with the scopes of the tool', async () => {
  const scope = 'scope="files:write files:read"'
  for (const [options, challenge] of [
    [{ authentication: create(), allowAnonymous: true }, `Bearer ${scope}, ${where}`],
    [{}, `Bearer ${scope}`],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop
    const app = await openApp({ controllers: [MixedTools], ...options })
    const legacy = connectTo(app, { era: 'legacy' })
    // oxlint-disable-next-line no-await-in-loop
    expect((await legacy.call('open')).status).toBe(200)
    for (const send of [() => legacy.call('closed'), () => connectTo(app).call('closed')]) {
      // oxlint-disable-next-line no-await-in-loop
      const { status, headers } = await send()
      expect([status, headers['www-authenticate']]).toEqual([401, challenge])
    }
  }
})

it('an authenticated endpoint challenges an authenticated caller with all scopes of a tool, including granted ones', async () => {
  const authenticate = (): Principal => ({ ...principal('ann'), scopes: ['files:read'] })
  const client = connectTo(await openApp({ controllers: [MixedTools], authentication: create({ authenticate }) }), {
    era: 'legacy',
  })
  const { status, headers } = await client.call('closed')
  expect([status, headers['www-authenticate']]).toEqual([
    403,
    `Bearer error="insufficient_scope", scope="files:write files:read", ${where}`,
  ])
})

it('an authenticated endpoint serves a client that requests the scopes of each challenge', async () => {
  let scopes: readonly string[] = ['mcp:use']
  const authenticate = (): Principal => ({ ...principal('ann'), scopes })
  const authentication = create({ authenticate, requiredScopes: ['mcp:use'] })
  const client = connectTo(await openApp({ controllers: [MixedTools], authentication }), { era: 'legacy' })
  const challenge = (await client.call('closed')).headers['www-authenticate']
  scopes = /scope="([^"]+)"/.exec(String(challenge))?.[1]?.split(' ') ?? []
  expect(scopes).toEqual(['mcp:use', 'files:write', 'files:read'])
  expect((await client.call('closed')).status).toBe(200)
})

it('an authenticated endpoint rejects two Authorization headers, in any order and spelling', async () => {
  const port = await listen(await open(create()))
  const body = JSON.stringify(ask)
  const send = (headers: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.on('data', (data) => {
        text += String(data)
      })
      socket.once('close', () => resolve(text))
      const lines = ['POST /mcp HTTP/1.1', 'host: localhost', 'content-type: application/json', 'connection: close']
      socket.write([...lines, ...headers, `content-length: ${body.length}`, '', body].join('\r\n'))
    })
  const challenge = `Bearer error="invalid_request", error_description="there is more than one Authorization header", ${where}`
  // The other name has the same length, and more than one header can be sent.
  const caches = ['Cache-Control: no-cache', 'Cache-Control: no-store']
  expect(await send(['Authorization: Bearer ann', ...caches])).toMatch(/^HTTP\/1.1 200 OK/)
  for (const headers of [
    ['Authorization: Bearer ann', 'Authorization: Bearer ann'],
    ['authorization: Bearer ann', 'AUTHORIZATION: Bearer bob'],
    ['authorization: Bearer ann', 'authorization:'],
  ]) {
    // oxlint-disable-next-line no-await-in-loop
    const text = await send(headers)
    expect(text).toMatch(/^HTTP\/1.1 401 Unauthorized/)
    expect(text).toContain(`www-authenticate: ${challenge}\r\n`)
  }
})

it('an authenticated endpoint limits a session to its owner: to others it is unknown', async () => {
  const app = await open(create())
  const { sessionId } = await openSession(app, { headers: as('ann') })
  const session = joinSession(app, sessionId)
  const unknown = { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' }
  const reach = async (name: string, headers: HeaderValues): Promise<unknown[]> => {
    const sent = { host: 'localhost', accept: 'text/event-stream', ...headers, ...as(name) }
    const inject = async (method: 'GET' | 'DELETE'): Promise<unknown> => {
      const { statusCode, body } = await app.inject({ method, url: '/mcp', headers: sent })
      return [statusCode, body]
    }
    const { status, text } = await connectTo(app, { era: 'legacy' }).send(ask, { ...headers, ...as(name) })
    return [[status, text], await inject('GET'), await inject('DELETE')]
  }
  const strange = await reach('bob', session.headers)
  expect(strange).toEqual(await reach('ann', unknown))
  expect(strange).toEqual([
    [404, expect.stringContaining('Session not found')],
    [404, expect.stringContaining('Session not found')],
    [404, expect.stringContaining('Session not found')],
  ])
  expect((await session.send(ask)).status).toBe(401)
  expect((await session.send(ask, as('ann'))).json.result.content[0].text).toBe('ann')
  const ended = await app.inject({
    method: 'DELETE',
    url: '/mcp',
    headers: { host: 'localhost', ...session.headers, ...as('ann') },
  })
  expect([ended.statusCode, app.mcp.metrics().sessions.value]).toEqual([200, 0])
})

it('an authenticated endpoint stores nothing for rejected requests', async () => {
  const app = await open(create(), { legacySse: true })
  const rejected: Record<string, string>[] = [{}, as('forged'), as('weak')]
  for (let count = 0; count < 300; count++) {
    // oxlint-disable-next-line no-await-in-loop
    await connectTo(app, { era: 'legacy' }).initialize('2025-11-25', {}, rejected[count % rejected.length])
  }
  expect(app.mcp.metrics().sessions.value).toBe(0)
  expect((await app.inject({ url: '/sse', headers: { host: 'localhost' } })).statusCode).toBe(401)
})

it('an authenticated endpoint checks each message of a 2024-11-05 connection', async () => {
  const port = await listen(await open(create(), { legacySse: true }))
  const sent = request({ host: '127.0.0.1', port, path: '/sse', headers: as('ann') })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const stream = new EventReader(response, sent)
  const url = new URL(String((await stream.next())?.data), `http://127.0.0.1:${port}/sse`)
  const send = async (headers: Record<string, string>): Promise<number> => {
    const sentHeaders = { 'content-type': 'application/json', ...headers }
    return (await fetch(url, { method: 'POST', headers: sentHeaders, body: JSON.stringify(ask) })).status
  }
  expect([await send({}), await send(as('bob')), await send(as('ann'))]).toEqual([401, 404, 202])
  expect(JSON.parse(String((await stream.next())?.data)).result.content[0].text).toBe('ann')
  sent.destroy()
})

it('authentication applies to event streams, too', async () => {
  const client = connectTo(await open(create()), { era: 'legacy' })
  const { text } = await client.send(ask, { ...as('ann'), accept: 'text/event-stream' })
  expect(messagesOf(text)[0].result.content[0].text).toBe('ann')
  expect((await client.send(ask, { accept: 'text/event-stream' })).status).toBe(401)
})

const wellKnown = '/.well-known/oauth-protected-resource'

describe('the protected resource metadata', () => {
  it('is at the URL of the challenge, at the root, and needs no token', async () => {
    const app = await open(create())
    for (const url of [wellKnown, `${wellKnown}/mcp`, `${wellKnown}/`, `${wellKnown}/mcp/`]) {
      // The Host header of an unknown client has no effect.
      // oxlint-disable-next-line no-await-in-loop
      const response = await app.inject({ url, headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } })
      expect({
        status: response.statusCode,
        type: response.headers['content-type'],
        json: response.json<unknown>(),
      }).toEqual({
        status: 200,
        type: 'application/json; charset=utf-8',
        json: metadata,
      })
    }
    expect((await app.inject(`${wellKnown}/other`)).statusCode).toBe(404)
  })

  it('can be read by pages that send the protocol version, which causes a preflight request', async () => {
    const app = await open(create())
    const headers = {
      origin: 'https://app.example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'mcp-protocol-version',
    }
    const asked = [wellKnown, `${wellKnown}/mcp`].map(async (url) => app.inject({ method: 'OPTIONS', url, headers }))
    for (const response of await Promise.all(asked)) {
      expect(response.statusCode).toBe(204)
      expect(response.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET',
        'access-control-allow-headers': '*',
      })
    }
    const origin = { origin: 'https://app.example.com' }
    const read = await app.inject({ url: `${wellKnown}/mcp`, headers: origin })
    expect([read.statusCode, read.headers['access-control-allow-origin']]).toEqual([200, '*'])
    expect(read.headers['cache-control']).toBe('public, max-age=3600')
  })

  it('is found behind a proxy that strips a prefix', async () => {
    const resource = 'https://example.com/api/weather/mcp'
    const app = await open(create({ metadata: { ...metadata, resource } }))
    const statuses = ['', '/api/weather/mcp', '/mcp'].map(
      async (path) => (await app.inject(wellKnown + path)).statusCode,
    )
    expect(await Promise.all(statuses)).toEqual([200, 200, 200])
    expect((await connectTo(app, { era: 'legacy' }).send(ask)).headers['www-authenticate']).toBe(
      `Bearer resource_metadata="https://example.com${wellKnown}/api/weather/mcp"`,
    )
  })

  it.each(['a b', 'ü', '%C3%BC', 'v1:mcp', 'v1:mcp/:id'])(
    'is at the URL of the challenge for the path /%s',
    async (path) => {
      const resource = `https://example.com/${path}`
      const app = await open(create({ metadata: { ...metadata, resource } }))
      const challenge = String((await connectTo(app, { era: 'legacy' }).send(ask)).headers['www-authenticate'])
      const { pathname } = new URL(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '')
      expect((await app.inject(pathname)).json()).toMatchObject({ resource })
      expect((await app.inject(`${wellKnown}/v1-other`)).statusCode).toBe(404)
    },
  )

  it('is at the root for servers in scopes with a prefix, separately for each', async () => {
    const app = Fastify()
    for (const name of ['weather', 'notes']) {
      const resource = `https://example.com/${name}/mcp`
      const authentication = create({ metadata: { ...metadata, resource } })
      app.register((scope) => scope.register(mcp, { name, version: '1', controllers: [], authentication }), {
        prefix: `/${name}`,
      })
    }
    const resources = ['/weather/mcp', '/notes/mcp', ''].map(
      async (path) => (await app.inject(wellKnown + path)).json<ResourceMetadata>().resource,
    )
    expect(await Promise.all(resources)).toEqual([
      'https://example.com/weather/mcp',
      'https://example.com/notes/mcp',
      'https://example.com/weather/mcp',
    ])
    await app.close()
  })

  it('does not exist without authentication', async () => {
    const app = await open({ authenticate: () => null })
    expect((await app.inject(wellKnown)).statusCode).toBe(404)
    expect((await connectTo(app, { era: 'legacy' }).send(ask)).headers['www-authenticate']).toBe('Bearer')
    const unprotected = await openApp()
    expect((await unprotected.inject(wellKnown)).statusCode).toBe(404)
  })
})
