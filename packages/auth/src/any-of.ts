import {
  AuthenticationError,
  type AuthenticationRequest,
  type AuthenticationScheme,
  type Authenticator,
  type Gauge,
  type Principal,
  ProtocolError,
  type ResourceMetadata,
} from '@toolwright/core'
import type { Diagnostics } from '@toolwright/core/options'
import { addReportedDiagnostics } from '@toolwright/core/options'
import { createAuthenticator } from './create-authenticator.js'
import { describeMisplaced } from './describe-misplaced.js'
import { TokenAuthenticator } from './token-authenticator.js'

/**
 * Accepts callers of any of several authenticators, such as users with tokens and machines with API keys. Tries the
 * authenticators in order, and `introspection` last, because it sends credentials to the issuer. The first authenticator
 * with resource metadata determines the challenges. Invalid options of an authenticator are reported at boot.
 */
export function anyOf(...authenticators: readonly Authenticator[]): Authenticator {
  return createAuthenticator('anyOf', authenticators, checkAll, ([first, ...others]) => {
    const speaker = [first, ...others].find(({ metadata }) => metadata !== undefined) ?? first
    return new AnyOf([first, ...others], speaker)
  })
}

function checkAll(
  authenticators: readonly Authenticator[],
  diagnostics: Diagnostics,
): readonly [Authenticator, ...Authenticator[]] {
  if (authenticators.length === 0) diagnostics.add('bad-option', 'anyOf: there is no authenticator. Give at least one.')
  for (const one of authenticators as readonly (Partial<Authenticator> | undefined)[]) {
    addReportedDiagnostics('anyOf: an authenticator', one?.diagnostics, diagnostics)
    if (typeof one?.authenticate === 'function') continue
    const message = `anyOf: ${describeMisplaced(one)} has no method authenticate. Give authenticators, such as apiKeys({ … }).`
    diagnostics.add('bad-option', message)
  }
  return authenticators as readonly [Authenticator, ...Authenticator[]]
}

interface Member {
  readonly authenticator: Authenticator
  readonly suffix: string
}

/**
 * Adds suffixes that distinguish equal subjects of two authenticators without issuers. The first has no suffix, so that
 * its callers keep their state when another authenticator is added.
 */
function withSuffixes(authenticators: readonly Authenticator[]): readonly Member[] {
  let position = 0
  return authenticators.map((authenticator) => {
    // The claims of a token always name its issuer.
    if (authenticator instanceof TokenAuthenticator || position++ === 0) return { authenticator, suffix: '' }
    return { authenticator, suffix: `#${position}` }
  })
}

class AnyOf implements Authenticator {
  readonly scheme: AuthenticationScheme | undefined
  readonly metadata: ResourceMetadata | undefined
  readonly requiredScopes: readonly string[] | undefined
  readonly sendsCredentials: boolean
  readonly addResource: (resource: string) => void
  readonly gauges: readonly Gauge[]
  readonly mountRoutes: (application: object) => void
  /** Members that send no credentials come first. */
  readonly #members: readonly Member[]
  readonly #renamed = new WeakMap<Principal, Principal>()

  constructor(authenticators: readonly Authenticator[], { scheme, metadata, requiredScopes }: Authenticator) {
    this.scheme = scheme
    this.metadata = metadata
    this.requiredScopes = requiredScopes
    const members = withSuffixes(authenticators)
    const sends = ({ authenticator }: Member): boolean => authenticator.sendsCredentials === true
    this.#members = [...members.filter((member) => !sends(member)), ...members.filter(sends)]
    this.sendsCredentials = members.some(sends)
    this.addResource = (resource) => authenticators.forEach((one) => one.addResource?.(resource))
    this.mountRoutes = (application) => authenticators.forEach((one) => one.mountRoutes?.(application))
    this.gauges = authenticators.flatMap(({ gauges = [] }) => gauges)
  }

  async authenticate(request: AuthenticationRequest): Promise<Principal | null> {
    const rejections: ProtocolError[] = []
    for (const { authenticator, suffix } of this.#members) {
      try {
        // Authenticators run in order: the first one that accepts the caller decides.
        // oxlint-disable-next-line no-await-in-loop
        const principal = await authenticator.authenticate(request)
        if (principal !== null) return suffix === '' ? principal : this.#rename(principal, suffix)
      } catch (error) {
        // If the token has another issuer, or the issuer is unavailable, try the next authenticator.
        if (!isPassedOn(error)) throw error
        rejections.push(error)
      }
    }
    const [first, ...others] = rejections
    if (first !== undefined) throw chooseError([first, ...others])
    return null
  }

  /** Caches the renamed principal, because authenticators return the same principal for each request with a key. */
  #rename(principal: Principal, suffix: string): Principal {
    const known = this.#renamed.get(principal)
    if (known !== undefined) return known
    const renamed = Object.freeze({ ...principal, namespace: `${principal.namespace ?? ''}${suffix}` })
    this.#renamed.set(principal, renamed)
    return renamed
  }
}

function isPassedOn(error: unknown): error is ProtocolError {
  return error instanceof AuthenticationError || (error instanceof ProtocolError && error.kind === 'unavailable')
}

/**
 * Chooses the error to throw. The error of an authenticator that could not check the credentials takes precedence,
 * because the credentials could be valid. Otherwise, the first error is thrown, with the reasons of all errors.
 */
function chooseError(rejections: readonly [ProtocolError, ...ProtocolError[]]): ProtocolError {
  const [first] = rejections
  const failed =
    rejections.find(({ kind }) => kind === 'unavailable') ?? rejections.find(({ cause }) => cause instanceof Error)
  if (failed !== undefined || !(first instanceof AuthenticationError)) return failed ?? first
  const { failure, message, scheme, scopes } = first
  const reasons = rejections.flatMap((error) => (error instanceof AuthenticationError ? (error.reason ?? []) : []))
  const reason = [...new Set(reasons)].join('; ')
  return new AuthenticationError(failure, message, { scopes, reason, ...(scheme === undefined ? {} : { scheme }) })
}
