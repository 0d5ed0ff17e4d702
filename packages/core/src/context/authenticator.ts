import type { AuthenticationScheme } from '../errors/authentication-error.js'
import type { BootDiagnostic } from '../errors/boot-error.js'
import type { Gauge } from '../metrics/gauges.js'
import type { RequestHeaders } from './mcp-context.js'
import type { Principal } from './principal.js'

/** What came with a request and can say who sends it. The body is not there: it is read afterwards. */
export interface AuthenticationRequest {
  readonly method: string
  /** Path and query, as they came. */
  readonly url: string
  readonly headers: RequestHeaders
  /** The same object for all requests that come over one connection; left out where that is not known. */
  readonly connection?: object
  /**
   * Whether scopes that were granted include another one, also by `authorization.impliedScopes`. Left out: only if it is
   * one of them.
   */
  readonly includesScope?: (granted: readonly string[], scope: string) => boolean
}

/** The protected resource metadata of RFC 9728, as clients get it. */
export interface ResourceMetadata {
  /** The server's URL as clients know it, such as `https://mcp.example.com/mcp`. */
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly [member: string]: unknown
}

/** Finds out who calls. Transports with headers ask it before they read a body or make anything. */
export interface Authenticator {
  /**
   * Returns who sends the request, or `null` when nothing in it is meant for this authenticator. Where the answer is
   * known, such as for a token that was verified before, it comes without a promise.
   *
   * @throws AuthenticationError for credentials that are not good (401). Anything else is an internal error.
   */
  authenticate(request: AuthenticationRequest): Principal | null | Promise<Principal | null>
  /** What the server asks for in its challenges. Default: `Bearer`. */
  readonly scheme?: AuthenticationScheme
  /** Where clients learn who issues their tokens. Default: there is no such document. */
  readonly metadata?: ResourceMetadata
  /** Scopes without which nothing can be called, for the first challenge. Default: none. */
  readonly requiredScopes?: readonly string[]
  /** Mistakes in its options, for the host to report at boot. One that has any must let nobody in. Default: none. */
  readonly diagnostics?: readonly BootDiagnostic[]
  /** How far it is from its limits, for the metrics of the server: those of one name are added up. Default: none. */
  readonly gauges?: readonly Gauge[]
}
