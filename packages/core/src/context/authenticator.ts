import type { AuthenticationScheme } from '../errors/authentication-error.js'
import type { BootDiagnostic } from '../errors/boot-error.js'
import type { Gauge } from '../metrics/gauges.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import type { RequestHeaders } from './mcp-context.js'
import type { Principal } from './principal.js'

/** The part of a request that authenticators see. The body is read after authentication. */
export interface AuthenticationRequest {
  readonly method: string
  /** Path and query, unmodified. */
  readonly url: string
  readonly headers: RequestHeaders
  /**
   * An object that identifies the connection: the same object for all requests of the connection. Left out if the connection is
   * unknown.
   */
  readonly connection?: object
  /**
   * Whether the granted scopes include a scope, either directly or by `authorization.impliedScopes`. If left out,
   * authenticators check only whether `granted` contains the scope itself.
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

/**
 * Authenticates callers. Transports with headers authenticate a request before they read its body, or allocate memory for the
 * body.
 */
export interface Authenticator {
  /**
   * Returns the caller; `null` if the request has no credentials for this authenticator. Return a promise only for asynchronous
   * work. For a token that was already verified, return the caller without a promise.
   *
   * @throws AuthenticationError for invalid credentials (401). Any other error is reported as an internal error.
   */
  authenticate(request: AuthenticationRequest): MaybePromise<Principal | null>
  /** Authentication scheme in challenges (`WWW-Authenticate`). Default: `Bearer`. */
  readonly scheme?: AuthenticationScheme
  /** Metadata document that names the authorization servers. Default: no document is served. */
  readonly metadata?: ResourceMetadata
  /**
   * Whether `authenticate` sends credentials to another server. `anyOf` then tries all other authenticators first, so that
   * this server gets no credentials of others. Default: false.
   */
  readonly sendsCredentials?: boolean
  /**
   * Accepts tokens for another URL of the server, such as the URL of HTTP+SSE, because clients request tokens for the URL that
   * they connect to. Called while the server is mounted. Default: only the configured audience is accepted.
   */
  readonly addResource?: (resource: string) => void
  /** Scopes that every call needs, sent in the first challenge. Default: none. */
  readonly requiredScopes?: readonly string[]
  /**
   * Problems of the options, which the host reports at boot. An authenticator with such problems must reject all requests.
   * Default: none.
   */
  readonly diagnostics?: readonly BootDiagnostic[]
  /** Usage of the authenticator's limits, for the server's metrics. Gauges with the same name are summed up. Default: none. */
  readonly gauges?: readonly Gauge[]
  /**
   * Adds routes to the host's application, outside of authentication and of any prefix, such as the pages of a login. Called while
   * the server is mounted. Default: no routes.
   *
   * @param application The outermost Fastify instance.
   */
  readonly mountRoutes?: (application: object) => void
}
