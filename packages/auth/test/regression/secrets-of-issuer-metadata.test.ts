// URLs with passwords in the metadata of an issuer.
import { introspection, jwtBearer } from 'toolwright'
import { IdentityProvider } from '../support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost } from '../support/protected-host.js'
import { Publisher } from '../support/publisher.js'

const place = '/.well-known/oauth-authorization-server'
const audience = 'https://mcp.example.com/mcp'

let provider: IdentityProvider
let publisher: Publisher

beforeEach(async () => {
  provider = await IdentityProvider.start()
  publisher = new Publisher(provider)
})

afterEach(async () => {
  await closeHosts()
  await provider.stop()
})

const secret = 's3cr3t-w0rd'
const urls = [
  `https://user:${secret}@login.example.com/keys`,
  `http://user:${secret}@login.example.com/keys`,
  `https://login.example.com/keys?key=${secret}`,
  `ftp://${secret}@login.example.com/keys`,
  `user:${secret}@login.example.com`,
  `//${secret}@login.example.com`,
]

const withPassword = (url: string): string => url.replace('//', `//user:${secret}@`)

function seen(lines: readonly string[], text: string): string {
  const all = [...lines, text].join('\n')
  expect(all).toMatch(/credentials|Unauthorized/)
  return all
}

test.each(urls)('a jwks_uri of %s leaves no secret in the log or the response', async (url) => {
  publisher.documents = {
    [place]: { issuer: provider.issuer, jwks_uri: url.replace('login.example.com', '127.0.0.1:9') },
  }
  const host = await openProtectedHost(jwtBearer({ issuer: provider.issuer, audience }))
  const { text, status } = await callWho(host, bearer(await provider.sign()))
  expect(status).toBe(503)
  expect(seen(host.lines, text)).not.toContain(secret)
})

test('a jwks_uri with a password on this machine leaves no secret in the log or the response', async () => {
  publisher.documents = { [place]: { issuer: provider.issuer, jwks_uri: withPassword(provider.jwks) } }
  const host = await openProtectedHost(jwtBearer({ issuer: provider.issuer, audience }))
  const { text } = await callWho(host, bearer(await provider.sign()))
  const all = seen(host.lines, text)
  expect(all).toContain(', which contains a user name or password')
  expect(all).not.toContain(secret)
})

test.each(urls)('an issuer of %s leaves no secret in the log or the response', async (url) => {
  publisher.documents = { [place]: { issuer: url, jwks_uri: provider.jwks } }
  const host = await openProtectedHost(jwtBearer({ issuer: provider.issuer, audience }))
  const { text } = await callWho(host, bearer(await provider.sign()))
  expect(seen(host.lines, text)).not.toContain(secret)
})

test.each([...urls, 'on this machine'])(
  'an introspection_endpoint of %s leaves no secret in the log or the response',
  async (given) => {
    const url = given === 'on this machine' ? withPassword(`${provider.issuer}/introspect`) : given
    publisher.documents = {
      [place]: { issuer: provider.issuer, introspection_endpoint: url.replace('login.example.com', '127.0.0.1:9') },
    }
    const host = await openProtectedHost(
      introspection({ issuer: provider.issuer, audience, clientId: 'mcp', clientSecret: 'client-secret-0123456789' }),
    )
    const { text, status } = await callWho(host, bearer('opaque'))
    expect(status).toBe(503)
    expect(seen(host.lines, text)).not.toContain(secret)
  },
)
