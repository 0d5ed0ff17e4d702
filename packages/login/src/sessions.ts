import type { Principal } from '@toolwright/core'
import type { LoginSettings } from './check-options.js'
import type { LoginAttempt, LoginClient } from './options.js'
import { randomId } from './secrets.js'
import type { SealedStore } from './store/sealed-store.js'
import { withLock } from './store/with-lock.js'
import { type Claims, ProviderRejection } from './upstream/login-provider.js'
import type { ProviderLogin, UpstreamClient } from './upstream/upstream-client.js'

/** A session of a user with a client. It lives as long as its refresh tokens. */
export interface Session extends ProviderLogin {
  readonly subject: string
  readonly roles: readonly string[]
  /** Scopes that the user has: a token contains those that its client requested. */
  readonly scopes: readonly string[]
  readonly client: LoginClient
}

export class NotAllowed extends Error {}

const maxSubjectLength = 1024

/** The sessions, each of which belongs to one grant of the engine. */
export class Sessions {
  /** Seconds for which a session is kept after its last refresh. */
  readonly keptSeconds: number

  constructor(
    private readonly settings: LoginSettings,
    private readonly store: SealedStore,
    private readonly upstream: UpstreamClient,
  ) {
    this.keptSeconds = Math.ceil(settings.refreshDays * 86_400) + settings.accessSeconds
  }

  /** Decides about a user who has logged in at the provider. @throws NotAllowed */
  async admit(login: ProviderLogin, client: LoginClient): Promise<Session> {
    const { allow, grant, scopes, claims: names, provider } = this.settings
    const attempt: LoginAttempt = { claims: login.claims, client }
    if (allow !== undefined && !(await allow(attempt))) throw new NotAllowed()
    const granted = grant === undefined ? scopes : (await grant(attempt)).filter((scope) => scopes.includes(scope))
    const subject = subjectOf(login.claims, names.subjectClaim ?? provider.subjectClaim ?? 'sub')
    const roles = wordsOf(login.claims[names.rolesClaim ?? provider.rolesClaim ?? 'roles'])
    return { ...login, subject, roles, scopes: granted, client }
  }

  find(grantId: string): Promise<Session | null> {
    return this.store.get<Session>(keyOf(grantId))
  }

  save(grantId: string, session: Session): Promise<void> {
    return this.store.set(keyOf(grantId), session, this.keptSeconds)
  }

  /**
   * Asks the provider and `allow` whether the session may go on.
   *
   * @throws NotAllowed or ProviderRejection if the session has to end; ProviderFailure if the provider cannot be asked.
   */
  async renew(grantId: string): Promise<Session> {
    const before = await this.find(grantId)
    if (before === null) throw new ProviderRejection('the session has ended')
    // A provider can accept a refresh token only once.
    return withLock(this.store, `renewing:${grantId}`, async () => {
      const session = await this.find(grantId)
      if (session === null) throw new ProviderRejection('the session has ended')
      const isRenewed = session.tokens.accessToken !== before.tokens.accessToken
      return isRenewed ? session : this.#renew(grantId, session)
    })
  }

  async #renew(grantId: string, session: Session): Promise<Session> {
    const renewed = await this.admit(await this.upstream.renew(session), session.client)
    if (renewed.subject !== session.subject) throw new ProviderRejection('the provider returned another user')
    await this.save(grantId, renewed)
    return renewed
  }

  /** Ends a session. Its tokens are invalid at once on this node, and soon on all others. */
  async end(grantId: string): Promise<Session | null> {
    return this.store.take<Session>(keyOf(grantId))
  }

  principalOf(session: Session, scopes: readonly string[], clientId: string, expiresAt: number): Principal {
    const { claims, subject, roles, scopes: granted } = session
    return freezeDeeply({
      subject,
      roles,
      scopes: scopes.filter((scope) => granted.includes(scope)),
      claims: { iss: this.settings.issuer, ...claims, client_id: clientId },
      expiresAt,
    })
  }
}

/** Id of an account in the engine: never shown to clients. */
export function newAccountId(): string {
  return randomId()
}

function keyOf(grantId: string): string {
  return `session:${grantId}`
}

function subjectOf(claims: Claims, name: string): string {
  const found = claims[name]
  const subject = Number.isSafeInteger(found) ? String(found) : found
  if (typeof subject === 'string' && subject !== '' && subject.length <= maxSubjectLength) return subject
  throw new Error(`the provider sent no claim '${name}' that can be a subject. Set claims.subjectClaim`)
}

function wordsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((word): word is string => typeof word === 'string')
  return typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : []
}

function freezeDeeply<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) freezeDeeply(member)
  return Object.freeze(value)
}
