import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Authenticator, type AuthorizeOptions, ToolError } from '@toolwright/core'
import { exchange, type OpenApiOptions, openApi } from '@toolwright/openapi'
import { connect } from '@toolwright/testing'
import { createHost } from 'toolwright'
import { type Api, startApi } from './support/api.js'
import { documentOf, operationOf, quiet, serveDocument, textOf } from './support/serve.js'

const secret = { headers: { authorization: 'Bearer api-token', 'x-key': 'k' }, query: { api_key: 'a b' } }
const auth = () => secret

/** Names under which the credentials could arrive. */
function credentialsIn({ received }: Api): string[] {
  const text = JSON.stringify(received.map(({ url, headers, body }) => [url, headers, body.toString()]))
  return ['api-token', '"x-key"', 'api_key'].filter((part) => text.includes(part))
}

describe('credentials', () => {
  it('are a function of the caller and the operation', async () => {
    await using api = await startApi()
    const byCaller: OpenApiOptions['auth'] = ({ principal }, { id }) => ({
      headers: { 'X-User': `${principal?.subject} ${id}` },
    })
    await using served = await serveDocument({ document: operationOf({}), auth: byCaller }, api, {
      principal: { subject: 'ann' },
    })
    await served.call('call')
    expect(api.only().headers['x-user']).toBe('ann call')
  })

  it('are added to headers and query', async () => {
    await using api = await startApi()
    const parameters = [{ name: 'q', in: 'query', schema: { type: 'string' } }]
    await using served = await serveDocument({ document: operationOf({ parameters }), auth }, api)
    await served.call('call', { q: "it's" })
    expect(api.only()).toMatchObject({
      url: '/things?q=it%27s&api_key=a%20b',
      headers: { authorization: 'Bearer api-token', 'x-key': 'k' },
    })
  })

  it('of the caller are not forwarded', async () => {
    await using api = await startApi()
    const source = openApi({ document: operationOf({}), auth: 'none', baseUrl: api.url, allowPrivate: ['127.0.0.1'] })
    await using connection = await connect(
      { ...quiet, sources: [source] },
      { lane: 'http', principal: { subject: 'ann' } },
    )
    await connection.client.callTool({ name: 'call', arguments: {} })
    expect(Object.keys(api.only().headers).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'accept-language',
      'connection',
      'host',
      'sec-fetch-mode',
      'user-agent',
    ])
  })

  it('cannot be replaced by arguments', async () => {
    const parameters = [{ name: 'X-Key', in: 'header', schema: { type: 'string' } }]
    await using api = await startApi()
    await using served = await serveDocument({ document: operationOf({ parameters }), auth }, api)
    await served.call('call', { 'X-Key': 'mine' })
    expect(api.only().headers['x-key']).toBe('k')
  })

  it('are not sent to servers of another origin', async () => {
    await using other = await startApi()
    await using api = await startApi()
    const paths = {
      '/own': { get: { operationId: 'own' } },
      '/foreign': { get: { operationId: 'foreign', servers: [{ url: other.url }] } },
      '/path': { servers: [{ url: other.url }], get: { operationId: 'path' } },
    }
    const document = documentOf(paths, { servers: [{ url: api.url }] })
    await using served = await serveDocument({ document, auth, allowPrivate: ['127.0.0.1'] }, null)
    for (const name of ['own', 'foreign', 'path']) await served.call(name)

    expect(credentialsIn(api)).toEqual(['api-token', '"x-key"', 'api_key'])
    expect(other.received.map(({ url }) => url)).toEqual(['/foreign', '/path'])
    expect(credentialsIn(other)).toEqual([])
    expect(served.server.explain().sources[0]?.added.map(({ feature }) => feature)).toEqual([
      "tool 'own' (credentials: auth function)",
      "tool 'foreign' (no credentials: another origin)",
      "tool 'path' (no credentials: another origin)",
    ])
  })

  it('are not sent to another port of the same host', async () => {
    await using other = await startApi()
    await using api = await startApi(() => ({ status: 302, headers: { location: `${other.url}/next` } }))
    await using served = await serveDocument({ document: operationOf({}), auth }, api)
    await served.call('call')
    expect(other.only().url).toBe('/next')
    expect(credentialsIn(other)).toEqual([])
  })

  it('are not sent for an operation without security', async () => {
    await using api = await startApi()
    await using served = await serveDocument({ document: operationOf({ security: [] }), auth }, api)
    await served.call('call')
    expect(credentialsIn(api)).toEqual([])
  })

  it('of a downloaded document are only sent to its own origin, unless baseUrl is given', async () => {
    await using api = await startApi()
    const document = operationOf({})
    document['servers'] = [{ url: api.url }]
    await using host = await startApi(() => ({ body: JSON.stringify(document) }))
    const remote = { document: `${host.url}/x.json`, allowRemote: true, allowPrivate: ['127.0.0.1'], auth }

    await expect(serveDocument(remote, null)).rejects.toThrow(
      /the document names 'http:.*', which is another origin than its own. Set baseUrl/,
    )
    await using served = await serveDocument({ ...remote, baseUrl: api.url }, null)
    await served.call('call')
    expect(credentialsIn(api)).toHaveLength(3)
    expect(credentialsIn(host)).toEqual([])
  })

  it.each([
    [
      'the document has no server',
      { document: operationOf({}) },
      /names no server that could get the credentials. Set baseUrl/,
    ],
    [
      'they would be sent without encryption',
      { document: operationOf({}), baseUrl: 'http://api.example.com' },
      /without encryption. Set baseUrl to an https: URL/,
    ],
  ])('are a problem at boot if %s', async (_, options, message) => {
    await expect(serveDocument({ ...options, auth }, null)).rejects.toThrow(message)
  })

  it('that a header cannot have do not reach the log or the client', async () => {
    await using api = await startApi()
    const broken = () => ({ headers: { authorization: 'Bearer se\ncret' } })
    await using served = await serveDocument({ document: operationOf({}), auth: broken }, api)
    const result = await served.call('call')
    expect(JSON.stringify(result)).not.toContain('cret')
    expect(result.isError).toBe(true)
    expect(api.received).toEqual([])
  })

  it('can be refused with a reason for the model', async () => {
    await using api = await startApi()
    const refuse = (): never => {
      throw new ToolError('Link your account first.')
    }
    await using served = await serveDocument({ document: operationOf({}), auth: refuse }, api)
    expect(await served.text('call')).toBe('Link your account first.')
    expect(api.received).toEqual([])
  })
})

describe('redirects', () => {
  const parameters = [{ name: 'X-Tenant', in: 'header', schema: { type: 'string' } }]

  it('to the same origin are followed with credentials', async () => {
    await using api = await startApi(({ url }) =>
      url.startsWith('/things') ? { status: 301, headers: { location: '/moved' } } : { body: '"here"' },
    )
    await using served = await serveDocument({ document: operationOf({}), auth }, api)
    expect(await served.text('call')).toBe('"here"')
    expect(api.received[1]).toMatchObject({
      url: '/moved?api_key=a%20b',
      headers: { authorization: 'Bearer api-token' },
    })
  })

  it('to another origin carry no headers of the call', async () => {
    await using other = await startApi(() => ({ body: '"there"' }))
    await using api = await startApi(() => ({ status: 302, headers: { location: other.url } }))
    await using served = await serveDocument({ document: operationOf({ parameters }), auth }, api)
    expect(await served.text('call', { 'X-Tenant': 't' })).toBe('"there"')
    expect(credentialsIn(other)).toEqual([])
    expect(other.only().headers).not.toHaveProperty('x-tenant')
  })

  it.each([307, 308])('of a POST to another origin are not followed: %s', async (status) => {
    await using other = await startApi()
    await using api = await startApi(() => ({ status, headers: { location: other.url } }))
    const requestBody = { content: { 'application/json': { schema: { type: 'object', properties: { a: {} } } } } }
    await using served = await serveDocument({ document: operationOf({ requestBody }, '/things', 'post') }, api)
    expect(await served.text('call', { a: 'private' })).toMatch(/redirected the request to a place that is not allowed/)
    expect(other.received).toEqual([])
  })

  it('of a POST with 303 are followed as GET without the body', async () => {
    await using api = await startApi(({ method }) =>
      method === 'POST' ? { status: 303, headers: { location: '/result' } } : {},
    )
    const requestBody = { content: { 'application/json': { schema: { type: 'object', properties: { a: {} } } } } }
    await using served = await serveDocument({ document: operationOf({ requestBody }, '/things', 'post') }, api)
    await served.call('call', { a: 1 })
    expect(api.received[1]).toMatchObject({ method: 'GET', url: '/result', body: Buffer.alloc(0) })
    expect(api.received[1]?.headers).not.toHaveProperty('content-type')
  })

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'gopher://127.0.0.1/', 'data:text/plain,x'])(
    'to %s are not followed',
    async (location) => {
      await using api = await startApi(() => ({ status: 302, headers: { location } }))
      await using served = await serveDocument({ document: operationOf({}) }, api)
      expect(await served.text('call')).toMatch(/redirected the request to a place that is not allowed/)
    },
  )

  it('without end are given up', async () => {
    await using api = await startApi(() => ({ status: 302, headers: { location: '/things' } }))
    await using served = await serveDocument({ document: operationOf({}) }, api)
    expect(await served.text('call')).toMatch(/redirected/)
    expect(api.received).toHaveLength(4)
  })
})

describe('exchange', () => {
  /** Serves a document to callers whose tokens are their names. */
  async function serveCallers(api: Api, issuer: Api) {
    const tokens = exchange({
      tokenEndpoint: `${issuer.url}/token`,
      clientId: 'mcp',
      clientSecret: 's:cret',
      audience: 'shop',
      scopes: ['orders:read'],
    })
    const source = openApi({ document: operationOf({}), baseUrl: api.url, allowPrivate: ['127.0.0.1'], auth: tokens })
    const authentication: Authenticator = {
      authenticate: ({ headers }) => ({ subject: String(headers['authorization']), roles: [], scopes: [], claims: {} }),
    }
    const app = await createHost({
      name: 'test',
      version: '1',
      sources: [source],
      authentication,
      fastify: { logger: false },
    })
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    return {
      async call(token: string): Promise<string> {
        const client = new Client({ name: 'test', version: '1' })
        const requestInit = { headers: { authorization: `Bearer ${token}` } }
        await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit }))
        const result = await client.callTool({ name: 'call', arguments: {} })
        await client.close()
        return textOf(result)
      },
      [Symbol.asyncDispose]: () => app.close(),
    }
  }

  it('sends the token of the caller to the token endpoint only, and reuses the new token', async () => {
    await using api = await startApi()
    await using issuer = await startApi(({ body }) => {
      const user = new URLSearchParams(body.toString()).get('subject_token')?.slice(0, 3)
      return { body: JSON.stringify({ access_token: `new-${user}`, expires_in: 300 }) }
    })
    await using served = await serveCallers(api, issuer)
    await Promise.all([served.call('ann-token'), served.call('ann-token'), served.call('bob-token')])
    await served.call('ann-token')

    expect(issuer.received).toHaveLength(2)
    const forms = issuer.received.map(({ body }) => Object.fromEntries(new URLSearchParams(body.toString())))
    expect(forms.find(({ subject_token }) => subject_token === 'ann-token')).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'ann-token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: 'shop',
      scope: 'orders:read',
    })
    expect(issuer.received[0]?.headers['authorization']).toBe(`Basic ${Buffer.from('mcp:s%3Acret').toString('base64')}`)
    expect(
      api.received.map(({ headers }) => headers.authorization ?? '').toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['Bearer new-ann', 'Bearer new-ann', 'Bearer new-ann', 'Bearer new-bob'])
    expect(JSON.stringify(api.received.map(({ headers }) => headers))).not.toMatch(/ann-token|bob-token|cret/)
  })

  it('asks again for a token that has expired', async () => {
    await using api = await startApi()
    await using issuer = await startApi(() => ({ body: JSON.stringify({ access_token: 'new', expires_in: 1 }) }))
    await using served = await serveCallers(api, issuer)
    await served.call('ann-token')
    await served.call('ann-token')
    expect(issuer.received).toHaveLength(2)
  })

  it.each([
    [
      'a refusal',
      { status: 400, body: '{"error":"invalid_target","error_description":"internal-detail"}' },
      /issues no token of the API for this caller \(invalid_target\)/,
    ],
    ['no token', { body: '{}' }, /issues no token/],
    ['no JSON', { body: '<html>' }, /issues no token/],
    ['no answer', 'reset' as const, /The authorization server cannot be reached. Try again later/],
  ])('tells the model about %s, and calls no API', async (_, answer, text) => {
    await using api = await startApi()
    await using issuer = await startApi(() => answer)
    await using served = await serveCallers(api, issuer)
    const told = await served.call('ann-token')
    expect(told).toMatch(text)
    expect(told).not.toContain('internal-detail')
    expect(api.received).toEqual([])
    // The failure is not remembered.
    await served.call('ann-token')
    expect(issuer.received).toHaveLength(2)
  })

  it('needs the token of a caller', async () => {
    await using api = await startApi()
    const tokens = exchange({ tokenEndpoint: `${api.url}/token` })
    await using served = await serveDocument({ document: operationOf({}), auth: tokens }, api, {
      principal: { subject: 'ann' },
    })
    expect(await served.text('call')).toMatch(/The caller has no access token/)
    expect(api.received).toEqual([])
  })

  it('with a token endpoint at a private address is a problem at boot', async () => {
    const tokens = exchange({ tokenEndpoint: 'http://169.254.169.254/token' })
    const boot = serveDocument({ document: operationOf({}), auth: tokens, baseUrl: 'https://api.example.com' }, null)
    await expect(boot).rejects.toThrow(/the tokenEndpoint of exchange: the address of '169.254.169.254' is not public/)
  })

  it('with wrong options throws', () => {
    expect(() => exchange({ tokenEndpoint: 'login', audiance: 'x' } as never)).toThrow(
      /audiance is not an option. Did you mean audience[\s\S]*tokenEndpoint is the string 'login'/,
    )
  })
})

describe('rules', () => {
  const paths = {
    '/orders': {
      get: { operationId: 'listOrders', tags: ['orders'] },
      delete: { operationId: 'deleteOrders', tags: ['orders', 'admin'] },
    },
    '/users': { get: { operationId: 'listUsers', tags: ['admin'] } },
  }
  const ops: AuthorizeOptions = { roles: ['ops'] }

  it('select operations by tag, method and name, and the first one applies', async () => {
    await using api = await startApi()
    const rules = [
      { methods: ['delete'], authorize: { roles: ['root'] } },
      { tags: ['admin'], authorize: ops },
      { operations: ['GET /orders'], allowAnonymous: true },
    ]
    const names = async (roles: readonly string[] | null): Promise<string[]> => {
      const principal = roles === null ? null : { subject: 'ann', roles }
      await using served = await serveDocument(
        { document: documentOf(paths), rules },
        api,
        { principal },
        { authorization: {} },
      )
      return (await served.client.listTools()).tools.map(({ name }) => name)
    }
    expect(await names(null)).toEqual(['listOrders'])
    expect(await names(['ops'])).toEqual(['listOrders', 'listUsers'])
    expect(await names(['root'])).toEqual(['deleteOrders', 'listOrders'])
  })

  it('are needed for destructive operations of a server with authorization', async () => {
    const boot = serveDocument(
      { document: documentOf(paths), baseUrl: 'https://api.example.com' },
      null,
      {},
      { authorization: { default: 'anonymous' } },
    )
    await expect(boot).rejects.toThrow(/deleteOrders[\s\S]*unguarded-destructive-tool/)
  })

  it.each([
    [
      { rules: [{ tags: ['admim'], authorize: ops }] },
      /rules\[0\] has the tag 'admim', which the document does not have/,
    ],
    [{ rules: [{ methods: ['PATCH'], authorize: ops }] }, /rules\[0\] has the method 'PATCH'/],
    [{ rules: [{ tags: ['admin'] }] }, /rules\[0\] has neither authorize nor allowAnonymous/],
    [{ rules: [{ tag: ['admin'], authorize: ops }] }, /rules\[0\].tag is not an option. Did you mean tags/],
    [{ include: { operations: ['listOrder'] } }, /include has the operation 'listOrder'/],
    [{ rename: { listOrder: 'orders' } }, /rename has the operation 'listOrder'/],
  ])('and filters with names that do not exist are problems at boot: %j', async (options, message) => {
    await expect(
      serveDocument({ document: documentOf(paths), baseUrl: 'https://api.example.com', ...options }, null),
    ).rejects.toThrow(message)
  })
})
