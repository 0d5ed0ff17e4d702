import type { ResourceMetadata } from '@toolwright/core'
import { Diagnostics } from '@toolwright/core/options'
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

/**
 * Returns the metadata of another path of the endpoint, such as `/sse`: clients reject the metadata of a URL that they have
 * not called. An origin as resource is valid for all paths.
 *
 * @param path Path of the endpoint, below the prefix, as in the resource.
 */
export function metadataAt(metadata: ResourceMetadata, path: string, other: string): ResourceMetadata {
  const { origin, pathname } = new URL(metadata.resource)
  if (pathname === '/' || !pathname.endsWith(path)) return metadata
  return { ...metadata, resource: `${origin}${pathname.slice(0, -path.length)}${other}` }
}

interface MountedResource {
  readonly endpoint: string
  readonly metadata: ResourceMetadata | undefined
}

const mountedResources = new WeakMap<object, MountedResource[]>()

/**
 * Reports metadata that names another endpoint of the application: clients refuse to log in.
 *
 * @throws BootError
 */
export function checkResources(app: FastifyInstance, added: MountedResource): void {
  const all = [...(mountedResources.get(app.server) ?? []), added]
  mountedResources.set(app.server, all)
  const diagnostics = new Diagnostics()
  for (const { endpoint, metadata } of all) {
    if (metadata === undefined || isAt(metadata, endpoint)) continue
    const other = all.find((one) => isAt(metadata, one.endpoint))
    if (other === undefined) continue
    diagnostics.add(
      'bad-option',
      `The authentication of '${endpoint}' has the resource '${metadata.resource}', but '${other.endpoint}' is another ` +
        'endpoint, so clients would refuse to log in. Create a separate authenticator for each endpoint, or give the origin ' +
        'as audience.',
    )
  }
  diagnostics.throwIfAny()
}

function isAt({ resource }: ResourceMetadata, endpoint: string): boolean {
  return new URL(resource).pathname.endsWith(endpoint)
}

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
export function rootOf(app: FastifyInstance): FastifyInstance {
  let root = app
  while (root.prefix !== '') root = Object.getPrototypeOf(root) as FastifyInstance
  return root
}
