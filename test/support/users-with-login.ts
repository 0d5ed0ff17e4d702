import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { Authorize, createHost, jwtBearer, McpContext, McpTool } from 'toolwright'

class UserTools {
  @McpTool({ description: 'Says who calls' })
  who(context: McpContext): string {
    return `${context.principal?.subject} ${context.principal?.scopes.join(' ')}`
  }

  @McpTool({ description: 'Deletes a user' })
  @Authorize({ scopes: ['users:write'] })
  remove(): string {
    return 'gone'
  }
}

/** A server whose callers log in at the identity provider of the guide, a separate program. */
export class UsersWithLogin {
  private constructor(
    /** URL of the endpoint, which is the audience of the tokens. */
    readonly resource: URL,
    readonly issuer: string,
    private readonly listener: Server,
    private readonly host: FastifyInstance,
    private readonly provider: ChildProcess,
  ) {}

  static async start(scopesSupported: readonly string[]): Promise<UsersWithLogin> {
    const listener = createServer()
    await once(listener.listen(0, '127.0.0.1'), 'listening')
    const resource = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`)
    const program = join(__dirname, '..', 'docs', 'oidc-provider.mjs')
    const provider = spawn(process.execPath, [program, resource.href], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [line] = (await once(provider.stdout, 'data')) as [Buffer]
    const issuer = line.toString().trim()
    const authentication = jwtBearer({ issuer, audience: resource.href, scopesSupported })
    const host = await createHost({ name: 'users', version: '1.0.0', controllers: [UserTools], authentication })
    host.log.level = 'silent'
    await host.ready()
    listener.on('request', (request, response) => host.routing(request, response))
    return new UsersWithLogin(resource, issuer, listener, host, provider)
  }

  async close(): Promise<void> {
    this.provider.kill()
    this.listener.closeAllConnections()
    this.listener.close()
    await this.host.close()
  }
}

/** Acts as the user's browser. @returns The redirect to the client. */
export async function logIn(authorization: URL): Promise<URL> {
  const redirectUrl = authorization.searchParams.get('redirect_uri') ?? ''
  const cookies = new Map<string, string>()
  let url = authorization
  let init: RequestInit = {}
  /* oxlint-disable no-await-in-loop -- one page after the other */
  while (!url.href.startsWith(redirectUrl)) {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const page = await response.text()
    init = location === null ? { method: 'POST', body: filledIn(page) } : {}
    url = new URL(location ?? formOf(page), url)
  }
  /* oxlint-enable no-await-in-loop */
  return url
}

function formOf(page: string): string {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
  if (action === undefined) throw new Error(`a page without a form: ${page}`)
  return action
}

function filledIn(page: string): URLSearchParams {
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? ''
  return new URLSearchParams({ prompt, login: 'ann', password: 'secret' })
}
