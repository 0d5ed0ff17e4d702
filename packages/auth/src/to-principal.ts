import { AuthenticationError, type JsonObject, type Principal } from '@toolwright/core'
import type { ReadOptions } from '@toolwright/core/options'
import type { claimOptions } from './options.js'

const maxSubjectLength = 1024

/** Maximum depth of nested claims. Deeper claims would overflow the stack of code that walks through them. */
const maxDepth = 64

/**
 * Converts claims to a principal. The principal is deeply frozen, because later requests with the token share it.
 *
 * @param expiresAt Seconds since the epoch; `undefined` for a token of unknown lifetime.
 * @throws AuthenticationError for claims without a subject, or nested too deeply.
 */
export function toPrincipal(
  claims: JsonObject,
  options: ReadOptions<typeof claimOptions>,
  expiresAt: number | undefined,
): Principal {
  if (isDeeper(claims, maxDepth)) {
    throw new AuthenticationError('invalid_token', 'Unauthorized: the access token is not valid', {
      reason: `claims nested more than ${maxDepth} deep`,
    })
  }
  const { subjectClaim, rolesClaim, scopesClaim } = options
  const subject = valueAt(claims, subjectClaim)
  if (typeof subject !== 'string' || subject === '' || subject.length > maxSubjectLength) {
    throw new AuthenticationError('invalid_token', 'Unauthorized: the access token has no subject', {
      reason: 'no subject',
    })
  }
  const scopes = scopesClaim === undefined ? usualScopes(claims) : wordsOf(valueAt(claims, scopesClaim))
  const roles = wordsOf(valueAt(claims, rolesClaim))
  const end = expiresAt === undefined ? {} : { expiresAt }
  return freezeDeeply({ subject, roles, scopes, claims, ...end })
}

/** Returns the scopes of `scope`, or of `scp`: an issuer may leave `scope` empty. */
function usualScopes({ scope, scp }: JsonObject): readonly string[] {
  const words = wordsOf(scope)
  return words.length > 0 ? words : wordsOf(scp)
}

/** Returns a claim by its name or by its path. A name may be a URL; a path is a list of names for a nested claim. */
function valueAt(claims: JsonObject, path: string | readonly string[]): unknown {
  let value: unknown = claims
  for (const name of typeof path === 'string' ? [path] : path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as JsonObject)[name]
  }
  return value
}

/** Splits a claim into words. `scope` is one string (RFC 8693, section 4.2), but some issuers use lists. */
function wordsOf(value: unknown): readonly string[] {
  const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? (value as unknown[]) : []
  return [...new Set(words.filter((word): word is string => typeof word === 'string' && word !== ''))]
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}

export function freezeDeeply<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) freezeDeeply(member)
  return Object.freeze(value)
}
