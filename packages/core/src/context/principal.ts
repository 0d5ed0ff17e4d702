import { describeValue } from '../errors/describe-value.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'

/** The authenticated caller. */
export interface Principal {
  /** Identifier of the caller: the `sub` of a token, or the owner of an API key. */
  readonly subject: string
  /** Roles, checked by `@Authorize({ roles })`. The case of A to Z is ignored. */
  readonly roles: readonly string[]
  /** Scopes, checked by `@Authorize({ scopes })`. */
  readonly scopes: readonly string[]
  /** All claims of the credentials. */
  readonly claims: JsonObject
  /**
   * Expiry of the credentials, in seconds since the epoch, including the clock tolerance. Streams that were opened with these
   * credentials end at this time. Left out if the expiry is unknown.
   */
  readonly expiresAt?: number
  /**
   * Distinguishes equal subjects of several authenticators if the claims name no issuer: `apiKeys` for the owner of an API key.
   * Left out if only one authenticator creates principals without an issuer.
   */
  readonly namespace?: string
}

/** A principal for applications and tests. Only the subject is required. */
export type Caller = Partial<Principal> & Pick<Principal, 'subject'>

/**
 * Fills in the defaults.
 *
 * @param defaultNamespace Namespace of a caller without one.
 * @throws TypeError as {@link checkPrincipal} does.
 */
export function completePrincipal(caller: Caller | null, defaultNamespace?: string): Principal | null {
  if (caller === null) return null
  const { subject, roles = [], scopes = [], claims = {}, ...rest } = (caller as Caller | undefined) ?? ({} as Caller)
  const { expiresAt, namespace = defaultNamespace } = rest
  return checkPrincipal({
    subject,
    roles,
    scopes,
    claims,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(namespace === undefined ? {} : { namespace }),
  })
}

/**
 * Rejects malformed principals, such as `undefined` from untyped code, instead of treating them as anonymous.
 *
 * @throws TypeError if the subject or the claims are missing, or if roles or scopes are not arrays: a string as `roles` would
 * match substrings.
 */
export function checkPrincipal(principal: Principal | null): Principal | null {
  if (principal === null) return null
  const { subject, roles, scopes, claims } = (principal as Principal | undefined) ?? ({} as Principal)
  if (typeof subject !== 'string' || subject === '') {
    throw new TypeError(
      `the subject of the caller is ${describeValue(subject)}. Give a string that identifies the caller`,
    )
  }
  if (!Array.isArray(roles)) throw new TypeError(`the roles of the caller are ${describeValue(roles)}. Give an array`)
  if (!Array.isArray(scopes)) {
    throw new TypeError(`the scopes of the caller are ${describeValue(scopes)}. Give an array`)
  }
  if (!isJsonObject(claims))
    throw new TypeError(`the claims of the caller are ${describeValue(claims)}. Give an object`)
  return principal
}

/**
 * Identifies a principal by issuer, subject and OAuth client, as one string. State is bound to this key rather than to
 * a token, because clients renew their tokens. `null` for unauthenticated callers.
 */
export function principalKey(principal: Principal | null): string | null {
  if (principal === null) return null
  const { subject, claims } = principal
  const client = textOf(claims['client_id']) ?? textOf(claims['azp'])
  // The parts are encoded as JSON, so that separators inside a part cannot forge another key.
  return JSON.stringify([textOf(claims['iss']), subject, client, ...namespaceOf(principal)])
}

/** Identifies a principal for limits, without the OAuth client, because users can register or invent any number of clients. */
export function subjectKey(principal: Principal | null): string | null {
  if (principal === null) return null
  return JSON.stringify([textOf(principal.claims['iss']), principal.subject, ...namespaceOf(principal)])
}

function namespaceOf({ claims, namespace }: Principal): readonly string[] {
  return namespace === undefined || textOf(claims['iss']) !== null ? [] : [namespace]
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null
}
