import { type CommandTarget, type ConnectOptions, connect, type McpClient } from '@toolwright/client'
import type { JsonObject, MaybePromise, Principal } from '@toolwright/core'
import type { ReadUpstreamOptions, UpstreamHeaders } from './options.js'

/** The caller for whom a connection is opened, and the functions that answer the upstream. */
export interface ClientUse extends Pick<ConnectOptions, 'era' | 'onElicit' | 'onSample' | 'roots' | 'signal'> {
  /** `null`: this server itself, or an anonymous caller. */
  readonly caller: Principal | null
  readonly capabilities: JsonObject
  readonly timeoutMs?: number
  readonly onError?: (error: Error) => void
}

export interface ConnectedUpstream {
  readonly options: ReadUpstreamOptions
  /** Time of the last HTTP response on any connection, as `performance.now()`. */
  answeredAt: number
}

export function openClient(upstream: ConnectedUpstream, use: ClientUse): Promise<McpClient> {
  const { options } = upstream
  const { url, command, auth, timeoutMs, maxResponseBytes } = options
  const { caller, capabilities, ...more } = use
  return connect(url ?? toCommand(command as string, options), {
    ...more,
    timeoutMs: use.timeoutMs ?? timeoutMs,
    maxResponseBytes,
    // The proxy itself reconnects with increasing delays, and starts a program again. One attempt over HTTP opens a new session
    // after a restart of the upstream.
    reconnect: url === undefined ? false : { attempts: 1 },
    tasks: false,
    ...(auth === undefined ? {} : { credentials: () => readHeaders(auth, caller) }),
    ...(url === undefined ? {} : { fetch: fetchFrom(upstream) }),
    official: { capabilities },
  })
}

async function readHeaders(
  auth: (caller: Principal | null) => MaybePromise<UpstreamHeaders>,
  caller: Principal | null,
): Promise<UpstreamHeaders> {
  return auth(caller)
}

function toCommand(command: string, { args, env, cwd }: ReadUpstreamOptions): CommandTarget {
  return {
    command,
    args,
    env: environmentOf(env) as Record<string, string>,
    ...(cwd === undefined ? {} : { cwd }),
  }
}

/**
 * Variables that the official client passes to every program. A variable without a value is not passed.
 */
const inherited = [
  'HOME',
  'LOGNAME',
  'SHELL',
  'TERM',
  'USER',
  'USERNAME',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'TEMP',
]

function environmentOf(env: ReadUpstreamOptions['env']): Record<string, string | undefined> {
  const named = Array.isArray(env) ? Object.fromEntries(env.map((name: string) => [name, process.env[name]])) : env
  return { ...Object.fromEntries(inherited.map((name) => [name, undefined])), ...(named as Record<string, string>) }
}

type Fetch = NonNullable<ConnectOptions['fetch']>

/**
 * Sends requests to an upstream. A busy upstream accepts connections late: if it answers other requests meanwhile, a request that
 * got no connection is sent again. Such a request has not reached the upstream.
 */
function fetchFrom(upstream: ConnectedUpstream): Fetch {
  return async (url, init) => {
    const began = performance.now()
    const response = await fetchWithinOrigin(url, init).catch((error: unknown) => {
      if (!isConnectTimeout(error) || upstream.answeredAt < began) throw error
      return fetchWithinOrigin(url, init)
    })
    upstream.answeredAt = performance.now()
    return response
  }
}

function isConnectTimeout(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  return cause?.code === 'UND_ERR_CONNECT_TIMEOUT'
}

const maxRedirects = 3

/** Follows redirects within the origin of the request. A redirect to another origin would receive credentials and arguments. */
const fetchWithinOrigin: Fetch = async (url, init) => {
  let target = new URL(url)
  for (let redirects = 0; ; redirects++) {
    // oxlint-disable-next-line no-await-in-loop -- one redirect after the other
    const response = await fetch(target, { ...init, redirect: 'manual' })
    const next = response.status === 307 || response.status === 308 ? response.headers.get('location') : null
    if (next === null || !URL.canParse(next, target) || redirects === maxRedirects) return response
    const { origin } = target
    const moved = new URL(next, target)
    if (moved.origin !== origin) return response
    // oxlint-disable-next-line no-await-in-loop
    await response.body?.cancel()
    target = moved
  }
}
