import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** A server that requires a login, and names its metadata and its issuers as the test wants. */
export class OAuthServer {
  /** Received requests: `GET /path`, with the value of `x-api-key` if the request has this header. */
  readonly requests: string[] = []
  /** URL in `resource_metadata`. */
  metadata = ''
  issuers: readonly string[] = []
  /** Paths that redirect, and their targets. */
  readonly redirects = new Map<string, string>()

  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {
    server.on('request', ({ method = '', url = '', headers }, response) => {
      const { 'x-api-key': key } = headers
      this.requests.push([method, url, ...(key === undefined ? [] : [String(key)])].join(' '))
      const target = this.redirects.get(url)
      if (target !== undefined) return response.writeHead(307, { location: target }).end()
      if (url === '/mcp') {
        const challenge = `Bearer resource_metadata="${this.metadata}"`
        return response.writeHead(401, { 'www-authenticate': challenge }).end()
      }
      const document = this.#documentOf(url)
      if (document === null) return response.writeHead(404).end()
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    })
  }

  static async start(): Promise<OAuthServer> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const started = new OAuthServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    started.metadata = `${started.origin}/.well-known/oauth-protected-resource/mcp`
    started.issuers = [started.origin]
    return started
  }

  get url(): string {
    return `${this.origin}/mcp`
  }

  #documentOf(path: string): object | null {
    const { origin } = this
    if (path === '/.well-known/oauth-protected-resource/mcp') {
      return { resource: this.url, authorization_servers: this.issuers }
    }
    if (path !== '/.well-known/oauth-authorization-server') return null
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    }
  }

  close(): void {
    this.server.closeAllConnections()
    this.server.close()
  }
}

/** Writes a stored login. @returns The path of its file. */
export function storeLogin(configFolder: string, url: string, login: object): string {
  const folder = join(configFolder, 'toolwright', 'logins')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.json`)
  writeFileSync(path, JSON.stringify({ ...login, url }))
  return path
}
