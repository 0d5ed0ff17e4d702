import type { AuthenticationError, AuthenticationScheme, Authenticator, ResourceMetadata } from '@toolwright/core'
import { type Answer, scopePattern } from '@toolwright/core/transport'
import type { FastifyReply } from 'fastify'

/** Where metadata of a resource is found, before the resource's own path (RFC 9728, section 3). */
export const wellKnownPath = '/.well-known/oauth-protected-resource'

/** URL of the metadata of a resource. It comes from the configuration: `Host` is what a stranger wrote. */
export function metadataUrl({ resource }: ResourceMetadata): string {
  const { origin, pathname, search } = new URL(resource)
  return `${origin}${wellKnownPath}${pathname === '/' ? '' : pathname}${search}`
}

const bearer: AuthenticationScheme = { name: 'Bearer' }

/** Writes what `WWW-Authenticate` says (RFC 6750, section 3; RFC 9728, section 5.1). */
export class Challenges {
  readonly #scheme: AuthenticationScheme
  readonly #requiredScopes: readonly string[]
  readonly #metadataUrl: string | undefined

  /** Without authentication of the endpoint's own, an application may authenticate in a hook. */
  constructor({ scheme = bearer, requiredScopes = [], metadata }: Partial<Authenticator> = {}) {
    this.#scheme = scheme
    this.#requiredScopes = requiredScopes
    this.#metadataUrl = metadata === undefined ? undefined : metadataUrl(metadata)
  }

  /** For who has to authenticate, or has to do it again. */
  unauthorized({ failure, message, scopes, scheme = this.#scheme }: AuthenticationError): string {
    return writeChallenge(scheme, {
      ...(failure === null ? {} : { error: failure, error_description: message.replace(/^Unauthorized: /, '') }),
      scope: this.#scope(scopes),
      resource_metadata: this.#metadataUrl,
    })
  }

  /** For who has to be granted more: a token that is got for these scopes has no others. */
  insufficientScope(needed: readonly string[]): string {
    return writeChallenge(this.#scheme, {
      error: 'insufficient_scope',
      scope: this.#scope(needed),
      resource_metadata: this.#metadataUrl,
    })
  }

  /** Those that every request needs are needed for this one as well. */
  #scope(scopes: readonly string[]): string | undefined {
    return joinScopes([...new Set([...this.#requiredScopes, ...scopes])])
  }
}

/** A token: the name of a scheme or parameter (RFC 9110, section 5.6.2). Anything else would break the header. */
const token = /^[!#$%&'*+.^_`|~\w-]+$/

/** An authenticator of the application may give anything: the caller is refused all the same. */
function writeChallenge(
  { name: given, parameters }: AuthenticationScheme,
  more: Readonly<Record<string, string | undefined>>,
): string {
  const name = typeof given === 'string' && token.test(given) ? given : bearer.name
  const written = Object.entries({ ...parameters, ...more }).flatMap(([key, value]: [string, unknown]) =>
    // Text without types may be anything: a number has a text, an object has none.
    (typeof value === 'string' || typeof value === 'number') && token.test(key)
      ? [`${key}="${quotable(String(value))}"`]
      : [],
  )
  return written.length === 0 ? name : `${name} ${written.join(', ')}`
}

function joinScopes(scopes: readonly string[]): string | undefined {
  const good = scopes.filter((scope) => scopePattern.test(scope))
  return good.length === 0 ? undefined : good.join(' ')
}

function quotable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')
}

/** Tells a caller who was refused what to come back with, where something would help. */
export function challengeCaller(
  reply: FastifyReply,
  { unauthorized, neededScopes = [] }: Pick<Answer, 'unauthorized' | 'neededScopes'>,
  challenges: Challenges,
): void {
  if (unauthorized !== undefined) reply.header('www-authenticate', challenges.unauthorized(unauthorized))
  if (neededScopes.length > 0) reply.header('www-authenticate', challenges.insufficientScope(neededScopes))
}
