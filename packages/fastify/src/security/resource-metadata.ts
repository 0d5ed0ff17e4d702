import type { ResourceMetadata } from '@toolwright/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hidden } from '../mount/openapi.js'
import { metadataUrl, wellKnownPath } from './challenge.js'
import { answersBrowsers } from './cors.js'

/** The document is public, and clients in browsers need it before they can authenticate. */
const forAllPages = { 'access-control-allow-origin': '*' }

const wellKnown = { ...answersBrowsers, schema: hidden }

/**
 * Serves the document that names the token issuers (RFC 9728), without authentication and outside any prefix. The
 * document is at the resource's path, at the endpoint's path, and at the root, where some clients look.
 *
 * @param endpoint Path of the endpoint, with all prefixes.
 */
export function serveResourceMetadata(app: FastifyInstance, metadata: ResourceMetadata, endpoint: string): void {
  const root = rootOf(app)
  const document = JSON.stringify(metadata)
  const paths = [routeOf(new URL(metadataUrl(metadata))), `${wellKnownPath}${endpoint}`, wellKnownPath]
  for (const url of new Set(paths.flatMap((path) => spellingsOf(path, root)))) {
    // With several servers in one application, the metadata of the first server is at the root.
    if (root.hasRoute({ method: 'GET', url })) continue
    root.get(url, wellKnown, (_request, reply) =>
      reply
        .headers({
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'public, max-age=3600',
          ...forAllPages,
        })
        .send(document),
    )
    if (!root.hasRoute({ method: 'OPTIONS', url })) root.options(url, wellKnown, answerPreflight)
  }
}

/** Returns a path with and without a trailing slash, unless the router ignores the slash. */
function spellingsOf(path: string, { initialConfig }: FastifyInstance): readonly string[] {
  const { ignoreTrailingSlash, routerOptions } = initialConfig
  if (ignoreTrailingSlash === true || routerOptions?.ignoreTrailingSlash === true) return [path]
  return [path, path.endsWith('/') ? path.slice(0, -1) : `${path}/`]
}

/**
 * Converts a path to a route: decodes it, because the router decodes request paths, and escapes colons, because a colon
 * begins a parameter.
 */
function routeOf({ pathname }: URL): string {
  return decodeURI(pathname).replaceAll(':', '::')
}

/** Answers preflight requests, which browsers send because of the `MCP-Protocol-Version` header of clients. */
function answerPreflight(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const allowed = { 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*' }
  return reply
    .code(204)
    .headers({ ...forAllPages, ...allowed, 'content-length': '0' })
    .send()
}

/** Returns the outermost instance, because well-known paths begin at the root. A scope has its parent as its prototype. */
function rootOf(app: FastifyInstance): FastifyInstance {
  let root = app
  while (root.prefix !== '') root = Object.getPrototypeOf(root) as FastifyInstance
  return root
}
