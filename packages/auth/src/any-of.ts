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

/**
 * Lets in whoever any of several authenticators knows, such as users with tokens and machines with API keys. They are
 * asked in this order. Challenges are those of the first that has resource metadata.
 * If one of them has mistakes in its options, nobody gets in by any of them.
 */
export function anyOf(...authenticators: readonly Authenticator[]): Authenticator {
  return createAuthenticator('anyOf', authenticators, checkAll, ([first, ...others]) => {
    const speaker = [first, ...others].find(({ metadata }) => metadata !== undefined) ?? first
    return new AnyOf([first, ...others], speaker)
  })
}

/** What is returned is of use only where there are no problems. */
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

class AnyOf implements Authenticator {
  readonly scheme: AuthenticationScheme | undefined
  readonly metadata: ResourceMetadata | undefined
  readonly requiredScopes: readonly string[] | undefined
  readonly gauges: readonly Gauge[]

  constructor(
    private readonly authenticators: readonly Authenticator[],
    { scheme, metadata, requiredScopes }: Authenticator,
  ) {
    this.scheme = scheme
    this.metadata = metadata
    this.requiredScopes = requiredScopes
    this.gauges = authenticators.flatMap(({ gauges = [] }) => gauges)
  }

  async authenticate(request: AuthenticationRequest): Promise<Principal | null> {
    const refusals: ProtocolError[] = []
    for (const authenticator of this.authenticators) {
      try {
        // One after another: the first that knows the caller is the one.
        // oxlint-disable-next-line no-await-in-loop
        const principal = await authenticator.authenticate(request)
        if (principal !== null) return principal
      } catch (error) {
        // A token that is none of this issuer's may be one of the next; one that cannot be asked keeps out its own only.
        if (!isPassedOn(error)) throw error
        refusals.push(error)
      }
    }
    const [first, ...others] = refusals
    if (first !== undefined) throw mostTelling([first, ...others])
    return null
  }
}

function isPassedOn(error: unknown): error is ProtocolError {
  return error instanceof AuthenticationError || (error instanceof ProtocolError && error.kind === 'unavailable')
}

/** Where something failed that others have to mend, that: the caller may be good. Else that of the first, with all reasons. */
function mostTelling(refusals: readonly [ProtocolError, ...ProtocolError[]]): ProtocolError {
  const [first] = refusals
  const failed =
    refusals.find(({ kind }) => kind === 'unavailable') ?? refusals.find(({ cause }) => cause instanceof Error)
  if (failed !== undefined || !(first instanceof AuthenticationError)) return failed ?? first
  const { failure, message, scheme, scopes } = first
  const reasons = refusals.flatMap((error) => (error instanceof AuthenticationError ? (error.reason ?? []) : []))
  const reason = [...new Set(reasons)].join('; ')
  return new AuthenticationError(failure, message, { scopes, reason, ...(scheme === undefined ? {} : { scheme }) })
}
