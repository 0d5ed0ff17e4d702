import type { JsonObject } from '../rpc/messages.js'

/** The authenticated caller. */
export interface Principal {
  /** Who it is: the `sub` of a token, the owner of a key. */
  readonly subject: string
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  /** What else the credentials said. */
  readonly claims: JsonObject
  /**
   * Seconds since the epoch: from then on the credentials are not good, whatever clocks may differ by included. Streams
   * that were opened with them end then. Left out: they have no end that is known.
   */
  readonly expiresAt?: number
}

/** A principal as applications and tests give it: only the subject is needed. What is left out is empty. */
export type Caller = Partial<Principal> & Pick<Principal, 'subject'>

/**
 * What code without types gives instead of `null` is not taken for it: it must let nobody in.
 *
 * @throws TypeError for a caller without a subject.
 */
export function completePrincipal(caller: Caller | null): Principal | null {
  if (caller === null) return null
  const subject: unknown = (caller as Caller | undefined)?.subject
  if (typeof subject !== 'string' || subject === '') throw new TypeError('the caller has no subject')
  const { roles = [], scopes = [], claims = {}, expiresAt } = caller
  return expiresAt === undefined ? { subject, roles, scopes, claims } : { subject, roles, scopes, claims, expiresAt }
}
