import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { FastifyInstance } from 'fastify'
import { Authorize, createHost, jwtBearer, McpContext, McpTool } from 'toolwright'
import { root } from './markdown.js'

// The official client logs in at the provider of the guide: discovery, registration, PKCE, the token, a call, a
// step-up.

class UserTools {
  @McpTool({ description: 'Says who calls' })
  who(context: McpContext): string {
    return `${context.principal?.subject} ${context.principal?.scopes.join(' ')}`
  }

  @McpTool({ description: 'Deletes a user' })
  @Authorize({ scopes: ['users:write'] })
  remove(): string {
    return 'gone'
  }
}

let listener: Server
let host: FastifyInstance
let provider: ChildProcess
let resource: URL

/** @returns The issuer. */
async function start(scopesSupported: readonly string[]): Promise<string> {
  listener = createServer()
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  resource = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`)
  const issuer = await startProvider()
  const authentication = jwtBearer({ issuer, audience: resource.href, scopesSupported })
  host = await createHost({ name: 'users', version: '1.0.0', controllers: [UserTools], authentication })
  host.log.level = 'silent'
  await host.ready()
  listener.on('request', (request, response) => host.routing(request, response))
  return issuer
}

async function startProvider(): Promise<string> {
  const program = join(root, 'test', 'docs', 'oidc-provider.mjs')
  provider = spawn(process.execPath, [program, resource.href], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [issuer] = (await once(provider.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return issuer.toString().trim()
}

afterEach(async () => {
  provider.kill()
  listener.closeAllConnections()
  listener.close()
  await host.close()
})

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

/** Acts as the user's browser. @returns The parameters of the redirect to the client. */
async function logIn(authorization: URL, redirectUrl: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>()
  let url = authorization
  let init: RequestInit = {}
  while (!url.href.startsWith(redirectUrl)) {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const page = await response.text()
    init = location === null ? { method: 'POST', body: filledIn(page) } : {}
    url = new URL(location ?? formOf(page), url)
  }
  return url.searchParams
}

function formOf(page: string): string {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
  if (action === undefined) throw new Error(`a page without a form: ${page}`)
  return action
}

function filledIn(page: string): URLSearchParams {
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? ''
  return new URLSearchParams({ prompt, login: 'ann', password: 'secret' })
}

function connectAs(login: Login) {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StreamableHTTPClientTransport(resource, { authProvider: login })
  const finish = async () => {
    await transport.finishAuth(await logIn(login.visited.at(-1) as URL, login.redirectUrl))
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
  await start(['users:read', 'users:write'])
  const login = new Login()
  const { client } = await logInAndConnect(login)
  expect(Object.fromEntries(login.visited[0]?.searchParams ?? [])).toMatchObject({
    code_challenge_method: 'S256',
    resource: resource.href,
    scope: 'users:read users:write',
  })
  expect(await client.callTool({ name: 'who' })).toMatchObject(textOf('ann users:read users:write'))
  expect(await client.callTool({ name: 'remove' })).toMatchObject(textOf('gone'))
  await client.close()
})

test('a client that registered for fewer scopes cannot request more', async () => {
  await start(['users:read'])
  const { client, finish } = await logInAndConnect(new Login())
  expect(await client.callTool({ name: 'who' })).toMatchObject(textOf('ann users:read'))
  await expect(client.callTool({ name: 'remove' })).rejects.toThrow(UnauthorizedError)
  await expect(finish()).rejects.toThrow('requested scope is not allowed')
  await client.close()
})

test('a client that registered without scopes requests more when a tool needs them', async () => {
  const issuer = await start(['users:read'])
  const login = new Login()
  await login.registerAt(issuer)
  const { client, finish } = await logInAndConnect(login)
  await expect(client.callTool({ name: 'remove' })).rejects.toThrow(UnauthorizedError)
  await finish()
  expect(await client.callTool({ name: 'remove' })).toMatchObject(textOf('gone'))
  expect(await client.callTool({ name: 'who' })).toMatchObject(textOf('ann users:read users:write'))
  await client.close()
})

test('without requested scopes, the provider has none to grant', async () => {
  await start([])
  const { client, transport, finish } = connectAs(new Login())
  await expect(client.connect(transport)).rejects.toThrow(UnauthorizedError)
  await expect(finish()).rejects.toThrow('access_denied')
})
