import { github, type LoginProvider, oidc } from '@toolwright/login'
import { fakeProvider } from '@toolwright/testing'
import { loadConfig, Type } from 'toolwright'

interface FoundProvider {
  readonly provider: LoginProvider
  close(): Promise<void>
}

/** Returns GitHub if the environment has its credentials, else a provider where each user is Ann. */
export async function findProvider(): Promise<FoundProvider> {
  const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret } =
    loadConfig(
      Type.Object({
        GITHUB_CLIENT_ID: Type.Optional(Type.String()),
        GITHUB_CLIENT_SECRET: Type.Optional(Type.String()),
      }),
    )
  if (clientId !== undefined && clientSecret !== undefined) {
    return {
      provider: github({ clientId, clientSecret }),
      close: async () => undefined,
    }
  }
  const fake = await fakeProvider()
  return {
    provider: oidc({ ...fake.client, name: 'the fake provider' }),
    close: () => fake.close(),
  }
}
