import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A response: a status, and a page, or an object that is sent as JSON. */
export interface Reply {
  readonly status?: number
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | object
}

/** The parts of a login. Each test replaces one of them. */
export interface Parts {
  readonly challenge: (origin: string) => string | null
  /** @param path `/mcp` or `''`. */
  readonly resource: (origin: string, path: string) => Reply
  /** @param place Path after `/.well-known/oauth-authorization-server`, or the whole path. */
  readonly server: (origin: string, place: string) => Reply
  readonly register: (body: { readonly redirect_uris: readonly string[] }) => Reply
  readonly authorize: (parameters: URLSearchParams, registered: readonly string[]) => Reply
  readonly token: () => Reply
  readonly hasCors: boolean
}

export const notFound: Reply = { status: 404, body: 'Not Found' }

export function metadataOf(origin: string): Readonly<Record<string, unknown>> {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    scopes_supported: ['read', 'offline_access'],
    response_types_supported: ['code'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}

const goodParts: Parts = {
  challenge: (origin) => `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
  resource: (origin) => ({
    body: { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['read'] },
  }),
  server: (origin, place) => (place === '' ? { body: metadataOf(origin) } : notFound),
  register: ({ redirect_uris }) => ({
    status: 201,
    body: { client_id: `client ${redirect_uris.join(' ')}`, redirect_uris, token_endpoint_auth_method: 'none' },
  }),
  authorize: () => ({ status: 302, headers: { location: '/login' } }),
  token: () => ({ status: 401, body: { error: 'invalid_client' } }),
  hasCors: true,
}

/** A server with a login, which is good except for one part. */
export class FaultyLogin {
  /** Paths of the requests, in order. */
  readonly requests: string[] = []

  private constructor(
    private readonly server: Server,
    private readonly parts: Parts,
    readonly origin: string,
  ) {}

  static async start(parts: Partial<Parts>): Promise<FaultyLogin> {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const login = new FaultyLogin(server, { ...goodParts, ...parts }, origin)
    server.on('request', (request, response) => void login.#answer(request, response))
    return login
  }

  close(): Promise<void> {
    this.server.closeAllConnections()
    return new Promise((resolve) => this.server.close(() => resolve()))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push(`${request.method} ${request.url}`)
    const { status = 200, headers = {}, body = '' } = await this.#reply(request)
    const cors = this.parts.hasCors ? { 'access-control-allow-origin': '*' } : {}
    const isJson = typeof body !== 'string'
    response.writeHead(status, { 'content-type': isJson ? 'application/json' : 'text/html', ...cors, ...headers })
    response.end(isJson ? JSON.stringify(body) : body)
  }

  async #reply(request: IncomingMessage): Promise<Reply> {
    const { origin, parts } = this
    const { pathname, searchParams } = new URL(request.url ?? '', origin)
    const body = await text(request)
    if (request.method === 'OPTIONS') return parts.hasCors ? { status: 204 } : notFound
    if (pathname === '/mcp') {
      const challenge = parts.challenge(origin)
      return { status: 401, headers: challenge === null ? {} : { 'www-authenticate': challenge } }
    }
    const resource = '/.well-known/oauth-protected-resource'
    if (pathname.startsWith(resource)) return parts.resource(origin, pathname.slice(resource.length))
    const server = '/.well-known/oauth-authorization-server'
    if (pathname.startsWith(server)) return parts.server(origin, pathname.slice(server.length))
    if (pathname.includes('openid-configuration')) return parts.server(origin, pathname)
    if (pathname === '/register') return parts.register(JSON.parse(body) as { redirect_uris: string[] })
    const registered = (searchParams.get('client_id') ?? '').split(' ').slice(1)
    if (pathname === '/authorize') return parts.authorize(searchParams, registered)
    return pathname === '/token' ? parts.token() : notFound
  }
}
