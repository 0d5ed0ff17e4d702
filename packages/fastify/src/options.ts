import type { Authenticator, McpServer, ServerOptions } from '@toolwright/core'
import type { RunningServer } from '@toolwright/core/transport'
import type { Closing } from './connections/closing.js'
import type { Challenges } from './security/challenge.js'

/** How an MCP server is mounted in a Fastify application. */
export interface MountOptions {
  /** Path of the endpoint, below the prefix that it is registered with. Default: `/mcp`. */
  readonly path?: string
  /**
   * Values that the `Host` header may have: names with a port (`mcp.example.com:8443`), or without one for any port.
   * `'*'` allows every host. Default: `localhost`, `127.0.0.1` and `[::1]`, which stops DNS rebinding.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * Origins of web pages that may call, such as `https://app.example.com`. `'*'` allows every origin. Pages served from
   * a host that `allowedHosts` names may always call, and so may clients that send no `Origin`. Default: none besides.
   */
  readonly allowedOrigins?: readonly string[]
  /** Finds out who calls, before anything else of a request is looked at. Default: nobody is asked. */
  readonly authentication?: Authenticator
  /**
   * Also serves requests without credentials. Their principal is `null`, so features that are not for everybody still
   * refuse them. Bad credentials are refused in any case. Default: true if anything served has `@AllowAnonymous()`.
   */
  readonly allowAnonymous?: boolean
  /** Sessions for 2025-11-25 and older. `false` serves each of their messages alone, on any node. Default: true. */
  readonly sessions?: boolean
  /**
   * Answers each request of a session with an event stream, also where JSON would do: a client that loses the
   * connection comes back for the answer. A stream costs more than JSON. Default: false.
   */
  readonly streamAnswers?: boolean
  /** Milliseconds after which clients come back when a session's stream has ended. Default: 1,000. */
  readonly retryMs?: number
  /**
   * Milliseconds between comments on a silent stream, which keep proxies from closing it. A call that is not answered by
   * then becomes such a stream. A client that takes none of three comments in a row is cut off. Default: 15,000.
   */
  readonly keepAliveMs?: number
  /**
   * Also serves HTTP+SSE of 2024-11-05, for clients that know no other transport: an event stream at `/sse`, and
   * messages to `/messages`, below the prefix. Default: false.
   */
  readonly legacySse?: boolean
  /** Milliseconds that calls in flight get to finish when the application closes. Default: 10,000. */
  readonly drainTimeoutMs?: number
  /** Is called when `drainTimeoutMs` was not enough, before what is left is cut. */
  readonly onDrainTimeout?: () => void
  /**
   * Answers the preflights of web pages that may call, with the headers of CORS: pages of `allowedOrigins`, and pages from
   * a host in `allowedHosts`. With `credentials`, browsers send cookies along.
   * Default: false.
   */
  readonly cors?: boolean | CorsOptions
  /**
   * Dangers that you accept: the server starts in spite of those named here. `open-bind`: anybody who reaches the address
   * may call. Default: none.
   */
  readonly waive?: readonly Waiver[]
  /**
   * Also serves JSON-RPC over WebSocket, at `path` below the prefix (`true`: `/ws`). Default: false.
   */
  readonly webSocket?: boolean | ExtraEndpoint
  /**
   * Also serves plain JSON-RPC, a request per POST, at `path` below the prefix (`true`: `/rpc`). Default: false.
   */
  readonly rpc?: boolean | ExtraEndpoint
}

/** An endpoint that is on, at a path of its own. */
export interface ExtraEndpoint {
  /** Begins with `/`. */
  readonly path: string
}

/** How web pages may call. */
export interface CorsOptions {
  /** Whether browsers send the cookies of their user along. Default: false. */
  readonly credentials?: boolean
  /** Seconds for which browsers remember that a page may call. Default: that of the browser, some seconds. */
  readonly maxAge?: number
}

/** A danger that can be intended; see {@link MountOptions.waive}. */
export type Waiver = 'open-bind'

/** Either what to serve, or a server that was created before. */
export type McpPluginOptions = MountOptions & ((ServerOptions & { readonly server?: undefined }) | ServerMount)

/** A server that exists already. Whoever made it closes it. */
export interface ServerMount {
  readonly server: McpServer
}

/** A server, how it is mounted, and what Fastify and `createHost` add. */
export interface MountedOptions extends MountOptions, ServerMount {
  readonly prefix?: string
  /** Whether the endpoint is also at its path with a slash behind it. Default: false, for that is another route. */
  readonly answersSlash?: boolean
}

/** What the handlers of one endpoint share. */
export interface EndpointOptions {
  readonly server: RunningServer
  readonly sessions: boolean
  readonly streamAnswers: boolean
  readonly retryMs: number
  readonly keepAliveMs: number
  readonly closing: Closing
  readonly challenges: Challenges
}

/** `null`: it is off. */
export function pathOf(option: boolean | ExtraEndpoint | undefined, path: string): string | null {
  if (option === undefined || option === false) return null
  return option === true ? path : option.path
}
