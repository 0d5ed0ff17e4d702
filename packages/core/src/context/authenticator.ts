import type { AuthenticationScheme } from '../errors/authentication-error.js'
import type { BootDiagnostic } from '../errors/boot-error.js'
import type { Gauge } from '../metrics/gauges.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import type { RequestHeaders } from './mcp-context.js'
import type { Principal } from './principal.js'

/** The part of a request that authenticators see. The body is read later. */
export interface AuthenticationRequest {
  readonly method: string
  /** Path and query, unmodified. */
  readonly url: string
  readonly headers: RequestHeaders
  /** An object that identifies the connection: the same object for all its requests. Left out where it is unknown. */
  readonly connection?: object
  /**
   * Whether the granted scopes include a scope, either directly or by `authorization.impliedScopes`. Left out: only
   * scopes that were granted themselves count.
   */
  readonly includesScope?: (granted: readonly string[], scope: string) => boolean
}

/** Protected resource metadata as sent to clients (RFC 9728). */
export interface ResourceMetadata {
  /** Public URL of the server, such as `https://mcp.example.com/mcp`. */
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly [member: string]: unknown
}

/** Authenticates callers. Transports with headers call it before they read the body or allocate anything. */
export interface Authenticator {
  /**
   * Returns the caller; `null` if the request has no credentials for this authenticator. A promise is only needed for
   * asynchronous work: a token that was verified before needs none.
   *
   * @throws AuthenticationError for invalid credentials (401). Any other error is reported as an internal error.
   */
  authenticate(request: AuthenticationRequest): MaybePromise<Principal | null>
  /** Authentication scheme in challenges (`WWW-Authenticate`). Default: `Bearer`. */
  readonly scheme?: AuthenticationScheme
  /** Metadata document that names the authorization servers. Default: no document is served. */
  readonly metadata?: ResourceMetadata
  /** Scopes that every call needs, sent in the first challenge. Default: none. */
  readonly requiredScopes?: readonly string[]
  /** Invalid options, which the host reports at boot. With such options, reject all requests. Default: none. */
  readonly diagnostics?: readonly BootDiagnostic[]
  /** Usage of its limits, for the server's metrics. Gauges with the same name are summed up. Default: none. */
  readonly gauges?: readonly Gauge[]
}
