import { type Authenticator, InMemoryRateLimiter, type McpServer } from '@toolwright/core'
import type { FastifyInstance } from 'fastify'
import { LoginAuthenticator } from './authenticate.js'
import type { LoginSettings } from './check-options.js'
import { createEngine } from './engine/create-engine.js'
import type { Resources } from './engine/normalize-request.js'
import { RefreshRotation } from './engine/refresh-rotation.js'
import { RefreshTokenFormat } from './engine/refresh-token-format.js'
import { RegisteredClients } from './engine/registered-clients.js'
import { BrowserCookie, browserSeconds, consentSeconds } from './flow/browser.js'
import { LoginFlow } from './flow/login-flow.js'
import type { FetchDocument } from './http/fetch-public.js'
import { callbackPath, mountLoginRoutes } from './http/routes.js'
import { Pages } from './page/pages.js'
import { Secrets } from './secrets.js'
import { Sessions } from './sessions.js'
import { SealedStore } from './store/sealed-store.js'
import { UpstreamClient } from './upstream/upstream-client.js'
import { createTokenSource } from './upstream-token.js'

/** Maximum number of addresses whose requests are counted. Further addresses share one limit. */
const maxAddresses = 50_000

/** @param fetchDocument Fetches metadata of clients, whose URLs are chosen by strangers. */
export function createLogin(settings: LoginSettings, fetchDocument: FetchDocument): Authenticator {
  const secrets = new Secrets(settings.secrets)
  const store = new SealedStore(settings.store, secrets)
  const upstream = new UpstreamClient(settings.provider, `${settings.issuer}${callbackPath}`)
  const sessions = new Sessions(settings, store, upstream)
  const resources = new ServerResources(settings.url.href, settings.scopes)
  const clients = new RegisteredClients(secrets, settings.redirectRule)
  let app: FastifyInstance | undefined
  /** Applications that have the routes: several endpoints can share a login. */
  const mounted = new WeakSet()
  const log = (level: 'info' | 'warn' | 'error', details: object, message: string): void => {
    app?.log[level](details, message)
  }
  const pages = new Pages(settings.page, settings.provider.name, () => nameOf(app) ?? settings.url.host)
  const endSession = async (grantId: string, reason: string): Promise<void> => {
    const session = await sessions.end(grantId)
    authenticator.forget(grantId)
    if (session === null) return
    log('info', { subject: session.subject, reason }, 'login: a session has ended')
    try {
      await upstream.revoke(session.tokens)
    } catch (error) {
      log('warn', { reason: String(error) }, 'login: the tokens of the provider could not be revoked')
    }
  }
  const rotation = new RefreshRotation(store, settings.refreshOverlapSeconds)
  const tokenFormat = new RefreshTokenFormat(secrets)
  const parts = {
    settings,
    secrets,
    store,
    sessions,
    rotation,
    tokenFormat,
    clients,
    resources,
    pages,
    fetchDocument,
    endSession,
    log,
    upstream,
  }
  const engine = createEngine(parts)
  const tokenOf = settings.keepUpstreamTokens ? createTokenSource(sessions, endSession) : null
  const authenticator = new LoginAuthenticator(engine, sessions, resources, tokenOf)
  const keptSeconds = settings.consent === 'remember' ? consentSeconds : browserSeconds
  const browsers = new BrowserCookie(settings.url.protocol === 'https:', secrets, keptSeconds)
  const flow = new LoginFlow({ ...parts, engine, browsers })
  return {
    authenticate: (request) => authenticator.authenticate(request),
    metadata: {
      resource: settings.url.href,
      authorization_servers: [settings.issuer],
      ...(settings.scopes.length === 0 ? {} : { scopes_supported: [...settings.scopes] }),
      bearer_methods_supported: ['header'],
    },
    addResource: (resource) => resources.add(resource),
    gauges: [...authenticator.gauges, ...(settings.store.gauges ?? [])],
    mountRoutes: (application) => {
      if (mounted.has(application)) return
      mounted.add(application)
      app = application as FastifyInstance
      const limiter = new InMemoryRateLimiter({ maxKeys: maxAddresses })
      app.addHook('onClose', () => limiter.close())
      mountLoginRoutes(app, { ...parts, engine, flow, limiter })
      announce(app, settings)
    },
  }
}

function nameOf(app: object | undefined): string | undefined {
  const server = app !== undefined && 'mcp' in app ? (app.mcp as McpServer) : undefined
  return server?.identity.title ?? server?.identity.name
}

function announce({ log }: FastifyInstance, { issuer, provider, store }: LoginSettings): void {
  log.info(`login: register the callback ${issuer}${callbackPath} at ${provider.name}`)
  if (store.isDurable === false) {
    log.warn(
      'login: a restart ends all logins, because they are in memory. Give `store`, such as new FileLoginStore(file)',
    )
  }
}

class ServerResources implements Resources {
  readonly #urls = new Set<string>()

  constructor(
    url: string,
    readonly scopes: readonly string[],
  ) {
    this.add(url)
  }

  add(url: string): void {
    this.#urls.add(url)
  }

  /** Accepts a trailing slash and a query, which some clients add. */
  find(resource: string): string | undefined {
    if (this.#urls.has(resource)) return resource
    if (!URL.canParse(resource)) return undefined
    const { origin, pathname, hash } = new URL(resource)
    if (hash !== '') return undefined
    const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
    return [`${origin}${path}`, `${origin}${path}/`].find((url) => this.#urls.has(url))
  }
}
