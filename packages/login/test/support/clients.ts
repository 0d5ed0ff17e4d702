import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { FakeBrowser } from './browser.js'

type StoredClient = NonNullable<Awaited<ReturnType<OAuthClientProvider['clientInformation']>>>

/** The state that an application stores for an official client. */
export class ClientState implements OAuthClientProvider {
  readonly redirectUrl: string
  /** Redirects of the user, the newest last. */
  readonly sent: URL[] = []
  client: StoredClient | undefined
  saved: OAuthTokens | undefined
  #discovered: OAuthDiscoveryState | undefined
  #verifier = ''

  constructor(
    readonly clientMetadata: { redirect_uris: string[]; client_name?: string; token_endpoint_auth_method?: string } = {
      redirect_uris: ['http://127.0.0.1:9/callback'],
      token_endpoint_auth_method: 'none',
      client_name: 'Test client',
    },
  ) {
    this.redirectUrl = clientMetadata.redirect_uris[0] as string
  }

  clientInformation = () => this.client
  tokens = () => this.saved
  discoveryState = () => this.#discovered
  codeVerifier = () => this.#verifier
  state = () => 'state/of+the=client'

  saveClientInformation(client: StoredClient): void {
    this.client = client
  }

  saveTokens(tokens: OAuthTokens): void {
    this.saved = tokens
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  redirectToAuthorization(url: URL): void {
    this.sent.push(url)
  }
}

/** A client that has logged in, of either generation. */
export interface ConnectedClient {
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>
  close(): Promise<void>
}

/** Ways to connect an official client. */
export const generations = {
  'client 2.4': (url: URL, state: ClientState) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    const transport = new StreamableHTTPClientTransport(url, { authProvider: state })
    return {
      client,
      transport,
      connect: () => client.connect(transport),
      finish: (p: URLSearchParams) => transport.finishAuth(p),
    }
  },
  'SDK 1.32': (url: URL, state: ClientState) => {
    const client = new Client1({ name: 'test', version: '1.0.0' })
    const transport = new Http1(url, { authProvider: state })
    const finish = (p: URLSearchParams) => transport.finishAuth(p.get('code') as string)
    return { client, transport, connect: () => client.connect(transport), finish }
  },
} as const

export type Generation = keyof typeof generations

/** Connects with nothing but the URL: the client finds the login, registers, and sends the user to it. */
export async function logInAndConnect(
  url: URL,
  { generation = 'client 2.4', state = new ClientState(), browser = new FakeBrowser() }: LogInOptions = {},
): Promise<ConnectedClient> {
  const first = generations[generation](url, state)
  const failure = await first.connect().then(
    () => null,
    (error: unknown) => error as Error,
  )
  if (failure?.constructor.name !== UnauthorizedError.name) throw failure ?? new Error('no login was necessary')
  const { searchParams } = await browser.logIn(state.sent.at(-1) as URL)
  await first.finish(searchParams)
  const next = generations[generation](url, state)
  await next.connect()
  return next.client
}

export interface LogInOptions {
  readonly generation?: Generation
  readonly state?: ClientState
  readonly browser?: FakeBrowser
}

/** Returns the principal that the server sees. */
export async function whoCalls(client: ConnectedClient): Promise<Record<string, unknown>> {
  const { content } = (await client.callTool({ name: 'who' })) as {
    readonly content: readonly { readonly text: string }[]
  }
  return JSON.parse(content[0]?.text ?? '') as Record<string, unknown>
}
