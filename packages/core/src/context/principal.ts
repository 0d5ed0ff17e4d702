import { describeValue } from '../errors/describe-value.js'
import type { JsonObject } from '../rpc/messages.js'

/** The authenticated caller. */
export interface Principal {
  /** Who it is: the `sub` of a token, the owner of a key. */
  readonly subject: string
  /** What `@Authorize({ roles })` asks for; the case of A to Z does not matter. */
  readonly roles: readonly string[]
  /** What `@Authorize({ scopes })` asks for. */
  readonly scopes: readonly string[]
  /** What else the credentials said. */
  readonly claims: JsonObject
  /**
   * When the credentials end, in seconds since the epoch. The tolerance for clocks that differ is added already. Streams
   * that were opened with them end at this time. Left out: no end is known.
   */
  readonly expiresAt?: number
}

/** A principal as applications and tests give it: only the subject is needed. What is left out is empty. */
export type Caller = Partial<Principal> & Pick<Principal, 'subject'>

/** @throws TypeError as {@link checkPrincipal} does. */
export function completePrincipal(caller: Caller | null): Principal | null {
  if (caller === null) return null
  const { subject, roles = [], scopes = [], claims = {}, expiresAt } = (caller as Caller | undefined) ?? ({} as Caller)
  return checkPrincipal({ subject, roles, scopes, claims, ...(expiresAt === undefined ? {} : { expiresAt }) })
}

/**
 * What code without types gives instead of `null` is not taken for it: it must let nobody in.
 *
 * @throws TypeError for one without a subject, or whose roles or scopes are no list: a text has every part of itself.
 */
export function checkPrincipal(principal: Principal | null): Principal | null {
  if (principal === null) return null
  const { subject, roles, scopes } = (principal as Principal | undefined) ?? ({} as Principal)
  if (typeof subject !== 'string' || subject === '') {
    throw new TypeError(`the subject of the caller is ${describeValue(subject)}. Give a string that says who it is`)
  }
  if (!Array.isArray(roles)) throw new TypeError(`the roles of the caller are ${describeValue(roles)}. Give an array`)
  if (!Array.isArray(scopes)) {
    throw new TypeError(`the scopes of the caller are ${describeValue(scopes)}. Give an array`)
  }
  return principal
}

/**
 * Who a principal is, as one text: the issuer that vouches for it, the subject, and the client that acts for it. State is
 * bound to this and not to a token, which clients replace while they work. `null` for nobody.
 */
export function principalKey(principal: Principal | null): string | null {
  if (principal === null) return null
  const { subject, claims } = principal
  const client = textOf(claims['client_id']) ?? textOf(claims['azp'])
  // As JSON: no part can pose as two.
  return JSON.stringify([textOf(claims['iss']), subject, client])
}

/**
 * Whom limits count for: the same without the client. Users can register as many of those as they like, or make up names
 * for them.
 */
export function subjectKey(principal: Principal | null): string | null {
  return principal === null ? null : JSON.stringify([textOf(principal.claims['iss']), principal.subject])
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null
}
