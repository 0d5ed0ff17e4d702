import { FakeBrowser } from './support/browser.js'
import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

afterEach(closeServers)

async function openPage(client: RawClient, browser: FakeBrowser, changes = {}) {
  const { url: start } = client.authorization(changes)
  const { url, response } = await browser.follow(start, client.redirectUri)
  return { url, response: response as Response, page: await (response as Response).text() }
}

async function registered(options = {}, metadata = {}, redirectUri?: string) {
  const server = await ProtectedServer.start(options)
  const client = new RawClient(server.url, redirectUri)
  await client.register(metadata)
  return { server, client, browser: new FakeBrowser() }
}

describe('the consent page', () => {
  test('shows the app, where the browser returns to, the scopes and the provider', async () => {
    const { client, browser } = await registered(
      {},
      { client_name: 'Claude' },
      'https://claude.ai/api/mcp/auth_callback',
    )

    const { page } = await openPage(client, browser, { scope: 'users:read' })

    expect(page).toContain('Allow access to Users &lt;of&gt; Acme?')
    expect(page).toContain('Claude wants to use')
    expect(page).toContain('The app chose this name itself.')
    expect(page).toContain('<code><bdi>claude.ai</bdi></code>')
    expect(page).toContain('<li><code>users:read</code></li>')
    expect(page).not.toContain('users:write')
    expect(page).toContain('Continue with Acme')
  })

  test('forbids frames, scripts and caches, and does not restrict where its form leads', async () => {
    const { client, browser } = await registered()

    const { response } = await openPage(client, browser)

    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    // Chrome and Safari apply it to the redirects after the form.
    expect(policy).not.toContain('form-action')
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('escapes names of clients, and removes characters that reorder text', async () => {
    const evil = `<script>alert(1)</script>"'&\u202Emoc.dab`
    const { client, browser } = await registered(
      {},
      { client_name: evil },
      `http://localhost/cb?q="><img src=x>`.replaceAll(' ', '%20'),
    )

    const { page } = await openPage(client, browser, { state: '"><script>', login_hint: '<script>' })

    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;moc.dab')
    expect(page).not.toContain('<script')
    expect(page).not.toContain('<img')
    expect(page).not.toContain('\u202E')
  })

  test('shows the words, the name, the logo and the address for help of the options', async () => {
    const page = {
      name: 'Wetter & Co',
      logo: 'https://acme.example/logo.svg',
      support: 'help@acme.example',
      words: {
        lang: 'de',
        title: '{server} freigeben?',
        continue: 'Weiter mit {provider}',
        cancel: 'Abbrechen',
        support: 'Hilfe',
      },
    }
    const { client, browser } = await registered({ page })

    const shown = (await openPage(client, browser)).page

    expect(shown).toContain('<html lang="de">')
    expect(shown).toContain('<h1>Wetter &amp; Co freigeben?</h1>')
    expect(shown).toContain('Weiter mit Acme')
    expect(shown).toContain('src="https://acme.example/logo.svg"')
    expect(shown).toContain('<a href="mailto:help@acme.example">Hilfe</a>')
  })

  test('returns to the client when the user cancels', async () => {
    const { client, browser, server } = await registered()
    browser.decision = 'cancel'

    const reached = await browser.logIn(client.authorization({ state: 'a+b/c=d e' }).url)

    expect(Object.fromEntries(reached.searchParams)).toStrictEqual({
      error: 'access_denied',
      error_description: 'the user cancelled',
      state: 'a+b/c=d e',
      iss: server.url.origin,
    })
    expect(browser.visited.map(({ origin }) => origin)).not.toContain(server.company.issuer)
  })

  test('continues after it was opened several times', async () => {
    const { client, browser } = await registered()
    const first = await openPage(client, browser)
    await browser.open(first.url)
    await browser.open(first.url)

    const { url } = await browser.follow(first.url, client.redirectUri, browser.submit(first.page, first.url))

    expect(url.searchParams.has('code')).toBe(true)
  })

  test('two logins in one browser do not disturb each other', async () => {
    const { client, browser } = await registered()
    const one = await openPage(client, browser, { state: 'one' })
    const two = await openPage(client, browser, { state: 'two' })

    const endOfTwo = await browser.follow(two.url, client.redirectUri, browser.submit(two.page, two.url))
    const endOfOne = await browser.follow(one.url, client.redirectUri, browser.submit(one.page, one.url))

    expect([endOfOne, endOfTwo].map(({ url }) => url.searchParams.get('state'))).toStrictEqual(['one', 'two'])
    expect(endOfOne.url.searchParams.has('code')).toBe(true)
  })

  test('asks again for each login, and two users can log in one after the other in one browser', async () => {
    const { client, browser, server } = await registered()
    const first = await client.logIn({}, browser)
    server.company.user = 'bob'
    const second = await client.logIn({}, browser)

    const tokens = await Promise.all([first, second].map(({ code, verifier }) => client.exchange(code, verifier)))
    const calls = await Promise.all(tokens.map(({ body }) => client.call(String(body['access_token']))))
    expect(calls.map(({ text }) => /"subject\\":\\"(\w+)/.exec(text)?.[1])).toStrictEqual(['ann', 'bob'])
  })
})

describe('a remembered consent', () => {
  /** A browser whose user opens pages, such as from an app. */
  const byUser = { 'sec-fetch-site': 'none' }

  /** Opens an authorization request. @returns Whether the consent page was shown. */
  async function isAsked(
    client: RawClient,
    browser: FakeBrowser,
    headers: Record<string, string> = byUser,
    changes: Record<string, string | null> = {},
  ): Promise<boolean> {
    const { url } = client.authorization(changes)
    const begun = await browser.open(url, { headers })
    const response = await browser.open(new URL(begun.headers.get('location') ?? '', url), { headers })
    const page = await response.text()
    return response.status === 200 && page.includes('<form')
  }

  /** A user who has agreed once, for `users:read`. */
  async function agreed(options = {}) {
    const server = await ProtectedServer.start({ consent: 'remember', ...options })
    const client = new RawClient(server.url)
    await client.register()
    const browser = new FakeBrowser()
    await client.logIn({ scope: 'users:read' }, browser)
    return { server, client, browser, scope: { scope: 'users:read' } }
  }

  test('is not asked for again in the same browser, and the login goes on', async () => {
    const { client, browser, scope } = await agreed()
    expect(await isAsked(client, browser, byUser, scope)).toBe(false)

    const { url, verifier } = client.authorization(scope)
    const begun = await browser.open(url, { headers: byUser })
    const atProvider = await browser.open(new URL(begun.headers.get('location') ?? '', url), { headers: byUser })
    const { url: back } = await browser.follow(
      new URL(atProvider.headers.get('location') ?? '', url),
      client.redirectUri,
    )
    const code = back.searchParams.get('code') ?? ''
    expect((await client.exchange(code, verifier)).status).toBe(200)
  })

  test.each<[string, Record<string, string>]>([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['a browser that does not say who opened the page', {}],
    ['a browser in advance', { ...byUser, 'sec-purpose': 'prefetch' }],
  ])('is asked for again if %s opens the login', async (_who, headers) => {
    const { client, browser, scope } = await agreed()
    expect(await isAsked(client, browser, headers, scope)).toBe(true)
  })

  test('is asked for again for more scopes, another redirect URI, another client, and another browser', async () => {
    const { server, client, browser, scope } = await agreed()
    expect(await isAsked(client, browser, byUser, { scope: 'users:read users:write' })).toBe(true)
    expect(await isAsked(client, new FakeBrowser(), byUser, scope)).toBe(true)
    const other = new RawClient(server.url, 'https://client.example/callback')
    await other.register()
    expect(await isAsked(other, browser, byUser, scope)).toBe(true)
  })

  test('is not remembered after Cancel, nor by default', async () => {
    const { server, client, scope } = await agreed()
    const cancelling = new FakeBrowser()
    cancelling.decision = 'cancel'
    await client.logIn(scope, cancelling)
    expect(await isAsked(client, cancelling, byUser, scope)).toBe(true)
    await server.close()

    const always = await agreed({ consent: 'always' })
    expect(await isAsked(always.client, always.browser, byUser, scope)).toBe(true)
  })
})

describe('consent by a stranger', () => {
  test('a login that another browser has agreed to cannot be finished', async () => {
    const { client, browser: attacker } = await registered()
    const { page, url } = await openPage(client, attacker)
    const agreed = await attacker.open(url, attacker.submit(page, url))
    const atProvider = new URL(agreed.headers.get('location') ?? '')

    // The victim opens the attacker's link, and is logged in at the provider already.
    const victim = new FakeBrowser()
    const { response, url: end } = await victim.follow(atProvider, client.redirectUri)

    expect(end.pathname).toBe('/oauth/callback')
    expect(response?.status).toBe(403)
    // The attacker cannot use the answer either.
    await expect(client.exchange(end.searchParams.get('code') ?? '', 'x')).resolves.toMatchObject({ status: 400 })
  })

  test('an answer of the provider cannot be planted in another browser, or used twice', async () => {
    const { client, browser } = await registered()
    const { page, url } = await openPage(client, browser)
    const agreed = await browser.open(url, browser.submit(page, url))
    let callback = new URL(agreed.headers.get('location') ?? '')
    while (callback.pathname !== '/oauth/callback') {
      // oxlint-disable-next-line no-await-in-loop
      callback = new URL((await browser.open(callback)).headers.get('location') ?? '', callback)
    }

    expect((await new FakeBrowser().open(callback)).status).toBe(403)
    const forged = new URL(callback)
    forged.searchParams.set('state', 'x'.repeat(43))
    expect((await browser.open(forged)).status).toBe(403)

    expect((await browser.open(callback)).status).toBe(303)
    expect((await browser.open(callback)).status).toBe(403)
  })

  test('the page of another browser is not shown', async () => {
    const { client, browser } = await registered()
    const { url } = await openPage(client, browser)

    const response = await new FakeBrowser().open(url)

    expect(response.status).toBe(403)
    expect(await response.text()).toContain('has expired, or it began in another browser')
  })

  test.each([
    ['without a token', { form_token: '' }, {}],
    ['with a token of another login', { form_token: 'a'.repeat(43) }, {}],
    ['from another site', {}, { origin: 'https://evil.example' }],
    ['from another site that hides its origin', {}, { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['from a sibling', {}, { 'sec-fetch-site': 'same-site' }],
  ])('a form %s is rejected', async (_what, fields, headers) => {
    const { client, browser } = await registered()
    const { url, page } = await openPage(client, browser)
    const { body } = browser.submit(page, url)
    const form = new URLSearchParams({ ...Object.fromEntries(body as URLSearchParams), ...fields })

    const response = await browser.open(url, { method: 'POST', body: form, headers })

    expect(response.status).toBe(403)
    expect(response.headers.get('location')).toBeNull()
  })

  test('a form token of one login is useless for another login of the same browser', async () => {
    const { client, browser } = await registered()
    const one = await openPage(client, browser)
    const other = await openPage(client, browser)

    const response = await browser.open(other.url, browser.submit(one.page, other.url))

    expect(response.status).toBe(403)
  })
})

describe('the decision of the server about a user', () => {
  test('a user who may not log in sees a page, and returns to the client with access_denied', async () => {
    const { client, browser, server } = await registered({
      allow: ({ claims }: { claims: Record<string, unknown> }) => claims['sub'] === 'bob',
    })

    const pages: string[] = []
    const open = browser.open.bind(browser)
    browser.open = async (...args) => {
      const response = await open(...args)
      pages.push(await response.clone().text())
      return response
    }
    const reached = await browser.logIn(client.authorization().url)

    expect(pages.join()).toContain('Your account at Acme may not use Users &lt;of&gt; Acme.')
    expect(reached.searchParams.get('error')).toBe('access_denied')
    server.company.user = 'bob'
    expect((await browser.logIn(client.authorization().url)).searchParams.has('code')).toBe(true)
  })

  test('a user gets only granted scopes, also if the client asks for more', async () => {
    const { client } = await registered({ grant: () => ['users:read', 'not:a:scope'] })

    const tokens = await client.logInForTokens({ scope: 'users:read users:write' })

    expect(tokens.scope).toBe('users:read')
    const call = await client.call(tokens.access_token, client.url, 'remove')
    expect(call.status).toBe(403)
    expect(call.challenge).toContain('users:write')
  })

  test('a step-up asks for more scopes, and the user has them afterwards', async () => {
    const { client } = await registered()
    const first = await client.logInForTokens({ scope: 'users:read' })
    const denied = await client.call(first.access_token, client.url, 'remove')
    const wanted = /scope="([^"]+)"/.exec(denied.challenge)?.[1] as string

    const second = await client.logInForTokens({ scope: wanted })

    expect((await client.call(second.access_token, client.url, 'remove')).status).toBe(200)
  })

  test('the audit function learns who logged in with which app, and its errors end no login', async () => {
    const seen: unknown[] = []
    const onLogin = (attempt: unknown): never => {
      seen.push(attempt)
      throw new Error('audit is full')
    }
    const { client, server } = await registered({ onLogin }, { client_name: 'Claude' })

    await client.logInForTokens()

    expect(seen).toMatchObject([{ claims: { sub: 'ann' }, client: { name: 'Claude', returnsTo: '127.0.0.1:9' } }])
    expect(JSON.stringify(server.logged)).toContain('audit is full')
  })

  test('an error of the provider returns to the client, without details', async () => {
    const { client, browser, server } = await registered()
    const { url, page } = await openPage(client, browser)
    const agreed = await browser.open(url, browser.submit(page, url))
    const state = new URL(agreed.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const callback = new URL(
      `/oauth/callback?${new URLSearchParams({ error: 'access_denied', state, iss: server.company.issuer })}`,
      url,
    )

    const reached = await browser.follow(callback, client.redirectUri)

    expect(Object.fromEntries(reached.url.searchParams)).toStrictEqual({
      error: 'access_denied',
      error_description: 'Acme did not log the user in',
      state: 'st',
      iss: server.url.origin,
    })
  })

  test('an answer of another provider is rejected', async () => {
    const { client, browser } = await registered()
    const { url, page } = await openPage(client, browser)
    const agreed = await browser.open(url, browser.submit(page, url))
    let callback = new URL(agreed.headers.get('location') ?? '')
    while (callback.pathname !== '/oauth/callback') {
      // oxlint-disable-next-line no-await-in-loop
      callback = new URL((await browser.open(callback)).headers.get('location') ?? '', callback)
    }
    callback.searchParams.set('iss', 'https://evil.example')

    const reached = await browser.follow(callback, client.redirectUri)

    expect(reached.url.searchParams.has('code')).toBe(false)
    expect(reached.url.searchParams.get('error')).toBe('server_error')
  })

  test('a provider that is down shows a page, and the same login works when it is back', async () => {
    const { client, browser, server } = await registered()
    server.company.isDown = true
    const { url, page } = await openPage(client, browser)

    const failed = await browser.open(url, browser.submit(page, url))
    expect(failed.status).toBe(503)
    expect(failed.headers.get('retry-after')).toBe('5')
    expect(await failed.text()).toContain('not available at the moment')

    server.company.isDown = false
    const reached = await browser.follow(url, client.redirectUri, browser.submit(page, url))
    expect(reached.url.searchParams.has('code')).toBe(true)
  })
})

test('logs contain no codes, tokens, cookies or secrets', async () => {
  const { client, browser, server } = await registered()
  const { code, verifier } = await client.logIn({}, browser)
  const { body } = await client.exchange(code, verifier)
  await client.refresh(String(body['refresh_token']))
  await client.refresh('nonsense')
  await client.call('nonsense')

  // The id of a login is in URLs; it is useless without the signature.
  const cookies = [...browser.cookies.values()].flatMap((jar) =>
    [...jar].flatMap(([name, { value }]) => (/^login(?:_resume)? /.test(name) ? [] : [value])),
  )
  const text = JSON.stringify(server.logged)
  const states = browser.visited
    .map((url) => url.searchParams.get('state'))
    .filter((state) => state !== null && state.length > 10)
  const callbackCodes = browser.visited.map((url) => url.searchParams.get('code')).filter((one) => one !== null)
  for (const value of [
    code,
    verifier,
    body['access_token'],
    body['refresh_token'],
    ...cookies,
    ...states,
    ...callbackCodes,
  ]) {
    expect(text).not.toContain(String(value))
  }
})
