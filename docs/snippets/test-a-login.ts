// #region test
import { login, oidc } from '@toolwright/login'
import { fakeProvider } from '@toolwright/testing'
import { createHost } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

const port = 3210
const provider = await fakeProvider({ user: { sub: 'ann', roles: ['Admin'] } })
const host = await createHost({
  name: 'weather',
  version: '1.0.0',
  controllers: [ForecastTools],
  authentication: login({
    url: `http://127.0.0.1:${port}/mcp`,
    secret: 'a secret for tests, of at least 32 characters',
    provider: oidc(provider.client),
  }),
})
await host.listen({ port })

/** Pass the URL that your client gave to `redirectToAuthorization`. */
export async function logIn(authorization: URL): Promise<URLSearchParams> {
  const { searchParams } = await provider.logIn(authorization)
  return searchParams
}
// #endregion
