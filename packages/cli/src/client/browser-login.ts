import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { CommandError, exitCodes } from '../command-error.js'
import { note } from '../terminal.js'
import { readCredentials, type StoredCredentials, writeCredentials } from './credentials-file.js'
import { openInBrowser } from './open-in-browser.js'

const loginMs = 5 * 60_000

interface LoginOptions {
  /** Whether the user can log in now. Otherwise, only stored tokens are used and refreshed. */
  readonly isAllowed: boolean
  readonly opensBrowser: boolean
  /** Id of a client that is registered at the provider. Without an id, the client registers itself. */
  readonly clientId: string | undefined
}

/**
 * Logs the user in with the browser: authorization code with PKCE, and a redirect to this process. Tokens are stored in
 * a file that only the user can read.
 */
export class BrowserLogin implements OAuthClientProvider {
  readonly redirectUrl: string
  readonly clientMetadata: OAuthClientMetadata
  readonly #state = randomBytes(16).toString('hex')
  /**
   * The awaited redirect. A redirect may also be needed after the connection was opened: a call may need a login with
   * more scopes.
   */
  #redirect: PromiseWithResolvers<URLSearchParams> | null = null
  #verifier = ''
  #discovered: OAuthDiscoveryState | undefined

  private constructor(
    private readonly url: URL,
    private readonly options: LoginOptions,
    private readonly server: Server,
    private stored: StoredCredentials,
  ) {
    this.redirectUrl = `http://127.0.0.1:${portOf(server)}/callback`
    this.clientMetadata = {
      client_name: 'Toolwright',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    }
    server.on('request', (request, response) => this.#answer(request, response))
  }

  static async open(url: URL, options: LoginOptions): Promise<BrowserLogin> {
    const stored = readCredentials(url)
    const server = createServer()
    const isSamePort = stored.port !== undefined && (await listen(server, stored.port))
    if (!isSamePort) await listen(server, 0)
    // A login that is not needed must not keep the process running.
    server.unref()
    // Without a login, no redirect is compared.
    if (isSamePort || !options.isAllowed) return new BrowserLogin(url, options, server, stored)
    // Omits the registered client, because providers compare the redirect with its registered redirect, often including
    // the port.
    const { client: _registered, ...others } = stored
    return new BrowserLogin(url, options, server, others)
  }

  get isWaiting(): boolean {
    return this.#redirect !== null
  }

  async waitForRedirect(): Promise<URLSearchParams> {
    const code = this.#redirect?.promise ?? Promise.reject(new Error('no login was started'))
    this.server.ref()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      const minutes = loginMs / 60_000
      timer = setTimeout(
        () => reject(new CommandError(`The login was not completed within ${minutes} minutes.`, exitCodes.unreachable)),
        loginMs,
      )
    })
    try {
      return await Promise.race([code, late])
    } finally {
      clearTimeout(timer)
      this.#redirect = null
      this.server.unref()
    }
  }

  close(): void {
    this.server.closeAllConnections()
    this.server.close()
  }

  state(): string {
    return this.#state
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { clientId, isAllowed } = this.options
    const client = clientId === undefined ? this.stored.client : { client_id: clientId }
    const isKnown = client !== undefined && isSameIssuer(client.issuer, context?.issuer)
    // Without a client of this issuer, the official client would register one.
    if (!isAllowed && !isKnown) throw this.#expired()
    return client
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#store({ ...this.stored, client, port: portOf(this.server) })
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.stored.tokens
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#store({ ...this.stored, tokens })
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    const { client, tokens, ...others } = this.stored
    const keepsClient = scope !== 'all' && scope !== 'client' && client !== undefined
    const keepsTokens = scope !== 'all' && scope !== 'tokens' && tokens !== undefined
    this.#store({ ...others, ...(keepsClient ? { client } : {}), ...(keepsTokens ? { tokens } : {}) })
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (!this.options.isAllowed) throw this.#expired()
    // With another scheme, the address could start any program of the system.
    if (!['https:', 'http:'].includes(url.protocol)) {
      throw new CommandError(
        `The login page of the provider has a ${url.protocol} address, which cannot be opened in a browser.`,
        exitCodes.unreachable,
      )
    }
    this.#redirect = withResolvers()
    this.#redirect.promise.catch(() => undefined)
    note(`Log in at:\n\n  ${url.href}\n`)
    if (this.options.opensBrowser) await openInBrowser(url.href)
  }

  #expired(): CommandError {
    const message = `The stored login at ${this.url.href} has expired. Pass --login to log in again.`
    return new CommandError(message, exitCodes.unreachable)
  }

  #store(stored: StoredCredentials): void {
    this.stored = stored
    writeCredentials(this.url, stored)
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { url = '/' } = request
    // Any program and any page can send requests: a target such as `//` is not a URL.
    const target = URL.canParse(url, this.redirectUrl) ? new URL(url, this.redirectUrl) : null
    const searchParams = target?.searchParams ?? new URLSearchParams()
    const isRedirect = target?.pathname === '/callback' && searchParams.get('state') === this.#state
    response.writeHead(isRedirect ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end(isRedirect ? 'You can close this window and return to the terminal.\n' : 'Not found\n')
    if (!isRedirect) return
    if (searchParams.get('error') === null) this.#redirect?.resolve(searchParams)
    else {
      const problem = `The login failed: ${describeProblem(searchParams)}`
      this.#redirect?.reject(new CommandError(problem, exitCodes.unreachable))
    }
  }
}

/** Whether a client can be used at an issuer. Clients of older logins have no issuer. */
function isSameIssuer(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return true
  return one.replace(/\/$/, '') === other.replace(/\/$/, '')
}

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value) => void
  readonly reject: (error: Error) => void
}

function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let resolve: (value: Value) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

function describeProblem(parameters: URLSearchParams): string {
  // Free text is not printed, because a site other than the provider could have sent it.
  return /^[\w.-]{1,60}$/.exec(parameters.get('error') ?? '')?.[0] ?? 'the provider returned an error'
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function listen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const onError = (): void => resolve(false)
    server.once('error', onError)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', onError)
      resolve(true)
    })
  })
}
