import { jwtBearer } from 'toolwright'
import { principalOf, withToken } from '../support/authenticate.js'
import { audience, IdentityProvider } from '../support/identity-provider.js'

// An empty scope hid the scopes in scp.

test.each(['', ' ', [], {}, null])('a scope of %j leaves the scopes in scp', async (scope) => {
  const provider = await IdentityProvider.start()
  const authenticator = jwtBearer({ issuer: provider.issuer, jwks: provider.jwks, audience })
  const principal = await principalOf(authenticator, withToken(await provider.sign({ scope, scp: ['a', 'b'] })))
  await provider.stop()
  expect(principal?.scopes).toEqual(['a', 'b'])
})
