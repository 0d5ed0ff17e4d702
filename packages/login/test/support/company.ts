import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type LoginProvider, oidc } from '@toolwright/login'
import { interactionPolicy, Provider } from 'oidc-provider'

const clientSecret = 'secret-of-this-server-at-the-company'

/** The company's identity provider: real, without registration, and with one confidential client. */
export class Company {
  /** The user who logs in next. */
  user = 'ann'
  isDown = false
  refreshes = 0

  private constructor(
    readonly issuer: string,
    private readonly server: Server,
    readonly provider: Provider,
  ) {}

  static async start(callback: string): Promise<Company> {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const provider = createProvider(issuer, callback)
    const company = new Company(issuer, server, provider)
    const answer = provider.callback()
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      if (company.isDown) return void response.writeHead(502).end('<html>Bad gateway</html>')
      // The session cookie is dropped, so that `user` logs in each time.
      request.headers.cookie = request.headers.cookie?.replace(/company(?:\.sig)?=[^;]*/g, '')
      if (request.url?.startsWith('/interaction/') !== true) return answer(request, response)
      const grant = await company.#grant(await provider.interactionDetails(request, response))
      const login = { accountId: company.user, remember: false }
      return provider.interactionFinished(request, response, { login, consent: { grantId: grant } })
    }
    server.on('request', (request, response) => void serve(request, response))
    provider.on('grant.success', ({ oidc: context }) => {
      if (context.params?.['grant_type'] === 'refresh_token') company.refreshes++
    })
    return company
  }

  /** The provider, as a preset. */
  preset(): LoginProvider {
    const { issuer } = this
    return oidc({
      issuer,
      clientId: 'mcp',
      clientSecret,
      scopes: ['openid', 'profile', 'offline_access'],
      name: 'Acme',
    })
  }

  /** Ends the sessions of a user. */
  dismiss(user: string): void {
    dismissed.add(user)
  }

  async close(): Promise<void> {
    dismissed.clear()
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  async #grant({ params }: { readonly params: object }): Promise<string> {
    const { client_id: clientId, scope } = params as { readonly client_id: string; readonly scope: string }
    const grant = new this.provider.Grant({ accountId: this.user, clientId })
    grant.addOIDCScope(scope)
    return grant.save()
  }
}

const dismissed = new Set<string>()

// Creating a key takes long, so all tests of a file share one.
const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })

function createProvider(issuer: string, callback: string): Provider {
  // The engine warns of its store in memory, which is meant here.
  const warn = jest.spyOn(console, 'warn').mockReturnValue()
  const policy = interactionPolicy.base()
  policy.get('login')?.checks.clear()
  const { Check } = interactionPolicy
  policy
    .get('login')
    ?.checks.add(
      new Check('always', 'always', (ctx) =>
        ctx.oidc.result?.login === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    )
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...key, kid: 'company', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a'], names: { session: 'company', interaction: 'company_i', resume: 'company_r' } },
    clients: [
      {
        client_id: 'mcp',
        client_secret: clientSecret,
        redirect_uris: [callback],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}`, policy },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    claims: { openid: ['sub'], profile: ['name', 'roles'] },
    issueRefreshToken: async () => true,
    expiresWithSession: async () => false,
    ttl: { AccessToken: 600, Grant: 8_640_000, IdToken: 600, Interaction: 600, RefreshToken: 8_640_000, Session: 600 },
    findAccount: async (_ctx, accountId) =>
      dismissed.has(accountId)
        ? undefined
        : { accountId, claims: async () => ({ sub: accountId, name: accountId.toUpperCase(), roles: ['staff'] }) },
  })
  warn.mockRestore()
  return provider
}
