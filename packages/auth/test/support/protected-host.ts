import { type AddressInfo, connect } from 'node:net'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { type Authenticator, createHost, type HostOptions, McpContext, McpTool, type Principal } from 'toolwright'

export class WhoTools {
  static readonly callers: (Principal | null)[] = []

  @McpTool({ description: 'Who calls' })
  who(context: McpContext): string {
    WhoTools.callers.push(context.principal)
    return context.principal?.subject ?? 'nobody'
  }
}

export interface ProtectedHost {
  readonly app: FastifyInstance
  readonly lines: string[]
}

const open: FastifyInstance[] = []

/** A server whose tool returns its caller, and the log lines of the server. */
export async function openProtectedHost(
  authentication: Authenticator,
  options: Partial<HostOptions> = {},
): Promise<ProtectedHost> {
  const lines: string[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  const app = await createHost({
    name: 'protected',
    version: '1.0.0',
    controllers: [WhoTools],
    authentication,
    fastify: { logger: { level: 'trace', stream } },
    ...options,
  })
  open.push(app)
  return { app, lines }
}

export async function closeHosts(): Promise<void> {
  await Promise.all(open.splice(0).map((app) => app.close()))
  WhoTools.callers.length = 0
}

export interface Answer {
  readonly status: number
  readonly challenge: unknown
  readonly text: string
}

const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who' } })

/** Calls the tool with these headers. */
export async function callWho(
  { app }: ProtectedHost,
  headers: Readonly<Record<string, string>>,
  { url = '/mcp', payload = body }: { readonly url?: string; readonly payload?: string } = {},
): Promise<Answer> {
  const response = await app.inject({
    method: 'POST',
    url,
    payload,
    headers: { host: 'localhost', 'content-type': 'application/json', accept: 'application/json', ...headers },
  })
  return { status: response.statusCode, challenge: response.headers['www-authenticate'], text: response.body }
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

/** Sends these bytes, and returns the response up to the end of the connection. */
export async function sendRaw({ app }: ProtectedHost, bytes: string): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}
