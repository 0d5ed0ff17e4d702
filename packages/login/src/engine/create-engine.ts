import { generateKeyPairSync } from 'node:crypto'
import {
  type ClientMetadata as EngineClient,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import type { LoginSettings } from '../check-options.js'
import type { FetchDocument } from '../http/fetch-public.js'
import { type Pages, pageHeaders } from '../page/pages.js'
import type { Secrets } from '../secrets.js'
import { NotAllowed, type Sessions } from '../sessions.js'
import type { SealedStore } from '../store/sealed-store.js'
import { LockPending } from '../store/with-lock.js'
import { ProviderRejection } from '../upstream/login-provider.js'
import { createAdapterFactory } from './adapter.js'
import { exactRedirect } from './exact-redirect.js'
import { innerScope, type Resources } from './normalize-request.js'
import { AlreadyRotated, type RefreshRotation } from './refresh-rotation.js'
import type { RefreshTokenFormat } from './refresh-token-format.js'
import { fixedMetadata, type RegisteredClients } from './registered-clients.js'

export const loginSeconds = 15 * 60
const codeSeconds = 60

interface EngineParts {
  readonly settings: LoginSettings
  readonly secrets: Secrets
  readonly store: SealedStore
  readonly sessions: Sessions
  readonly rotation: RefreshRotation
  readonly tokenFormat: RefreshTokenFormat
  readonly clients: RegisteredClients
  readonly resources: Resources
  readonly pages: Pages
  readonly fetchDocument: FetchDocument
  readonly endSession: (grantId: string, reason: string) => Promise<void>
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void
}

interface RequestState {
  failure?: unknown
  /** Session of the refresh token that the client sent. */
  grantId?: string
}

/**
 * Creates the protocol engine. It checks clients, redirect URIs, PKCE, codes and tokens; the login itself, the clients and the store
 * are ours.
 */
export function createEngine(parts: EngineParts): Provider {
  const { settings, secrets, sessions, resources, pages } = parts
  const cookie = {
    signed: true,
    httpOnly: true,
    sameSite: 'lax',
    overwrite: true,
    secure: settings.url.protocol === 'https:',
  } as const
  const engine = new Provider(settings.issuer, {
    adapter: createAdapterFactory({
      store: parts.store,
      rotation: parts.rotation,
      findClient: (id) => (settings.registration === 'dynamic' ? parts.clients.find(id) : undefined),
      endSession: (grantId) => parts.endSession(grantId, 'a code was used twice'),
    }),
    clients: settings.clients.map(preRegistered),
    clientDefaults: {
      ...fixedMetadata,
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    } as never,
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    cookies: {
      keys: [...secrets.keys('cookies')],
      names: { session: 'login_session', interaction: 'login', resume: 'login_resume' },
      short: cookie,
      long: cookie,
    },
    jwks: { keys: [unusedKey()] },
    routes: {
      authorization: '/authorize',
      token: '/token',
      revocation: '/revoke',
      jwks: '/login/jwks',
      registration: '/register',
      userinfo: '/login/userinfo',
      end_session: '/login/end',
    },
    scopes: [],
    responseTypes: ['code'],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      // Nothing checks the proofs of access tokens.
      dPoP: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      ...metadataDocuments(settings),
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? settings.url.href,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => {
          if (resources.find(resource) === undefined) throw new errors.InvalidTarget()
          return { scope: [innerScope, ...resources.scopes].join(' '), audience: resource, accessTokenFormat: 'opaque' }
        },
      },
    },
    fetch: ((url: string | URL) => parts.fetchDocument(String(url))) as never,
    interactions: { url: (_ctx, { uid }) => `/login/${uid}`, policy: alwaysAsk() },
    loadExistingGrant: (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId)
    },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    allowOmittingSingleRegisteredRedirectUri: false,
    // Each token stands for its session.
    revokeGrantPolicy: () => true,
    expiresWithSession: () => false,
    issueRefreshToken: () => true,
    rotateRefreshToken: async (ctx) => {
      await rotate(ctx, parts)
      return true
    },
    ttl: {
      AccessToken: settings.accessSeconds,
      AuthorizationCode: codeSeconds,
      Grant: sessions.keptSeconds,
      Interaction: loginSeconds,
      RefreshToken: Math.ceil(settings.refreshDays * 86_400),
      Session: loginSeconds,
      IdToken: 60,
    },
    renderError: (ctx, { error, error_description: description }, cause) => {
      const isExpired = cause.constructor.name === 'SessionNotFound'
      // An app that sends the request itself, before it opens the browser, asks for JSON.
      if (ctx.accepts('html', 'json') === 'json') {
        const isUnknown = error === 'invalid_client'
        ctx.set('cache-control', 'no-store')
        ctx.body = { error, error_description: isUnknown ? 'the client is unknown, register again' : description }
        return
      }
      ctx.set(pageHeaders)
      if (error === 'server_error') ctx.body = pages.error('unavailable')
      else if (isExpired) ctx.body = pages.error('expired')
      else if (error === 'invalid_client') ctx.body = pages.error('unknownClient')
      else ctx.body = pages.error('rejected', description ?? error)
    },
  })
  engine.proxy = true
  engine.use((ctx, next) => afterRequest(ctx as KoaContextWithOIDC, next, parts))
  ;(engine as Pick<NodeJS.EventEmitter, 'on'>).on('error', (error: unknown) =>
    parts.log('error', { reason: String(error) }, 'login: a request failed'),
  )
  engine.on('server_error', (ctx: KoaContextWithOIDC, error: unknown) => noteFailure(ctx, error, parts))
  engine.on('grant.error', (ctx: KoaContextWithOIDC, error: unknown) => noteFailure(ctx, error, parts))
  engine.on('grant.revoked', (_ctx: KoaContextWithOIDC, grantId: string) => {
    void parts.endSession(grantId, 'its tokens were revoked')
  })
  return engine
}

const states = new WeakMap<object, RequestState>()

export function noteSession(request: object, grantId: string): void {
  states.set(request, { grantId })
}

function noteFailure({ req }: KoaContextWithOIDC, error: unknown, { log }: EngineParts): void {
  states.set(req, { ...states.get(req), failure: error })
  if (error instanceof AlreadyRotated || error instanceof LockPending) return
  const { name, message, error_detail: detail } = error as Error & { readonly error_detail?: string }
  const level = error instanceof errors.OIDCProviderError ? 'info' : 'error'
  log(level, { reason: detail ?? message, error: name }, 'login: a token request was rejected')
}

/** Every request asks the user, and then the provider: the engine's own sessions are not used. */
function alwaysAsk(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  const login = policy.get('login')
  login?.checks.clear()
  const { Check } = interactionPolicy
  login?.checks.add(
    new Check('login_required', 'the user has to log in', 'login_required', (ctx) =>
      ctx.oidc.result?.login === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
    ),
  )
  return policy
}

/** Called by the engine when it has checked client, token and grant, and before it issues new tokens. */
async function rotate(ctx: KoaContextWithOIDC, { rotation, sessions, endSession }: EngineParts): Promise<void> {
  const token = String(ctx.oidc.params?.['refresh_token'])
  requireGrantedResource(ctx)
  await rotation.begin(token)
  const { Grant: grant } = ctx.oidc.entities
  const grantId = grant?.jti as string
  try {
    await sessions.renew(grantId)
    // The session goes on from now.
    if (grant !== undefined) {
      Object.assign(grant, { exp: undefined })
      await grant.save()
    }
  } catch (error) {
    await rotation.abort(token)
    if (!(error instanceof ProviderRejection || error instanceof NotAllowed)) throw error
    await ctx.oidc.provider.Grant.adapter.destroy(grantId)
    await endSession(grantId, 'the provider or `allow` no longer admits the user')
    throw Object.assign(new errors.InvalidGrant('the user has to log in again'), { error_detail: error.message })
  }
}

/** The engine checks the resource only after the rotation, which could not be undone. */
function requireGrantedResource({ oidc: { params, entities } }: KoaContextWithOIDC): void {
  const [wanted] = [params?.['resource']].flat()
  if (wanted !== undefined && entities.RefreshToken?.resourceIndicators.has(wanted as string) === false) {
    throw new errors.InvalidTarget()
  }
}

async function afterRequest(ctx: KoaContextWithOIDC, next: () => Promise<unknown>, parts: EngineParts): Promise<void> {
  await next()
  const { route } = ctx.oidc as { readonly route?: string }
  if (route === 'token' || route === 'revocation') await completeTokenResponse(ctx, parts)
  if (route === 'authorization' || route === 'resume') exactRedirect(ctx)
}

async function completeTokenResponse(ctx: KoaContextWithOIDC, parts: EngineParts): Promise<void> {
  const { rotation, settings, tokenFormat } = parts
  const { failure, grantId } = states.get(ctx.req) ?? {}
  if (grantId !== undefined && isUnknownToken(failure)) await endReused(ctx, grantId, parts)
  if (failure instanceof AlreadyRotated) {
    ctx.status = 200
    ctx.body = failure.response
  } else if (ctx.status >= 500) {
    // The store or the provider failed: the client keeps its tokens, and tries again.
    ctx.status = 503
    ctx.set('retry-after', '5')
    ctx.body = { error: 'temporarily_unavailable', error_description: 'the login is not available, try again' }
  } else if (ctx.status === 200 && isTokenResponse(ctx.body)) {
    ctx.body = await recorded(ctx, rotation, withShownScopes(ctx.body))
    if (ctx.body === null) {
      ctx.status = 400
      ctx.body = { error: 'invalid_grant', error_description: 'the refresh token was used by another request' }
    }
  }
  if (ctx.status === 200 && isTokenResponse(ctx.body)) {
    const token = ctx.body.refresh_token
    ctx.body = {
      ...ctx.body,
      refresh_token: tokenFormat.show({ token, grantId: ctx.oidc.entities.Grant?.jti as string }),
    }
  }
  // Clients register again only after 401.
  if ((ctx.body as { readonly error?: string } | undefined)?.error === 'invalid_client') ctx.status = 401
  if (ctx.status === 401) ctx.set('www-authenticate', `Basic realm="${settings.issuer}"`)
}

function isUnknownToken(failure: unknown): boolean {
  return (failure as { readonly error_detail?: string } | undefined)?.error_detail === 'refresh token not found'
}

/** Ends the session of a refresh token that was used before: the client or a thief has its successor. */
async function endReused(
  ctx: KoaContextWithOIDC,
  grantId: string,
  { endSession, sessions }: EngineParts,
): Promise<void> {
  const session = await sessions.find(grantId)
  if (session === null || session.client.id !== ctx.oidc.client?.clientId) return
  await ctx.oidc.provider.Grant.adapter.destroy(grantId)
  await endSession(grantId, 'a refresh token was used twice')
}

interface TokenBody {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope?: string
}

function isTokenResponse(body: unknown): body is TokenBody {
  return typeof body === 'object' && body !== null && 'access_token' in body
}

function withShownScopes(body: TokenBody): TokenBody & Readonly<Record<string, unknown>> {
  const scopes = (body.scope ?? '').split(' ').filter((scope) => scope !== innerScope && scope !== '')
  return { ...body, scope: scopes.join(' ') }
}

async function recorded(
  ctx: KoaContextWithOIDC,
  rotation: RefreshRotation,
  body: TokenBody & Readonly<Record<string, unknown>>,
) {
  const isRefresh = ctx.oidc.params?.['grant_type'] === 'refresh_token'
  return isRefresh ? rotation.finish(String(ctx.oidc.params?.['refresh_token']), body) : body
}

function preRegistered({ id, name, redirectUris, secret }: LoginSettings['clients'][number]): EngineClient {
  return {
    client_id: id,
    redirect_uris: [...redirectUris],
    ...(name === undefined ? {} : { client_name: name }),
    ...fixedMetadata,
    ...(secret === undefined
      ? { token_endpoint_auth_method: 'none' }
      : { client_secret: secret, token_endpoint_auth_method: 'client_secret_basic' }),
  }
}

/** Clients whose id is the URL of their metadata. The types of the engine lack this feature. */
function metadataDocuments({ registration, redirectRule }: LoginSettings): object {
  const allowClient = async (_ctx: unknown, { redirectUris }: { readonly redirectUris: readonly string[] }) =>
    redirectUris.every((uri) => redirectRule(uri) === null)
  const allowFetch = async (_ctx: unknown, id: string) => new URL(id).pathname !== '/'
  return { clientIdMetadataDocument: { enabled: registration !== false, ack: 'draft-02', allowFetch, allowClient } }
}

/** The engine requires a key, although it signs nothing here. */
function unusedKey(): object {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
}
