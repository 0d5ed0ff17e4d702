import type { ResourceMetadata } from '@toolwright/core'
import type { FastifyRequest } from 'fastify'
import { withoutQuery } from '../endpoint/without-query.js'

/**
 * A host name, an IPv4 or an IPv6 address, with or without a port. These characters are safe, because they have no
 * special meaning in a shell or in markup.
 */
const plainHost = /^(?:[a-z\d._-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/**
 * Returns the URL that clients of an endpoint need, or `null` for a request with a host or path that no browser sends.
 *
 * Prefers the configured resource of the metadata. Otherwise, uses the request, and its `X-Forwarded-*` headers only behind
 * a trusted proxy.
 */
export function endpointUrl(request: FastifyRequest, metadata: ResourceMetadata | undefined): string | null {
  const { host, protocol, originalUrl } = request
  if (!plainHost.test(host) || !originalUrl.startsWith('/')) return null
  const path = encodePath(withoutQuery(originalUrl))
  if (metadata === undefined) return `${protocol}://${host}${path}`
  const resource = new URL(metadata.resource)
  // If the resource is a whole origin, the path of the endpoint is added.
  return resource.pathname === '/' ? `${resource.origin}${path}` : metadata.resource
}

/** Encodes characters that have a special meaning in a shell, and that browsers do not encode. */
function encodePath(path: string): string {
  return path.replace(/[^\w./:@~%-]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
