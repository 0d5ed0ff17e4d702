import type { Authenticator } from '@toolwright/core'
import {
  addReportedDiagnostics,
  checkNames,
  count,
  custom,
  type Diagnostics,
  describeValue,
  flag,
  func,
  longestTimer,
  milliseconds,
  nearestName,
  nested,
  type OptionsOf,
} from '@toolwright/core/options'
import { checkLastPart, isPath } from './check-paths.js'

const corsOptions = {
  /** Whether browsers send the user's cookies. Default: false. */
  credentials: flag({ default: false }),
  /**
   * Seconds for which browsers cache the response to a preflight. Default: the default of the browser, some seconds.
   */
  maxAge: count({ min: 0, max: Number.MAX_SAFE_INTEGER }),
}

/** Options of CORS, for web pages that call the server. */
export interface CorsOptions extends OptionsOf<typeof corsOptions> {}

export interface ExtraEndpoint {
  /** Begins with `/`. */
  readonly path: string
}

/** An endpoint for plain JSON-RPC whose answers have a media type other than `application/json`. */
export interface RpcEndpoint extends ExtraEndpoint {
  /** Media type of the answers, such as `text/event-stream; charset=utf-8`. */
  readonly contentType: string
  /**
   * Encodes an answer. `json` is a JSON-RPC response, an array of responses for a batch, an error without an id for
   * malformed JSON, or `null` for a notification. Errors of the HTTP request, such as 401, are not encoded.
   */
  readonly encode: (json: string | null) => string
}

/** Name of a risk that an application can accept; see {@link MountOptions.waive}. */
export type Waiver = 'open-bind'

const waivers: readonly Waiver[] = ['open-bind']

export const mountOptions = {
  /**
   * Path of the endpoint, below the prefix of the plugin. Default: `/mcp`.
   * @see docs/reference/hosts.md#trailing-slashes
   */
  path: custom<string, string>('`string`', checkPath, { default: '/mcp' }),
  /**
   * Accepted values of the `Host` header: names with a port (`mcp.example.com:8443`), or without a port for any port.
   * `'*'` accepts every host, but does not permit listening on a public address. Default: `localhost`, `127.0.0.1` and
   * `[::1]`.
   * @see docs/reference/hosts.md#createhost
   */
  allowedHosts: namesOf({
    form: /^(?:\[[\da-f:.]+\]|[^\s/*?#@:[\]]+)(?::\d+)?$/i,
    example: 'mcp.example.com',
    fix: "is never sent as a Host header. Give names, with or without a port, such as 'mcp.example.com'; '*' accepts all",
  }),
  /**
   * Origins of allowed web pages, such as `https://app.example.com`. Pages on `allowedHosts` can always call the server.
   * `'*'` accepts every origin. Default: none.
   */
  allowedOrigins: namesOf({
    form: /^(?:[a-z][a-z\d+.-]*:\/\/[^\s/*?#@]*|null)$/i,
    example: 'https://app.example.com',
    fix: "is never sent as an Origin header. Give origins without a path, such as 'https://app.example.com'; '*' accepts all",
  }),
  /** Identifies the caller, before the body of a request is read. Default: no authentication. */
  authentication: custom<Authenticator>('[`Authenticator`](authentication.md)', checkAuthentication),
  /**
   * Time until clients reconnect after the end of a session's stream. Default: 1,000.
   * @see docs/reference/event-streams.md
   */
  retryMs: milliseconds({ default: 1000, min: 0, max: Number.MAX_SAFE_INTEGER }),
  /**
   * Time between comments on a silent stream. The response of a call that takes longer is an event stream. A client
   * that reads nothing for three times as long is disconnected. Default: 15,000.
   * @see docs/how-to/deploy-behind-a-proxy.md#calls-that-take-minutes
   */
  keepAliveMs: milliseconds({ default: 15_000, max: longestTimer }),
  /**
   * Timeout of calls in flight when the application closes. In your own application, at most Fastify's `pluginTimeout`
   * (10 s) minus 500 ms. Default: 10,000.
   */
  drainTimeoutMs: milliseconds({ default: 10_000, min: 0 }),
  /**
   * Whether the endpoint itself answers preflights from `allowedOrigins` and `allowedHosts`, without `@fastify/cors`.
   * `credentials` allows cookies. `maxAge` is in seconds. Default: false.
   */
  cors: custom<boolean | CorsOptions, boolean>('`true` or `CorsOptions`', checkCors, { default: false }),
  /** Accepted risks. `open-bind`: any client that reaches the address can call features. Default: none. */
  waive: custom<readonly Waiver[]>("`['open-bind']`", checkWaivers),
  /**
   * Also serves JSON-RPC over WebSocket, at `/ws` or `path` below the prefix. Default: false.
   * @see docs/how-to/serve-over-websocket.md
   */
  webSocket: custom<boolean | ExtraEndpoint, boolean>('`true` or `{ path }`', checkEndpoint, { default: false }),
  /**
   * Also serves plain JSON-RPC, one request per `POST`, at `/rpc` or `path` below the prefix. Default: false.
   * @see docs/how-to/serve-over-websocket.md#plain-json-rpc
   */
  rpc: custom<boolean | ExtraEndpoint, boolean>('`true` or `{ path }`', checkEndpoint, { default: false }),
  /**
   * Serves plain JSON-RPC at further paths, with answers of another media type. Default: none.
   * @see docs/how-to/write-a-transport.md#another-media-type
   */
  rpcEndpoints: custom<readonly RpcEndpoint[], readonly RpcEndpoint[]>('`RpcEndpoint[]`', checkRpcEndpoints, {
    default: [],
  }),
  /**
   * Also serves requests without credentials, with the principal `null`. Default: `true` if any served feature has
   * `@AllowAnonymous()`.
   */
  allowAnonymous: flag(),
  /**
   * Serves browsers a page that describes the server, its anonymous tools and the configuration of clients. Default:
   * true.
   * @see docs/how-to/connect-clients.md#landing-page
   */
  landingPage: flag({ default: true }),
  /**
   * Sessions for revisions up to 2025-11-25. `false` serves each message independently, on any node. Has no effect for a server of
   * `createServer` of `@toolwright/core`, which has no sessions. Default: true.
   */
  sessions: flag({ default: true }),
  /**
   * Responds to each request of a session with an event stream, which a disconnected client can resume. Default: false.
   * @see docs/how-to/report-progress.md#resume-after-a-broken-connection
   */
  streamAnswers: flag({ default: false }),
  /**
   * Also serves HTTP+SSE of 2024-11-05, at `/sse` and `/messages` below the prefix. Default: false.
   * @see docs/reference/event-streams.md#httpsse-of-2024-11-05
   */
  legacySse: flag({ default: false }),
  /** Called when `drainTimeoutMs` has passed, before connections are closed. */
  onDrainTimeout: func<() => void>('`() => void`'),
}

function checkPath(path: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (isPath(path)) return checkLastPart(option, path, diagnostics)
  diagnostics.addBadOption(option, path, "Give a path that begins with / and has no query, such as '/mcp'.")
  return false
}

interface Names {
  readonly form: RegExp
  readonly example: string
  readonly fix: string
}

function namesOf({ form, example, fix }: Names) {
  return custom<readonly string[]>('`string[]`', (given, option, diagnostics) => {
    if (!Array.isArray(given)) {
      diagnostics.addBadOption(option, given, `Give an array of strings, such as ['${example}'].`)
      return false
    }
    const isName = (item: unknown): boolean => typeof item === 'string' && (item === '*' || form.test(item))
    const wrong = (given as unknown[]).filter((item) => !isName(item))
    for (const name of wrong) diagnostics.add('bad-option', `${option} has ${describeValue(name)}, which ${fix}.`)
    return wrong.length === 0
  })
}

export function checkAuthentication(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  const authenticator = given as Partial<Authenticator> | null
  addReportedDiagnostics(option, authenticator?.diagnostics, diagnostics)
  if (typeof authenticator?.authenticate === 'function') return true
  diagnostics.add(
    'bad-option',
    `${option} is ${describeValue(given)}, which has no method authenticate. Give the result of jwtBearer({ … }), ` +
      'introspection({ … }), apiKeys({ … }) or authenticateWith(…).',
  )
  return false
}

function checkCors(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (typeof given === 'boolean') return true
  const before = diagnostics.count
  nested(corsOptions).read(given, option, diagnostics)
  return diagnostics.count === before
}

/** Reports misspelt waivers at boot. Otherwise, the mistake would show only when the server listens. */
function checkWaivers(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!Array.isArray(given)) {
    diagnostics.addBadOption(option, given, `Give an array of names, such as ['${waivers[0]}'].`)
    return false
  }
  const wrong = (given as unknown[]).filter((name) => !waivers.includes(name as Waiver))
  for (const name of wrong) {
    const nearest = typeof name === 'string' ? nearestName(name, waivers) : undefined
    const advice = nearest === undefined ? '' : ` Did you mean '${nearest}'?`
    const all = waivers.map((one) => `'${one}'`).join(', ')
    diagnostics.add(
      'bad-option',
      `${option} has ${describeValue(name)}, which is not a waiver.${advice} Give one of: ${all}.`,
    )
  }
  return wrong.length === 0
}

function checkEndpoint(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (typeof given === 'boolean') return true
  const endpoint = given as Partial<ExtraEndpoint> | null
  if (!isPath(endpoint?.path)) {
    diagnostics.addBadOption(option, given, `Give true, or { path: '/${option.toLowerCase()}' }.`)
    return false
  }
  checkNames(endpoint, ['path'], diagnostics, { prefix: `${option}.` })
  return checkLastPart(`${option}.path`, endpoint.path, diagnostics)
}

function checkRpcEndpoints(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  const fix = 'Give an array of { path, contentType, encode }.'
  if (!Array.isArray(given)) {
    diagnostics.addBadOption(option, given, fix)
    return false
  }
  const isEndpoint = (one: unknown): boolean => {
    const { path, contentType, encode } = (one ?? {}) as Partial<RpcEndpoint>
    return isPath(path) && typeof contentType === 'string' && typeof encode === 'function'
  }
  const wrong = given.findIndex((one) => !isEndpoint(one))
  if (wrong !== -1) diagnostics.addBadOption(`${option}[${wrong}]`, given[wrong], fix)
  return wrong === -1
}
