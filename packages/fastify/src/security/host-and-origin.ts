import { ProtocolError } from '@toolwright/core'
import { shorten, tryLog } from '@toolwright/core/host'
import type { FastifyRequest } from 'fastify'
import { withoutQuery } from '../endpoint/without-query.js'
import type { MountOptions } from '../options.js'

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/**
 * Node's default for the maximum number of headers. Requests at the limit are rejected: Node drops further headers, but
 * a proxy may have read them.
 */
const maxHeaders = 1000

export interface OriginPolicy {
  allowsHost(host: string): boolean
  allowsOrigin(origin: string): boolean
}

export function createOriginPolicy({ allowedHosts = loopbackHosts, allowedOrigins = [] }: MountOptions): OriginPolicy {
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()))
  const isNamed = (host: string): boolean => hosts.has(host) || hosts.has(withoutPort(host))
  // Clients send the same host each time: comparing it with the previous host takes a fraction of the time of a lookup.
  let lastAllowed: string | undefined
  return {
    allowsHost: (host) => {
      if (host === lastAllowed) return true
      const isAllowed = hosts.has('*') || isNamed(host.toLowerCase())
      if (isAllowed) lastAllowed = host
      return isAllowed
    },
    // A '*' in `allowedHosts` is ignored here: it would allow every page.
    allowsOrigin: (origin) => {
      const name = origin.toLowerCase()
      return origins.has('*') || origins.has(name) || isPageOf(name, isNamed)
    },
  }
}

/**
 * Rejects requests that a foreign web page could send to a server on the user's machine. Browsers send `Origin` with
 * cross-origin POSTs, and with every cross-origin request that a page can read, so requests without it are accepted.
 * Spec: transports, "Security Warning".
 *
 * @throws ProtocolError (403; 400 for two hosts, and for so many headers that Node may have dropped a second host)
 */
export function checkHostAndOrigin(request: FastifyRequest, policy: OriginPolicy): void {
  const host = hostOf(request)
  const { headers, log } = request
  if (!policy.allowsHost(host)) {
    const shown = shorten(withoutQuery(host))
    tryLog(() => log.warn({ host: shown }, 'request rejected: Host is not in allowedHosts'))
    throw new ProtocolError('forbidden', `Forbidden: the host '${shown}' is not allowed`)
  }
  const { origin } = headers
  if (origin === undefined || policy.allowsOrigin(origin)) return
  const shown = shorten(withoutQuery(origin))
  tryLog(() => log.warn({ origin: shown }, 'request rejected: Origin is not in allowedOrigins'))
  throw new ProtocolError('forbidden', `Forbidden: the origin '${shown}' is not allowed`)
}

/** Returns the host of a request. Two hosts are rejected, because a proxy may have checked the other host. */
function hostOf(request: FastifyRequest): string {
  const { headers, raw, server } = request
  const { host } = headers
  // In Node, a limit of 0 means no limit. Here, 0 means the default.
  if (raw.rawHeaders.length >= 2 * (server.server.maxHeadersCount || maxHeaders)) {
    throw new ProtocolError('invalidRequest', 'Invalid Request: there are too many headers')
  }
  // Only HTTP/2 has `:authority`. HTTP/1 skips the lookup, because a lookup of an absent header is slow.
  const target = raw.httpVersionMajor === 2 ? headers[':authority'] : hostInTarget(raw.url)
  const isOther = host !== undefined && target !== undefined && host !== String(target)
  if (isOther || isRepeated('host', raw.rawHeaders)) {
    throw new ProtocolError('invalidRequest', 'Invalid Request: there is more than one host')
  }
  // For `request.host`, Fastify uses `X-Forwarded-Host` only if a trusted proxy has set it.
  return headers['x-forwarded-host'] === undefined ? (host ?? String(target ?? '')) : request.host
}

/** Returns the host of a target in absolute form, as sent to proxies (RFC 9112, section 3.2.2). */
function hostInTarget(url: string | undefined): string | undefined {
  return url === undefined || url.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]
}

function isPageOf(origin: string, isNamed: (host: string) => boolean): boolean {
  const match = /^https?:\/\/([^/?#@]+)$/.exec(origin)
  return match?.[1] !== undefined && isNamed(match[1])
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}

/**
 * Whether a header that must be unique is repeated. Node uses the first, but a proxy may have checked the last.
 *
 * @param name In lower case.
 */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string
    if (header.length === name.length && header.toLowerCase() === name) count++
  }
  return count > 1
}
