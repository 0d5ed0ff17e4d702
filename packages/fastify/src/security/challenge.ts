import type { AuthenticationError, AuthenticationScheme, Authenticator, ResourceMetadata } from '@toolwright/core'
import { scopePattern } from '@toolwright/core/host'
import { type Answer } from '@toolwright/core/transport'
import type { FastifyReply } from 'fastify'

/** Path of a resource's metadata, before the resource's own path (RFC 9728, section 3). */
export const wellKnownPath = '/.well-known/oauth-protected-resource'

/** Returns the URL of a resource's metadata. The URL is based on the configuration, because clients control `Host`. */
export function metadataUrl({ resource }: ResourceMetadata): string {
  const { origin, pathname, search } = new URL(resource)
  return `${origin}${wellKnownPath}${pathname === '/' ? '' : pathname}${search}`
}

const bearer: AuthenticationScheme = { name: 'Bearer' }

/** Writes `WWW-Authenticate` headers (RFC 6750, section 3; RFC 9728, section 5.1). */
export class Challenges {
  readonly #scheme: AuthenticationScheme
  readonly #requiredScopes: readonly string[]
  readonly #metadataUrl: string | undefined

  /** Without an authenticator, the scheme is `Bearer`: a hook of the application may authenticate callers. */
  constructor({ scheme = bearer, requiredScopes = [], metadata }: Partial<Authenticator> = {}) {
    this.#scheme = scheme
    this.#requiredScopes = requiredScopes
    this.#metadataUrl = metadata === undefined ? undefined : metadataUrl(metadata)
  }

  unauthorized({ failure, message, scopes, scheme }: AuthenticationError): string {
    return writeChallenge(scheme ?? this.#scheme, {
      ...(failure === null ? {} : { error: failure, error_description: message.replace(/^Unauthorized: /, '') }),
      scope: this.#scope(scopes),
      resource_metadata: this.#metadataUrl,
    })
  }

  /**
   * Returns the challenge for a caller that needs more scopes. The challenge lists all required scopes, because the new
   * token has only the listed scopes.
   */
  insufficientScope(needed: readonly string[]): string {
    return writeChallenge(this.#scheme, {
      error: 'insufficient_scope',
      scope: this.#scope(needed),
      resource_metadata: this.#metadataUrl,
    })
  }

  #scope(scopes: readonly string[]): string | undefined {
    return joinScopes([...new Set([...this.#requiredScopes, ...scopes])])
  }
}

/**
 * Pattern of a token: the name of a scheme or parameter (RFC 9110, section 5.6.2). Other characters would break the header.
 */
const token = /^[!#$%&'*+.^_`|~\w-]+$/

/** Writes a challenge. Skips invalid parts from custom authenticators, so that the caller is still rejected. */
function writeChallenge(
  { name: given, parameters }: AuthenticationScheme,
  more: Readonly<Record<string, string | undefined>>,
): string {
  const name = typeof given === 'string' && token.test(given) ? given : bearer.name
  const written = Object.entries({ ...parameters, ...more }).flatMap(([key, value]: [string, unknown]) =>
    // Untyped code may pass values of any type. Numbers are converted; objects are skipped.
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

/** Adds a challenge for a rejected caller, if other credentials or more scopes would help. */
export function challengeCaller(
  reply: FastifyReply,
  { unauthorized, neededScopes = [] }: Pick<Answer, 'unauthorized' | 'neededScopes'>,
  challenges: Challenges,
): void {
  if (unauthorized !== undefined) reply.header('www-authenticate', challenges.unauthorized(unauthorized))
  if (neededScopes.length > 0) reply.header('www-authenticate', challenges.insufficientScope(neededScopes))
}
