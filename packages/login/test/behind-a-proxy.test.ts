import { FakeBrowser } from './support/browser.js'
import { closeServers, ProtectedServer } from './support/protected-server.js'
import { RawClient } from './support/raw-client.js'

afterEach(closeServers)

const publicUrl = new URL('https://mcp.example.com/mcp')

/** A browser that reaches the public host through a proxy that ends TLS. */
function browserBehind(server: ProtectedServer): FakeBrowser {
  const browser = new FakeBrowser()
  browser.open = (url, init) => {
    const node = new URL(url)
    if (url.origin === publicUrl.origin) Object.assign(node, { protocol: 'http:', host: `127.0.0.1:${server.port}` })
    return browser.openVia(url, node, init)
  }
  return browser
}

test('a login over https uses cookies that no other host can set, and public URLs only', async () => {
  const server = await ProtectedServer.start({ url: publicUrl.href })
  const local = `http://127.0.0.1:${server.port}`
  const registered = (await (
    await fetch(`${local}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['http://127.0.0.1:9/callback'], token_endpoint_auth_method: 'none' }),
    })
  ).json()) as { client_id: string }
  const client = new RawClient(publicUrl)
  client.id = registered.client_id
  const { url, verifier } = client.authorization()
  const browser = browserBehind(server)
  const cookies: string[] = []
  const open = browser.open.bind(browser)
  browser.open = async (...args) => {
    const response = await open(...args)
    cookies.push(...response.headers.getSetCookie())
    return response
  }

  const reached = await browser.logIn(url)

  expect(reached.searchParams.get('iss')).toBe('https://mcp.example.com')
  const ofServer = cookies.filter((cookie) => !cookie.startsWith('company'))
  expect(ofServer.find((cookie) => cookie.startsWith('__Host-login='))).toMatch(
    /Path=\/; HttpOnly; SameSite=Lax; .*Secure/,
  )
  for (const cookie of ofServer) expect(cookie).toMatch(/;\s*secure/i)
  expect(browser.visited.some(({ host }) => host.startsWith('127.0.0.1') && host.endsWith(String(server.port)))).toBe(
    false,
  )
  const form = {
    grant_type: 'authorization_code',
    code: String(reached.searchParams.get('code')),
    code_verifier: verifier,
  }
  const { body } = await client.token({ ...form, redirect_uri: client.redirectUri }, {}, local)
  expect((await client.call(String(body['access_token']), new URL(`${local}/mcp`))).status).toBe(200)
})
