import {
  AuthenticationError,
  type AuthenticationRequest,
  type AuthenticationScheme,
  type Authenticator,
  BootError,
  type Principal,
  type ResourceMetadata,
} from '@toolwright/core'

/**
 * Takes what any of several authenticators takes, asked in this order: tokens of users beside API keys of machines, say.
 * Challenges are those of the first that has resource metadata.
 *
 * @throws BootError when there is none.
 */
export function anyOf(...authenticators: readonly Authenticator[]): Authenticator {
  const [first] = authenticators
  if (first === undefined) {
    throw new BootError([{ code: 'bad-option', message: 'anyOf: there is no authenticator. Give at least one.' }])
  }
  return new AnyOf(authenticators, authenticators.find(({ metadata }) => metadata !== undefined) ?? first)
}

class AnyOf implements Authenticator {
  readonly scheme: AuthenticationScheme | undefined
  readonly metadata: ResourceMetadata | undefined
  readonly requiredScopes: readonly string[] | undefined

  constructor(
    private readonly authenticators: readonly Authenticator[],
    { scheme, metadata, requiredScopes }: Authenticator,
  ) {
    this.scheme = scheme
    this.metadata = metadata
    this.requiredScopes = requiredScopes
  }

  async authenticate(request: AuthenticationRequest): Promise<Principal | null> {
    let refusal: AuthenticationError | null = null
    for (const authenticator of this.authenticators) {
      try {
        // One after another: the first that knows the caller is the one.
        // oxlint-disable-next-line no-await-in-loop
        const principal = await authenticator.authenticate(request)
        if (principal !== null) return principal
      } catch (error) {
        // A token that is none of this issuer's may be one of the next.
        if (!(error instanceof AuthenticationError)) throw error
        refusal ??= error
      }
    }
    if (refusal !== null) throw refusal
    return null
  }
}
