import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { logIn, UsersWithLogin } from '../support/users-with-login.js'

// The official client logs in at the provider of the guide: discovery, registration, PKCE, the token, a call, a
// step-up.

let users: UsersWithLogin

afterEach(() => users.close())

type StoredClient = NonNullable<Awaited<ReturnType<OAuthClientProvider['clientInformation']>>>

/** The state that an application stores for the official client. */
class Login implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:9/callback'
  readonly clientMetadata = { redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none' }
  /** Redirects of the user, the newest last. */
  readonly visited: URL[] = []
  #client: StoredClient | undefined
  #tokens: OAuthTokens | undefined
  #discovered: OAuthDiscoveryState | undefined
  #verifier = ''

  clientInformation = () => this.#client
  tokens = () => this.#tokens
  discoveryState = () => this.#discovered
  codeVerifier = () => this.#verifier

  saveClientInformation(client: StoredClient): void {
    this.#client = client
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  redirectToAuthorization(url: URL): void {
    this.visited.push(url)
  }

  /** Registers without scopes, so that the client can request all scopes of the provider. */
  async registerAt(issuer: string): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${issuer}/reg`, {
      method: 'POST',
      headers,
      body: JSON.stringify(this.clientMetadata),
    })
    this.#client = { ...((await response.json()) as StoredClient), issuer }
  }
}

function connectAs(login: Login) {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StreamableHTTPClientTransport(users.resource, { authProvider: login })
  const finish = async () => {
    const { searchParams } = await logIn(login.visited.at(-1) as URL)
    await transport.finishAuth(searchParams)
  }
  return { client, transport, finish }
}

async function logInAndConnect(login: Login) {
  const first = connectAs(login)
  await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError)
  await first.finish()
  const next = connectAs(login)
  await next.client.connect(next.transport)
  return next
}

const textOf = (text: string): object => ({ content: [{ type: 'text', text }] })

test('a client registers, logs its user in with PKCE, and calls a tool', async () => {
  users = await UsersWithLogin.start(['users:read', 'users:write'])
  const login = new Login()
  const { client } = await logInAndConnect(login)
  expect(Object.fromEntries(login.visited[0]?.searchParams ?? [])).toMatchObject({
    code_challenge_method: 'S256',
    resource: users.resource.href,
    scope: 'users:read users:write',
  })
  expect(await client.callTool({ name: 'who' })).toMatchObject(textOf('ann users:read users:write'))
  expect(await client.callTool({ name: 'remove' })).toMatchObject(textOf('gone'))
  await client.close()
})

test('a client that registered for fewer scopes cannot request more', async () => {
  users = await UsersWithLogin.start(['users:read'])
  const { client, finish } = await logInAndConnect(new Login())
  expect(await client.callTool({ name: 'who' })).toMatchObject(textOf('ann users:read'))
  await expect(client.callTool({ name: 'remove' })).rejects.toThrow(UnauthorizedError)
  await expect(finish()).rejects.toThrow('requested scope is not allowed')
  await client.close()
})

test('a client that registered without scopes requests more when a tool needs them', async () => {
  users = await UsersWithLogin.start(['users:read'])
  const login = new Login()
  await login.registerAt(users.issuer)
  const { client, finish } = await logInAndConnect(login)
  await expect(client.callTool({ name: 'remove' })).rejects.toThrow(UnauthorizedError)
  await finish()
  expect(await client.callTool({ name: 'remove' })).toMatchObject(textOf('gone'))
  expect(await client.callTool({ name: 'who' })).toMatchObject(textOf('ann users:read users:write'))
  await client.close()
})

test('without requested scopes, the provider grants no scopes', async () => {
  users = await UsersWithLogin.start([])
  const { client, transport, finish } = connectAs(new Login())
  await expect(client.connect(transport)).rejects.toThrow(UnauthorizedError)
  await expect(finish()).rejects.toThrow('access_denied')
})
