import { supportedVersions } from '@toolwright/core/host'
import type { FastifyPluginAsync, FastifyReply, FastifySchema } from 'fastify'
import { appPage, appPolicy } from './app-page.js'
import { forwardEndpoint } from './forward.js'
import { type Check, listenOnLoopbackOnly, rejectRemoteRequests, safeHeaders } from './loopback.js'
import { type InspectorOptions, readInspectorOptions } from './options.js'
import { writePage } from './page.js'
import { describeServer } from './report.js'
import { requireToken } from './token.js'

/**
 * A page that shows a running server and calls its features, for development: `await app.register(inspector, { server:
 * app.mcp })`.
 *
 * The application must listen on loopback. Otherwise, `listen` rejects. The page also rejects requests from other
 * machines, with 403.
 *
 * @throws BootError that lists every mistake in its options.
 */
export const inspector: FastifyPluginAsync<InspectorOptions & { prefix?: string }> = async (app, options) => {
  const { server, path, endpoint: endpointPath, forward, token } = readInspectorOptions(options)
  const base = `${app.prefix}${path}`
  const endpoint = `${app.prefix}${endpointPath}`
  const modern = supportedVersions[0] as string
  const target = forward === undefined ? endpoint : withoutSecrets(forward.url)
  const page = writePage({ base, endpoint, target, modern, report: server !== undefined })
  const checks: readonly Check[] = [rejectRemoteRequests, ...(token === undefined ? [] : [requireToken(token)])]
  listenOnLoopbackOnly(app, base)
  if (forward !== undefined) forwardEndpoint(app, endpointPath, forward, checks)
  // The page does not poll, but requests for its files would still fill the log.
  const route = { logLevel: 'warn' as const, onRequest: rejectRemoteRequests, schema: hidden }
  app.get(path, route, (_request, reply) => send(reply, 'text/html', page.policy, page.html))
  app.get(`${path}/app`, route, (request, reply) =>
    send(reply, 'text/html', appPolicy(request.query as Readonly<Record<string, unknown>>), appPage),
  )
  app.get(`${path}/report`, { ...route, onRequest: [...checks] }, (_request, reply) => {
    if (server === undefined) return reply.code(404).headers(safeHeaders).send({ error: 'There is no report' })
    const current = typeof server === 'function' ? server() : server
    return send(reply, 'application/json', "default-src 'none'", JSON.stringify(describeServer(current)))
  })
}

/** Returns a URL without its query and its password: the page is served without a token. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** The cast is needed, because the types of `@fastify/swagger`, which reads this property, are not installed. */
const hidden = { hide: true } as FastifySchema

function send(reply: FastifyReply, type: string, policy: string, body: string): FastifyReply {
  return reply
    .headers({ ...safeHeaders, 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy })
    .send(body)
}
