import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { type LoginOptions, login, upstreamToken } from '@toolwright/login'
import type { FastifyInstance } from 'fastify'
import { type Authenticator, Authorize, createHost, type HostOptions, McpContext, McpTool } from 'toolwright'
import { Company } from './company.js'

class UserTools {
  @McpTool({ description: 'Says who calls' })
  who(context: McpContext): object {
    return { ...context.principal }
  }

  @McpTool({ description: 'Returns the token of the provider' })
  async token(context: McpContext): Promise<string> {
    return upstreamToken(context)
  }

  @McpTool({ description: 'Deletes a user' })
  @Authorize({ scopes: ['users:write'] })
  remove(): string {
    return 'gone'
  }
}

export const secret = 'a secret of the tests that is long enough'

type Given = Partial<LoginOptions> & {
  readonly authentication?: (options: LoginOptions) => Authenticator
  readonly port?: number
  /** Further options of the host. */
  readonly host?: Partial<HostOptions>
}

/** A server with a login, and its provider. */
export class ProtectedServer {
  private constructor(
    /** URL of the endpoint. */
    readonly url: URL,
    readonly company: Company,
    readonly logged: Record<string, unknown>[],
    readonly host: FastifyInstance,
    private readonly listener: Server,
    private readonly ownsCompany: boolean,
  ) {}

  static async start(
    given: Given | ((company: Company, url: URL) => Given) = {},
    shared?: ProtectedServer,
  ): Promise<ProtectedServer> {
    const listener = createServer()
    const port = typeof given === 'object' ? (given.port ?? 0) : 0
    await once(listener.listen(port, '127.0.0.1'), 'listening')
    const own = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`)
    // Nodes of one server have the same public URL.
    const url = shared?.url ?? own
    const { origin } = new URL((typeof given === 'object' ? given.url : undefined) ?? url)
    const company = shared?.company ?? (await Company.start(`${origin}/oauth/callback`))
    const {
      authentication = login,
      port: _port,
      host: more = {},
      ...options
    } = typeof given === 'function' ? given(company, url) : given
    const all: LoginOptions = {
      url: url.href,
      secret,
      provider: company.preset(),
      scopes: ['users:read', 'users:write'],
      ...options,
    }
    const logged: Record<string, unknown>[] = []
    const stream = new Writable({
      write: (line: Buffer, _encoding, done) => {
        logged.push(JSON.parse(line.toString()) as Record<string, unknown>)
        done()
      },
    })
    const host = await createHost({
      name: 'users',
      title: 'Users <of> Acme',
      version: '1.0.0',
      controllers: [UserTools],
      authentication: authentication(all),
      fastify: { logger: { level: 'info', stream } },
      ...more,
    })
    await host.ready()
    listener.on('request', (request, response) => host.routing(request, response))
    const server = new ProtectedServer(url, company, logged, host, listener, shared === undefined)
    opened.push(server)
    return server
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    await this.stop()
    if (this.ownsCompany) await this.company.close()
  }

  /** Stops the server, and leaves the provider running. */
  async stop(): Promise<void> {
    const index = opened.indexOf(this)
    if (index !== -1) opened.splice(index, 1)
    this.listener.closeAllConnections()
    this.listener.close()
    await this.host.close()
  }
}

const opened: ProtectedServer[] = []

/** Closes all servers that a test has started. */
export async function closeServers(): Promise<void> {
  for (const server of opened.toReversed()) {
    // oxlint-disable-next-line no-await-in-loop
    await server.close()
  }
}
