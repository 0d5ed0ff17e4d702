import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { InteractionResults, Provider } from 'oidc-provider'
import type { LoginSettings } from '../check-options.js'
import { loginSeconds } from '../engine/create-engine.js'
import { innerScope } from '../engine/normalize-request.js'
import { withoutLoopbackPort } from '../engine/redirect-uris.js'
import { engineRequest } from '../http/engine-request.js'
import { readForm } from '../http/read-form.js'
import type { LoginClient } from '../options.js'
import { type Pages, pageHeaders } from '../page/pages.js'
import { keyOf, randomId } from '../secrets.js'
import { NotAllowed, newAccountId, type Session, type Sessions } from '../sessions.js'
import type { SealedStore } from '../store/sealed-store.js'
import { ProviderRejection } from '../upstream/login-provider.js'
import { type PendingLogin, UpstreamClient } from '../upstream/upstream-client.js'
import { type BrowserCookie, consentSeconds, isCrossSite, isOpenedByUser } from './browser.js'

/** A login on its way to the provider and back. The key is the `state`. */
interface AtProvider extends PendingLogin {
  readonly uid: string
  /** The browser in which the user agreed: the login can continue only there. */
  readonly browser: string
}

type Outcome =
  | { readonly session: Session }
  | { readonly error: 'access_denied' | 'server_error'; readonly description: string; readonly isNotAllowed?: boolean }

interface FlowParts {
  readonly settings: LoginSettings
  readonly engine: Provider
  readonly store: SealedStore
  readonly sessions: Sessions
  readonly upstream: UpstreamClient
  readonly pages: Pages
  readonly browsers: BrowserCookie
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** The way of a user from the consent page to the provider and back to the client. */
export class LoginFlow {
  constructor(private readonly parts: FlowParts) {}

  /**
   * Shows the consent page, or goes on if the user agreed before. Has no other effect, because mail scanners and browsers open pages in
   * advance.
   */
  async showConsent(request: FastifyRequest, response: ServerResponse, uid: string): Promise<void> {
    const { browsers, pages, settings } = this.parts
    const interaction = await this.#interaction(request, response, uid)
    if (interaction === null) return
    const known = browsers.find(request.raw)
    if (known !== null && (await this.#isRemembered(request, interaction, known))) {
      return this.#sendToProvider(response, interaction, known)
    }
    const browser = browsers.identify(request.raw, response)
    const formToken = browsers.formToken(uid, browser)
    const { client, verifiedHost } = await this.#clientOf(interaction)
    const scopes = requestedScopesOf(interaction, settings.scopes)
    sendPage(response, 200, pages.consent({ client, verifiedHost, scopes, formToken }))
  }

  /** Sends the user to the provider, or back to the client. */
  async decide(request: FastifyRequest, response: ServerResponse, uid: string): Promise<void> {
    const { browsers, pages, settings, store } = this.parts
    const form = await readForm(request.raw)
    const browser = browsers.find(request.raw)
    const isForged =
      browser === null ||
      isCrossSite(request.raw, settings.issuer) ||
      !browsers.isFormToken(form.get('form_token') ?? '', uid, browser)
    if (isForged) return sendPage(response, 403, pages.error('expired'))
    const interaction = await this.#interaction(request, response, uid)
    if (interaction === null) return
    if (form.get('decision') !== 'continue') {
      return this.#finish(request, response, uid, { error: 'access_denied', error_description: 'the user cancelled' })
    }
    if (settings.consent === 'remember') {
      await store.set(
        consentKeyOf(interaction, browser),
        requestedScopesOf(interaction, settings.scopes),
        consentSeconds,
      )
    }
    return this.#sendToProvider(response, interaction, browser)
  }

  async #isRemembered({ raw }: FastifyRequest, interaction: Interaction, browser: string): Promise<boolean> {
    const { settings, store } = this.parts
    if (settings.consent !== 'remember' || !isOpenedByUser(raw)) return false
    const agreed = await store.get<readonly string[]>(consentKeyOf(interaction, browser))
    return agreed !== null && requestedScopesOf(interaction, settings.scopes).every((scope) => agreed.includes(scope))
  }

  async #sendToProvider(response: ServerResponse, interaction: Interaction, browser: string): Promise<void> {
    const { store, upstream } = this.parts
    const state = randomId()
    const pending = UpstreamClient.newLogin()
    const hint = interaction.params['login_hint']
    const url = await upstream.authorizationUrl(state, pending, typeof hint === 'string' ? hint : undefined)
    const atProvider: AtProvider = { ...pending, uid: interaction.uid, browser }
    await store.set(keyOf('at-provider', state), atProvider, loginSeconds)
    redirect(response, url.href)
  }

  async receive(request: FastifyRequest, response: ServerResponse): Promise<void> {
    const { browsers, pages, store } = this.parts
    const callback = new URL(request.raw.url ?? '', 'http://localhost').searchParams
    const state = callback.get('state') ?? ''
    const key = keyOf('at-provider', state)
    const known = await store.get<AtProvider>(key)
    // An attacker could send the URL of a login that the attacker began to another user.
    if (known === null || known.browser !== browsers.find(request.raw)) {
      return sendPage(response, 403, pages.error('expired'))
    }
    if ((await store.take<AtProvider>(key)) === null) return sendPage(response, 403, pages.error('expired'))
    const outcome = await this.#askProvider(callback, state, known)
    await store.set(keyOf('outcome', known.uid), outcome, loginSeconds)
    // The cookie of the engine is only sent to this path.
    redirect(response, `/login/${known.uid}/finish`)
  }

  async finish(request: FastifyRequest, response: ServerResponse, uid: string): Promise<void> {
    const { browsers, pages, store } = this.parts
    const interaction = await this.#interaction(request, response, uid)
    if (interaction === null) return
    const browser = browsers.find(request.raw)
    const key = keyOf('outcome', uid)
    const outcome = browser === null ? null : await store.get<Outcome>(key)
    if (outcome === null || browser === null) return sendPage(response, 403, pages.error('expired'))
    if ('error' in outcome) {
      if (outcome.isNotAllowed === true) {
        return sendPage(response, 403, pages.notAllowed(browsers.formToken(uid, browser)))
      }
      return this.#finish(request, response, uid, { error: outcome.error, error_description: outcome.description })
    }
    if ((await store.take(key)) === null) return sendPage(response, 403, pages.error('expired'))
    const { grantId, accountId } = await this.#grant(interaction, outcome.session)
    return this.#finish(request, response, uid, { login: { accountId, remember: false }, consent: { grantId } })
  }

  async #askProvider(callback: URLSearchParams, state: string, pending: AtProvider): Promise<Outcome> {
    const { log, sessions, settings, upstream } = this.parts
    const { name } = settings.provider
    try {
      const login = await upstream.redeem(callback, state, pending)
      const interaction = await this.parts.engine.Interaction.find(pending.uid)
      if (interaction === undefined) throw new ProviderRejection('the login has expired')
      const { client } = await this.#clientOf(interaction)
      const session = await sessions.admit(login, client)
      const gap = settings.provider.describeGaps?.(session.claims) ?? null
      if (gap !== null) log('warn', { subject: session.subject }, `login: ${gap}`)
      this.#audit(session)
      return { session }
    } catch (error) {
      if (error instanceof NotAllowed) {
        log('info', {}, 'login: a user was rejected by `allow`')
        return { error: 'access_denied', description: 'the user may not use this server', isNotAllowed: true }
      }
      const reason = error instanceof Error ? error.message : String(error)
      const isRejection = error instanceof ProviderRejection
      log(isRejection ? 'info' : 'error', { reason }, `login: ${name} did not log the user in`)
      return isRejection
        ? { error: 'access_denied', description: `${name} did not log the user in` }
        : { error: 'server_error', description: `the login at ${name} failed` }
    }
  }

  #audit(session: Session): void {
    const { log, settings } = this.parts
    const { claims, client, subject } = session
    log('info', { subject, client: client.name, returnsTo: client.returnsTo }, 'login: a user logged in')
    try {
      settings.onLogin?.({ claims, client })
    } catch (error) {
      log('error', { reason: String(error) }, 'login: onLogin failed')
    }
  }

  async #grant(interaction: Interaction, session: Session): Promise<{ grantId: string; accountId: string }> {
    const { engine, sessions, settings } = this.parts
    const accountId = newAccountId()
    const grant = new engine.Grant({ accountId, clientId: String(interaction.params['client_id']) })
    const denied = settings.scopes.filter((scope) => !session.scopes.includes(scope))
    const resources = [interaction.params['resource']].flat() as string[]
    for (const resource of resources) {
      grant.addResourceScope(resource, [innerScope, ...session.scopes].join(' '))
      if (denied.length > 0) grant.rejectResourceScope(resource, denied.join(' '))
    }
    const grantId = await grant.save()
    await sessions.save(grantId, session)
    return { grantId, accountId }
  }

  #finish(request: FastifyRequest, response: ServerResponse, uid: string, result: InteractionResults): Promise<void> {
    const { engine, settings } = this.parts
    const copy = engineRequest(request, settings.issuer, { method: 'GET', url: `/login/${uid}` })
    return engine.interactionFinished(copy, response, result, { mergeWithLastSubmission: false })
  }

  /** Finds the login of this browser. Sends a page if the browser has no such login. */
  async #interaction(request: FastifyRequest, response: ServerResponse, uid: string): Promise<Interaction | null> {
    const { engine, pages, settings } = this.parts
    try {
      const copy = engineRequest(request, settings.issuer, { method: 'GET', url: `/login/${uid}` })
      const found = await engine.interactionDetails(copy, response)
      if (found.uid === uid) return found
    } catch (error) {
      if ((error as Error).constructor.name !== 'SessionNotFound') throw error
    }
    sendPage(response, 403, pages.error('expired'))
    return null
  }

  async #clientOf({ params }: Interaction): Promise<{ client: LoginClient; verifiedHost: string | null }> {
    const { engine } = this.parts
    const id = String(params['client_id'])
    const found = await engine.Client.find(id)
    const isDocument = (found as { readonly clientIdMetadataDocument?: boolean } | undefined)?.clientIdMetadataDocument
    const returnsTo = shownTarget(String(params['redirect_uri']))
    const name = shownName(found?.clientName ?? returnsTo)
    return { client: { id, name, returnsTo }, verifiedHost: isDocument === true ? new URL(id).host : null }
  }
}

function requestedScopesOf({ params }: Interaction, all: readonly string[]): readonly string[] {
  const requested = String(params['scope']).split(' ')
  return all.filter((scope) => requested.includes(scope))
}

/** Key of a remembered consent. The port of the user's machine changes from login to login. */
function consentKeyOf({ params }: Interaction, browser: string): string {
  const target = withoutLoopbackPort(String(params['redirect_uri']))
  return keyOf('consent', JSON.stringify([browser, params['client_id'], target]))
}

const maxNameLength = 100

/** Removes characters that hide or reorder text. */
function shownName(name: string): string {
  const visible = name.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, '')
  return visible.slice(0, maxNameLength).toWellFormed()
}

function shownTarget(uri: string): string {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : `${protocol}//${host}`
}

export function sendPage(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, pageHeaders)
  response.end(page)
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-length': '0',
  })
  response.end()
}
