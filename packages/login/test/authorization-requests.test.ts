import { FakeBrowser } from './support/browser.js'
import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

afterEach(closeServers)

async function registered(redirectUri?: string): Promise<RawClient> {
  const { url } = await ProtectedServer.start()
  const client = new RawClient(url, redirectUri)
  await client.register()
  return client
}

/** Returns where a request leads, without a browser. */
async function answerTo(url: URL): Promise<{ status: number; to: URL | null }> {
  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')
  return { status: response.status, to: location === null ? null : new URL(location, url) }
}

describe('an authorization request', () => {
  test.each([
    ['without a challenge', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a challenge without its method', { code_challenge_method: null }, 'invalid_request'],
    ['for another server', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['for another path of the server', { resource: 'http://127.0.0.1/other' }, 'invalid_target'],
    ['for a token instead of a code', { response_type: 'token' }, 'unsupported_response_type'],
    ['with a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['without asking the user', { prompt: 'none' }, 'login_required'],
  ])('%s returns an error to the client', async (_what, changes, error) => {
    const client = await registered()

    const { status, to } = await answerTo(client.authorization(changes).url)

    expect(status).toBe(303)
    expect(to?.href.startsWith(client.redirectUri)).toBe(true)
    // For some response types, the answer is in the fragment.
    const { search, hash } = to as URL
    const searchParams = new URLSearchParams(search === '' ? hash.slice(1) : search)
    expect(searchParams.get('error')).toBe(error)
    expect(searchParams.getAll('iss')).toStrictEqual([client.origin])
    expect(searchParams.get('state')).toBe('st')
  })

  test.each([
    ['an unknown redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['a redirect URI that begins like the registered one', { redirect_uri: 'http://127.0.0.1:9/callback.evil' }],
    ['a redirect URI on a subdomain of it', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
    ['another spelling of the host', { redirect_uri: 'http://127.1:9/callback' }],
    ['no redirect URI', { redirect_uri: null }],
    ['no client', { client_id: null }],
  ])('with %s is answered with a page, without a redirect', async (_what, changes) => {
    const client = await registered()

    const { status, to } = await answerTo(client.authorization(changes).url)

    expect([status, to]).toStrictEqual([400, null])
  })

  test('is not used up by scanners that send HEAD or open the page in advance', async () => {
    const client = await registered()
    const browser = new FakeBrowser()
    const { url, verifier } = client.authorization()
    expect((await fetch(url, { method: 'HEAD', redirect: 'manual' })).status).toBe(404)

    const { url: page } = await browser.follow(url, client.redirectUri)
    const scanners = ['HEAD', 'GET', 'GET'].map(async (method) => fetch(page, { method, redirect: 'manual' }))
    expect((await Promise.all(scanners)).map(({ status }) => status)).toEqual([404, 403, 403])
    await browser.open(page)

    const shown = await (await browser.open(page)).text()
    const { url: reached } = await browser.follow(page, client.redirectUri, browser.submit(shown, page))
    expect((await client.exchange(reached.searchParams.get('code') ?? '', verifier)).status).toBe(200)
  })

  test('with two redirect URIs never leads to the second', async () => {
    const client = await registered()
    const { url } = client.authorization()
    url.searchParams.append('redirect_uri', 'https://evil.example')

    expect((await answerTo(url)).to?.host).not.toBe('evil.example')
  })

  test('with parameters of more than 8 KiB is answered with a page, and stores nothing', async () => {
    const client = await registered()
    const form = new URLSearchParams(client.authorization({ state: 'x'.repeat(9000) }).url.searchParams)

    const response = await fetch(new URL('/authorize', client.origin), {
      method: 'POST',
      body: form,
      redirect: 'manual',
    })

    expect(response.status).toBe(400)
    expect(await response.text()).toContain('longer than 8192 characters')
  })

  test('works as a form, and ignores parameters of OpenID that have no meaning here', async () => {
    const client = await registered()
    const { url } = client.authorization({
      max_age: '0',
      prompt: 'consent',
      ui_locales: 'de',
      nonce: 'n',
      acr_values: 'x',
    })
    const form = new URLSearchParams(url.searchParams)

    const browser = new FakeBrowser()
    const { url: reached, response } = await browser.follow(new URL('/authorize', client.origin), client.redirectUri, {
      method: 'POST',
      body: form,
    })

    expect(reached.pathname).toMatch(/^\/login\//)
    expect(await response?.text()).toContain('Allow access')
  })

  test('passes the login hint on to the provider', async () => {
    const client = await registered()
    const browser = new FakeBrowser()

    await browser.logIn(client.authorization({ login_hint: 'ann@acme.example' }).url)

    const atProvider = browser.visited.find(({ pathname }) => pathname === '/auth')
    expect(Object.fromEntries(atProvider?.searchParams ?? [])).toMatchObject({
      login_hint: 'ann@acme.example',
      client_id: 'mcp',
      code_challenge_method: 'S256',
      redirect_uri: `${client.origin}/oauth/callback`,
    })
    expect(atProvider?.searchParams.has('resource')).toBe(false)
    expect(atProvider?.searchParams.get('state')).not.toBe('st')
  })

  test('keeps the bytes of the redirect URI and of the state, and sends one `iss`', async () => {
    const redirectUri = 'https://client.example/cb?a=b%20c&iss=https%3A%2F%2Fevil.example&code=old&d=%7e'
    const client = await registered(redirectUri)
    const state = 'a+b/c=d e%20ä'

    const { response } = await (async () => {
      const browser = new FakeBrowser()
      const location: string[] = []
      const open = browser.open.bind(browser)
      browser.open = async (...args) => {
        const answer = await open(...args)
        location.push(answer.headers.get('location') ?? '')
        return answer
      }
      await browser.logIn(client.authorization({ state }).url)
      return { response: location.at(-1) as string }
    })()

    expect(response.startsWith('https://client.example/cb?a=b%20c&d=%7e&code=')).toBe(true)
    const { searchParams } = new URL(response)
    expect(searchParams.get('state')).toBe(state)
    expect(searchParams.getAll('iss')).toStrictEqual([client.origin])
    expect(searchParams.getAll('code')).toHaveLength(1)
  })

  test.each(['/mcp', '/mcp/', '/mcp?kb_name=docs'])('accepts %s as resource', async (path) => {
    const client = await registered()

    const tokens = await client.logInForTokens({ resource: `${client.origin}${path}` })

    expect((await client.call(tokens.access_token)).status).toBe(200)
  })

  test('without a resource is for the server', async () => {
    const client = await registered()

    const tokens = await client.logInForTokens({ resource: null })

    expect((await client.call(tokens.access_token)).status).toBe(200)
  })

  test.each([
    [null, 'users:read users:write'],
    ['', 'users:read users:write'],
    ['offline_access', 'users:read users:write'],
    ['openid profile', 'users:read users:write'],
    ['users:read offline_access', 'users:read'],
    ['users:read unknown:scope', 'users:read'],
    ['unknown:scope', ''],
  ])('with the scope %j gets %j', async (scope, granted) => {
    const client = await registered()

    const tokens = await client.logInForTokens({ scope })

    expect(tokens.scope).toBe(granted)
    expect(tokens.refresh_token).toMatch(/^[\w.-]+$/)
  })
})
