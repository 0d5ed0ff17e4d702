import { AuthenticationError, type JsonObject, type Principal } from '@toolwright/core'
import type { ReadOptions } from '@toolwright/core/options'
import { valueAt, wordsAt } from './claim-paths.js'
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
  const subject = readSubject(claims, subjectClaim)
  const scopes = scopesClaim === undefined ? usualScopes(claims) : wordsAt(claims, scopesClaim)
  const roles = wordsAt(claims, rolesClaim)
  const end = expiresAt === undefined ? {} : { expiresAt }
  return freezeDeeply({ subject, roles, scopes, claims, ...end })
}

/** Reads the subject. A custom claim can be a number, such as the id of a user; `sub` must be a string (RFC 7519). */
function readSubject(claims: JsonObject, path: string | readonly string[]): string {
  const found = valueAt(claims, path)
  const subject = path !== 'sub' && Number.isSafeInteger(found) ? String(found) : found
  if (typeof subject === 'string' && subject !== '' && subject.length <= maxSubjectLength) return subject
  throw new AuthenticationError('invalid_token', 'Unauthorized: the access token has no subject', {
    reason: typeof found === 'number' ? 'no subject: the claim is a number' : 'no subject',
  })
}

/** Returns the scopes of `scope`, or of `scp`: an issuer may leave `scope` empty. */
function usualScopes(claims: JsonObject): readonly string[] {
  const words = wordsAt(claims, 'scope')
  return words.length > 0 ? words : wordsAt(claims, 'scp')
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
