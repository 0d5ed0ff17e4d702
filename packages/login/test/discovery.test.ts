import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient, readJson } from './support/raw-client.js'

afterEach(closeServers)

async function get(url: string) {
  return readJson(await fetch(url))
}

describe('discovery of a login', () => {
  test('the resource is the exact URL of the endpoint, at the root and at its path, and names one issuer', async () => {
    const { url } = await ProtectedServer.start()

    for (const path of ['', '/mcp']) {
      const { body } = await get(`${url.origin}/.well-known/oauth-protected-resource${path}`)
      expect(body).toMatchObject({
        resource: url.href,
        authorization_servers: [url.origin],
        scopes_supported: ['users:read', 'users:write'],
      })
    }
  })

  test.each(['oauth-authorization-server', 'openid-configuration', 'oauth-authorization-server/mcp'])(
    'the document %s names the endpoints at the origin, and S256',
    async (name) => {
      const { url } = await ProtectedServer.start()

      const { body, headers } = await get(`${url.origin}/.well-known/${name}`)

      expect(body).toMatchObject({
        issuer: url.origin,
        authorization_endpoint: `${url.origin}/authorize`,
        token_endpoint: `${url.origin}/token`,
        registration_endpoint: `${url.origin}/register`,
        revocation_endpoint: `${url.origin}/revoke`,
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        scopes_supported: ['users:read', 'users:write', 'offline_access'],
        token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
        revocation_endpoint_auth_methods_supported: body['token_endpoint_auth_methods_supported'],
      })
      expect(Object.values(body)).not.toContain(null)
      expect(headers.get('cache-control')).toBe('public, max-age=300')
      expect(headers.get('access-control-allow-origin')).toBe('*')
    },
  )

  test('a caller without a token is sent to the metadata of the endpoint', async () => {
    const { url } = await ProtectedServer.start()

    const { status, challenge } = await new RawClient(url).call('')

    expect(status).toBe(401)
    expect(challenge).toContain(`resource_metadata="${url.origin}/.well-known/oauth-protected-resource/mcp"`)
  })

  test('each endpoint of a host names itself, and accepts tokens that were requested for it', async () => {
    const { url } = await ProtectedServer.start({ host: { legacySse: true, rpc: true } })

    for (const path of ['/sse', '/rpc', '/mcp']) {
      // oxlint-disable-next-line no-await-in-loop
      const { body } = await get(`${url.origin}/.well-known/oauth-protected-resource${path}`)
      expect(body).toMatchObject({ resource: `${url.origin}${path}`, authorization_servers: [url.origin] })
    }
    for (const path of ['/sse', '/rpc', '/mcp']) {
      const method = path === '/sse' ? 'GET' : 'POST'
      // oxlint-disable-next-line no-await-in-loop
      const { status, headers } = await fetch(`${url.origin}${path}`, { method })
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining(`resource_metadata="${url.origin}/.well-known/oauth-protected-resource${path}"`),
      ])
    }
    const client = new RawClient(url)
    const tokens = await client.logInForTokens({ resource: `${url.origin}/rpc` })
    const call = await fetch(`${url.origin}/rpc`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who' } }),
    })
    expect(await call.json()).toMatchObject({ result: { content: [{ text: expect.stringContaining('"ann"') }] } })

    const { reached } = await client.logIn({ resource: `${url.origin}/other` })
    expect(reached.searchParams.get('error')).toBe('invalid_target')
  })

  test('forwarded and forged hosts do not change any URL', async () => {
    const { url } = await ProtectedServer.start()
    const client = new RawClient(url)
    await client.register()

    const response = await fetch(client.authorization().url, {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' },
    })

    expect(response.headers.get('location')).toMatch(/^\/login\/[\w-]+$/)
    expect(response.headers.getSetCookie().join()).not.toContain('evil')
  })

  test.each(['/register', '/token', '/revoke', '/.well-known/oauth-authorization-server'])(
    'a page of any origin may use %s',
    async (path) => {
      const { url } = await ProtectedServer.start()
      const origin = 'https://inspector.example'

      const preflight = await fetch(`${url.origin}${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
      expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type')

      const answer = await fetch(`${url.origin}${path}`, {
        method: path.startsWith('/.') ? 'GET' : 'POST',
        headers: { origin, 'content-type': 'text/plain' },
      })
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    },
  )

  test('without registration, the documents offer none', async () => {
    const { url } = await ProtectedServer.start({ registration: false })

    const { body } = await get(`${url.origin}/.well-known/oauth-authorization-server`)

    expect(body).not.toHaveProperty('registration_endpoint')
    expect(body).not.toHaveProperty('client_id_metadata_document_supported')
    expect((await fetch(`${url.origin}/register`, { method: 'POST' })).status).toBe(404)
  })
})
