import type { Authenticator, RequestHeaders } from '@toolwright/core'
import type { RunningServer } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { findDevMounts } from '../dev-host.js'
import { addVary } from '../security/cors.js'
import { credentialsHeader } from '../security/credentials-header.js'
import { asksForPage } from './asks-for-page.js'
import { endpointUrl } from './endpoint-url.js'

interface PageOptions {
  readonly server: RunningServer
  readonly authentication: Authenticator | undefined
  readonly allowsAnonymous: () => boolean
}

/**
 * Answers a browser that opens the endpoint: sends it the landing page. The hook runs before authentication, because
 * the page shows only data that anonymous callers can see. All other requests pass.
 */
export function answerBrowsers(scope: FastifyInstance, options: PageOptions): void {
  // Returns a promise only for the page: other requests do not wait for a turn of the event loop.
  scope.addHook('onRequest', ((request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
    const url = asksForPage(request) ? endpointUrl(request, options.authentication?.metadata) : null
    if (url !== null) return sendPage(reply, url, request.headers, options)
    done()
    return undefined
  }) as (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void)
}

async function sendPage(
  reply: FastifyReply,
  url: string,
  headers: RequestHeaders,
  { server, authentication, allowsAnonymous }: PageOptions,
): Promise<FastifyReply> {
  // The module is loaded on demand: most servers never show the page.
  const { pagePolicy, renderPage } = await import('./render-page.js')
  const { name, title, version, description } = server.identity
  const isClosed = authentication !== undefined && !allowsAnonymous()
  const page = renderPage({
    name,
    title: isClosed ? undefined : title,
    version,
    description: isClosed ? undefined : description,
    url,
    signIn: authentication === undefined ? null : describeSignIn(authentication, isClosed),
    header: authentication === undefined ? null : credentialsHeader(authentication),
    inspector: findDevMounts()?.inspectorPath ?? null,
    tools: isClosed ? [] : server.catalog.tools.visibleTo({ principal: null, transport: 'http', headers, meta: {} }),
  })
  addVary(reply, 'Accept')
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': pagePolicy,
      // Prevents caching, because the host and the catalog can change the page at any time.
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    })
    .send(page)
}

function describeSignIn(authentication: Authenticator, isRequired: boolean): string {
  const header = credentialsHeader(authentication)
  if (header === null) {
    const need = isRequired
      ? 'You need to sign in to use this server.'
      : 'More tools may be available after you sign in.'
    return `${need} Your client opens a browser window for it.`
  }
  const need = isRequired ? 'This server needs credentials' : 'More tools may be available with credentials'
  return `${need} in the header ${header.name}: replace ${header.value.replace('Bearer ', '')} below with yours.`
}
