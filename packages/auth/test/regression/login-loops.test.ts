import Fastify from 'fastify'
import { anyOf, apiKeys, introspection, jwtBearer, mcp } from 'toolwright'
import { authenticate, withToken } from '../support/authenticate.js'
import { audience, IdentityProvider } from '../support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost, WhoTools } from '../support/protected-host.js'

// A client that had just logged in was rejected, and asked its user to log in again.

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
})

afterEach(async () => {
  await closeHosts()
  await provider.stop()
})

const jwt = (accepted: string, more: object = {}) =>
  jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience: accepted, ...more })

test.each<[string, string, boolean]>([
  ['https://mcp.example.com', 'https://mcp.example.com/', true],
  ['https://mcp.example.com/', 'https://mcp.example.com', true],
  ['https://MCP.example.com:443', 'https://mcp.example.com/', true],
  ['https://mcp.example.com:443/x/../mcp', 'https://mcp.example.com/mcp', true],
  ['https://mcp.example.com/mcp', 'https://mcp.example.com/mcp/', false],
  ['https://mcp.example.com/mcp/', 'https://mcp.example.com/mcp', false],
  ['https://mcp.example.com', 'https://mcp.example.com/mcp', false],
  ['https://mcp.example.com', 'http://mcp.example.com', false],
  ['api://mcp', 'api://mcp/', false],
])('the audience %s accepts a token for %s: %s', async (configured, aud, isAccepted) => {
  const more = { resource: audience }
  const outcome = await authenticate(jwt(configured, more), withToken(await provider.sign({ aud })))
  const opaque = { active: true, sub: 'alice', aud, exp: Math.floor(Date.now() / 1000) + 300 }
  provider.answer = (_request, response) => response.end(JSON.stringify(opaque))
  const client = { clientId: 'mcp', clientSecret: 'secret', endpoint: `${provider.issuer}/introspect` }
  const asking = introspection({ issuer: provider.issuer, audience: configured, ...client, ...more })
  expect([outcome === 'alice', (await authenticate(asking, withToken('opaque'))) === 'alice']).toEqual([
    isAccepted,
    isAccepted,
  ])
})

const wellKnown = '/.well-known/oauth-protected-resource'

test.each<[string, 'GET' | 'POST', string]>([
  ['/sse', 'GET', '/sse'],
  ['/messages?sessionId=1', 'POST', '/sse'],
  ['/rpc', 'POST', '/rpc'],
  ['/ws', 'GET', '/ws'],
])('the challenge of %s names metadata of the URL that the client has called', async (url, method, path) => {
  const authentication = anyOf(apiKeys({ keys: [{ key: 'k'.repeat(20), subject: 'bot' }] }), jwt(audience))
  const options = { legacySse: true, rpc: true, webSocket: true }
  const host = await openProtectedHost(authentication, options)
  const headers = { host: 'localhost' }
  const rejected = await host.app.inject({ method, url, headers })
  const place = `https://mcp.example.com${wellKnown}${path}`
  expect(rejected.headers['www-authenticate']).toContain(`resource_metadata="${place}"`)
  const document = (await host.app.inject({ url: `${wellKnown}${path}`, headers })).json<{ resource: string }>()
  expect(document.resource).toBe(`https://mcp.example.com${path}`)
  // The issuer copies the resource to aud.
  const token = await provider.sign({ aud: document.resource })
  expect(await callWho(host, bearer(token))).toMatchObject({ status: 200 })
  const main = await host.app.inject({ url: `${wellKnown}/mcp`, headers })
  expect([main.json().resource, (await callWho(host, {})).challenge]).toEqual([
    audience,
    expect.stringContaining(`resource_metadata="https://mcp.example.com${wellKnown}/mcp"`),
  ])
})

test('with an origin as audience, all paths share one resource', async () => {
  const host = await openProtectedHost(jwt('https://mcp.example.com'), { legacySse: true })
  const { headers } = await host.app.inject({ url: '/sse', headers: { host: 'localhost' } })
  expect(headers['www-authenticate']).toContain(`resource_metadata="https://mcp.example.com${wellKnown}"`)
  const document = await host.app.inject({ url: `${wellKnown}/sse`, headers: { host: 'localhost' } })
  expect(document.json().resource).toBe('https://mcp.example.com')
})

test('a prefix that the proxy strips is part of the resource of each path', async () => {
  const host = await openProtectedHost(jwt('https://mcp.example.com/tools/mcp'), { legacySse: true })
  const { headers } = await host.app.inject({ url: '/sse', headers: { host: 'localhost' } })
  expect(headers['www-authenticate']).toContain(`https://mcp.example.com${wellKnown}/tools/sse`)
})

test.each([
  ['/a', '/b'],
  ['/b', '/a'],
])('one authenticator of the resource /a for the endpoints %s and %s is a boot problem', async (...paths) => {
  const authentication = jwt('https://mcp.example.com/a')
  const app = Fastify()
  for (const path of paths) {
    void app.register(async (scope) => {
      await scope.register(mcp, { name: 'n', version: '1', controllers: [WhoTools], authentication, path })
    })
  }
  await expect(app.ready()).rejects.toThrow(
    "The authentication of '/b' has the resource 'https://mcp.example.com/a', but '/a' is another endpoint",
  )
  await app.close()
})

test('one authenticator of an origin is accepted for several endpoints', async () => {
  const authentication = jwt('https://mcp.example.com')
  const app = Fastify()
  for (const path of ['/a', '/b']) {
    void app.register(async (scope) => {
      await scope.register(mcp, { name: 'n', version: '1', controllers: [WhoTools], authentication, path })
    })
  }
  await expect(app.ready()).resolves.toBeDefined()
  await app.close()
})
