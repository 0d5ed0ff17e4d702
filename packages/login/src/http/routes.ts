import type { ServerResponse } from 'node:http'
import type { RateLimiter } from '@toolwright/core'
import { Diagnostics } from '@toolwright/core/options'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import type { LoginSettings } from '../check-options.js'
import { noteSession } from '../engine/create-engine.js'
import { normalizeAuthorize, normalizeToken, type Resources } from '../engine/normalize-request.js'
import type { ReadRefreshToken, RefreshTokenFormat } from '../engine/refresh-token-format.js'
import { InvalidRegistration, type RegisteredClients } from '../engine/registered-clients.js'
import { type LoginFlow, sendPage } from '../flow/login-flow.js'
import type { Pages } from '../page/pages.js'
import { authorizationServerMetadata } from './authorization-server-metadata.js'
import { engineRequest } from './engine-request.js'
import { BadBody, readForm, readJsonObject } from './read-form.js'

interface RouteParts {
  readonly settings: LoginSettings
  readonly engine: Provider
  readonly flow: LoginFlow
  readonly clients: RegisteredClients
  readonly tokenFormat: RefreshTokenFormat
  readonly resources: Resources
  readonly pages: Pages
  readonly limiter: RateLimiter
}

/** Handles a request without Fastify's parsers, hooks and serializers. */
type RawHandler = (
  request: FastifyRequest<{ Params: { uid: string } }>,
  response: ServerResponse,
) => Promise<void> | void

const forAllPages = { 'access-control-allow-origin': '*' }

export function mountLoginRoutes(app: FastifyInstance, parts: RouteParts): void {
  const { settings, engine, flow, clients, resources, pages, limiter, tokenFormat } = parts
  requireFreePaths(app)
  const answer = engine.callback()
  const metadata = JSON.stringify(authorizationServerMetadata(settings, resources.scopes))

  const document: RawHandler = (_request, response) => {
    response.writeHead(200, {
      ...forAllPages,
      'content-type': 'application/json; charset=utf-8',
      // Clients and networks keep old documents for weeks if they may.
      'cache-control': 'public, max-age=300',
    })
    response.end(metadata)
  }

  const authorize = async (
    request: FastifyRequest,
    response: ServerResponse,
    given: URLSearchParams,
  ): Promise<void> => {
    const url = `/authorize?${normalizeAuthorize(given, resources).toString()}`
    // The parameters are stored until the user has logged in.
    if (url.length > maxAuthorizeLength) {
      return sendPage(
        response,
        400,
        pages.error('rejected', `its parameters are longer than ${maxAuthorizeLength} characters`),
      )
    }
    await answer(engineRequest(request, settings.issuer, { method: 'GET', url }), response)
  }

  const authorizeGet: RawHandler = (request, response) => authorize(request, response, queryOf(request))
  const authorizePost: RawHandler = async (request, response) =>
    authorize(request, response, await readForm(request.raw))

  const resume: RawHandler = (request, response) =>
    answer(engineRequest(request, settings.issuer, { method: 'GET', url: request.raw.url ?? '/' }), response)

  const token =
    (url: string): RawHandler =>
    async (request, response) => {
      allowAllPages(response)
      const form = normalizeToken(await readForm(request.raw), request.headers.authorization, resources)
      const presented = readRefreshToken(form)
      const copy = engineRequest(request, settings.issuer, { method: 'POST', url, body: form.toString() })
      if (presented !== null) noteSession(copy, presented.grantId)
      await answer(copy, response)
    }

  /** Replaces a refresh token of a form by that of the engine. */
  const readRefreshToken = (form: URLSearchParams): ReadRefreshToken | null => {
    const name = form.has('refresh_token') ? 'refresh_token' : 'token'
    const read = tokenFormat.read(form.get(name) ?? '')
    if (read !== null) form.set(name, read.token)
    return read
  }

  const register: RawHandler = async (request, response) => {
    allowAllPages(response)
    try {
      sendJson(response, 201, clients.register(await readJsonObject(request.raw)))
    } catch (error) {
      if (!(error instanceof InvalidRegistration)) throw error
      sendJson(response, 400, { error: error.error, error_description: error.message })
    }
  }

  const add = (method: 'GET' | 'POST', url: string, handler: RawHandler, kind: 'json' | 'page'): void => {
    const onRequest = (request: FastifyRequest, reply: FastifyReply): void => {
      reply.hijack()
      const limitAndRun = async (): Promise<void> => {
        const waitMs = await limiter.take(request.ip, addressLimit)
        return waitMs === 0 ? run(handler, request, reply) : refuse(reply, kind, waitMs)
      }
      void limitAndRun().catch((error: unknown) => fail(error, request, reply, kind))
    }
    app.route({ method, url, exposeHeadRoute: false, ...outside, onRequest, handler: nothing })
  }

  const fail = (error: unknown, request: FastifyRequest, { raw }: FastifyReply, kind: 'json' | 'page'): void => {
    const isBad = error instanceof BadBody
    if (!isBad) request.log.error({ reason: reasonOf(error) }, 'login: a request failed')
    if (raw.headersSent) return void raw.destroy()
    if (!isBad) raw.setHeader('retry-after', '5')
    if (kind === 'page') return sendPage(raw, isBad ? 400 : 503, pages.error(isBad ? 'expired' : 'unavailable'))
    const body = isBad
      ? { error: 'invalid_request', error_description: error.message }
      : { error: 'temporarily_unavailable', error_description: 'the login is not available, try again' }
    return sendJson(raw, isBad ? 400 : 503, body)
  }

  const refuse = ({ raw }: FastifyReply, kind: 'json' | 'page', waitMs: number): void => {
    raw.setHeader('retry-after', String(Math.ceil(waitMs / 1000)))
    if (kind === 'page') return sendPage(raw, 429, pages.error('unavailable'))
    allowAllPages(raw)
    return sendJson(raw, 429, { error: 'temporarily_unavailable', error_description: 'too many requests' })
  }

  const addPreflight = (url: string, method: string): void => {
    app.route({
      method: 'OPTIONS',
      url,
      ...outside,
      handler: (_request, reply) =>
        reply
          .code(204)
          .headers({
            ...forAllPages,
            'access-control-allow-methods': method,
            'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
            'access-control-max-age': '3600',
          })
          .send(),
    })
  }

  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    // Some clients append the path of the server.
    for (const url of new Set([`/.well-known/${name}`, `/.well-known/${name}${settings.url.pathname}`])) {
      const path = url.endsWith('/') ? url.slice(0, -1) : url
      if (app.hasRoute({ method: 'GET', url: path })) continue
      add('GET', path, document, 'json')
      addPreflight(path, 'GET')
    }
  }
  add('GET', '/authorize', authorizeGet, 'page')
  add('POST', '/authorize', authorizePost, 'page')
  add('GET', '/authorize/:uid', resume, 'page')
  add('POST', '/token', token('/token'), 'json')
  addPreflight('/token', 'POST')
  add('POST', '/revoke', token('/revoke'), 'json')
  addPreflight('/revoke', 'POST')
  if (settings.registration === 'dynamic') {
    add('POST', '/register', register, 'json')
    addPreflight('/register', 'POST')
  }
  add('GET', '/login/:uid', (request, response) => flow.showConsent(request, response, request.params.uid), 'page')
  add('POST', '/login/:uid', (request, response) => flow.decide(request, response, request.params.uid), 'page')
  add('GET', '/login/:uid/finish', (request, response) => flow.finish(request, response, request.params.uid), 'page')
  add('POST', '/login/:uid/finish', (request, response) => flow.decide(request, response, request.params.uid), 'page')
  add('GET', callbackPath, (request, response) => flow.receive(request, response), 'page')
}

/** @throws BootError if the application has another login, whose paths are the same. */
function requireFreePaths(app: FastifyInstance): void {
  const diagnostics = new Diagnostics()
  if (app.hasRoute({ method: 'GET', url: '/authorize' })) {
    diagnostics.add(
      'bad-option',
      'login: the application already has a route /authorize. One application can have one login. ' +
        'Serve the other endpoint from a separate application.',
    )
  }
  diagnostics.throwIfAny()
}

const maxAuthorizeLength = 8192

/** High, because the users of a hosted client share its addresses: the limit stops floods. */
const addressLimit = { calls: 1200, windowMs: 60_000 } as const

/** Path that the provider redirects to. It is registered at the provider. */
export const callbackPath = '/oauth/callback'

/** Options of routes that handle CORS themselves, and that OpenAPI plugins leave out. */
const outside = { config: { cors: false }, schema: { hide: true } as object } as const

/** Never called: the hook before it answers. */
function nothing(): void {}

async function run(handler: RawHandler, request: FastifyRequest, { raw }: FastifyReply): Promise<void> {
  await handler(request as FastifyRequest<{ Params: { uid: string } }>, raw)
}

function queryOf({ raw }: FastifyRequest): URLSearchParams {
  return new URL(raw.url ?? '/', 'http://localhost').searchParams
}

function allowAllPages(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-expose-headers', 'WWW-Authenticate, Retry-After')
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
