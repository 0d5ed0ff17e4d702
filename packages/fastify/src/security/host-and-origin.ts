import { ProtocolError } from '@toolwright/core'
import { shorten } from '@toolwright/core/transport'
import type { FastifyRequest } from 'fastify'
import { withoutQuery } from '../endpoint/without-query.js'
import type { MountOptions } from '../options.js'

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/**
 * Headers that Node keeps of one request, unless its server says otherwise. What comes after them nobody sees, and
 * something in front of it may have.
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
  // Clients repeat themselves: comparing with the last host takes a fraction of looking it up.
  let lastAllowed: string | undefined
  return {
    allowsHost: (host) => {
      if (host === lastAllowed) return true
      const isAllowed = hosts.has('*') || isNamed(host.toLowerCase())
      if (isAllowed) lastAllowed = host
      return isAllowed
    },
    // Not by way of a '*' for hosts: that would let every page in.
    allowsOrigin: (origin) => {
      const name = origin.toLowerCase()
      return origins.has('*') || origins.has(name) || isPageOf(name, isNamed)
    },
  }
}

/**
 * Refuses what a web page of somebody else's could send to a server on the user's machine. A browser always says where
 * a page is from, so a request without `Origin` is not from one. Spec: transports, "Security Warning".
 *
 * @throws ProtocolError (403, or 400 for two hosts, and where there may be two)
 */
export function checkHostAndOrigin(request: FastifyRequest, policy: OriginPolicy): void {
  const host = hostOf(request)
  const { headers, log } = request
  if (!policy.allowsHost(host)) {
    const shown = shorten(withoutQuery(host))
    log.warn({ host: shown }, 'request refused: its Host is not in allowedHosts')
    throw new ProtocolError('forbidden', `Forbidden: the host '${shown}' is not allowed`)
  }
  const { origin } = headers
  if (origin === undefined || policy.allowsOrigin(origin)) return
  const shown = shorten(withoutQuery(origin))
  log.warn({ origin: shown }, 'request refused: its Origin is not in allowedOrigins')
  throw new ProtocolError('forbidden', `Forbidden: the origin '${shown}' is not allowed`)
}

/** One request has one host: of two, something in front of it may have looked at the other. */
function hostOf(request: FastifyRequest): string {
  const { headers, raw, server } = request
  const { host } = headers
  // 0 is no bound at all.
  if (raw.rawHeaders.length >= 2 * (server.server.maxHeadersCount || maxHeaders)) {
    throw new ProtocolError('invalidRequest', 'Invalid Request: there are too many headers')
  }
  // Only HTTP/2 has `:authority`, and to look for what is not there takes long.
  const target = raw.httpVersionMajor === 2 ? headers[':authority'] : hostInTarget(raw.url)
  const isOther = host !== undefined && target !== undefined && host !== String(target)
  if (isOther || isRepeated('host', raw.rawHeaders)) {
    throw new ProtocolError('invalidRequest', 'Invalid Request: there is more than one host')
  }
  // By the proxies that the application trusts. From others Fastify ignores the header.
  return headers['x-forwarded-host'] === undefined ? (host ?? String(target ?? '')) : request.host
}

/** What is sent as to a proxy has a whole URL instead of a path (RFC 9112, section 3.2.2). */
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
 * Whether a header that has to be there once is there twice. Node keeps the first, and something in front of it may have
 * looked at the last.
 *
 * @param name In small letters.
 */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string
    if (header.length === name.length && header.toLowerCase() === name) count++
  }
  return count > 1
}
