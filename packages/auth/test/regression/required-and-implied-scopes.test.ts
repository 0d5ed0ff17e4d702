// `requiredScopes` of an authenticator, granted through an implying scope.
import { type Authenticator, authenticateWith, introspection, jwtBearer } from 'toolwright'
import { audience, IdentityProvider } from '../support/identity-provider.js'
import { bearer, callWho, closeHosts, openProtectedHost } from '../support/protected-host.js'

let provider: IdentityProvider

beforeEach(async () => {
  provider = await IdentityProvider.start()
})

afterEach(async () => {
  await closeHosts()
  await provider.stop()
})

// Entra ID: clients request the full name, and tokens contain the short one.
const requiredScopes = ['api://APP/mcp.read']
const authorization = { impliedScopes: { 'mcp.read': ['api://APP/mcp.read'], 'mcp.all': ['mcp.read'] } }

const authenticators: Readonly<Record<string, () => Authenticator>> = {
  jwtBearer: () => jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience, requiredScopes }),
  introspection: () => {
    const answer = { active: true, sub: 'alice', aud: audience, exp: Math.floor(Date.now() / 1000) + 60 }
    provider.answer = (request, response) => {
      let form = ''
      request.on('data', (chunk) => (form += String(chunk)))
      request.on('end', () => {
        const token = new URLSearchParams(form).get('token') ?? ''
        const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object
        response.end(JSON.stringify({ ...payload, ...answer }))
      })
    }
    return introspection({
      endpoint: `${provider.issuer}/introspect`,
      issuer: provider.issuer,
      audience,
      clientId: 'mcp',
      clientSecret: 'client-secret-0123456789',
      requiredScopes,
    })
  },
  authenticateWith: () =>
    authenticateWith(
      ({ headers }) => {
        const payload = String(headers['authorization']).split('.')[1] ?? ''
        const { scp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { scp?: string }
        return { subject: 'alice', scopes: scp === undefined ? [] : scp.split(' ') }
      },
      { requiredScopes },
    ),
}

test.each(Object.keys(authenticators))(
  '%s: a token with a scope that implies the required scope is accepted',
  async (name) => {
    const host = await openProtectedHost(authenticators[name]?.() as Authenticator, { authorization })
    const call = async (scp: string) => callWho(host, bearer(await provider.sign({ scp })))
    expect((await call('mcp.read')).status).toBe(200)
    expect((await call('mcp.all')).status).toBe(200)
    expect((await call('api://APP/mcp.read')).status).toBe(200)
    const rejected = await call('mcp.write')
    expect(rejected.status).toBe(403)
    // Clients request the scope by the name in `requiredScopes`.
    expect(rejected.challenge).toContain('scope="api://APP/mcp.read"')
  },
)
