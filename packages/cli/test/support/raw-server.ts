import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Answer = (params: Record<string, unknown>) => unknown

interface Request {
  readonly id?: number
  readonly method: string
  readonly params?: Record<string, unknown>
}

/** Schema of a tool without arguments. */
export const noArguments = { type: 'object', properties: {} }

/** A tool list with one tool. */
export function listOf(name: string, inputSchema: object = noArguments): Answer {
  return () => ({ tools: [{ name, inputSchema }] })
}

/** A server of the legacy era that sends results which our own server would never send. */
export class RawServer {
  private constructor(
    private readonly server: Server,
    readonly url: string,
    /** Received requests, in order. */
    readonly requests: readonly Request[],
  ) {}

  /** @param answers Results of requests by method. An `Error` becomes a JSON-RPC error with its message. */
  static async start(answers: Readonly<Record<string, Answer>>): Promise<RawServer> {
    const requests: Request[] = []
    const server = createServer((incoming, response) => {
      void readMessage(incoming).then((request) => {
        if (request?.id === undefined) return response.writeHead(incoming.method === 'POST' ? 202 : 405).end()
        requests.push(request)
        const message = { jsonrpc: '2.0', id: request.id, ...answerOf(request, { initialize, ...answers }) }
        return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new RawServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests)
  }

  close(): Promise<void> {
    this.server.closeAllConnections()
    return new Promise((resolve) => this.server.close(() => resolve()))
  }
}

const initialize: Answer = () => ({
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'raw', version: '1' },
})

function answerOf({ method, params = {} }: Request, answers: Readonly<Record<string, Answer>>): object {
  const answer = answers[method]
  if (answer === undefined) return { error: { code: -32601, message: `no method ${method}` } }
  const result = answer(params)
  return result instanceof Error ? { error: { code: -32603, message: result.message } } : { result }
}

async function readMessage(incoming: IncomingMessage): Promise<Request | null> {
  const body = await text(incoming)
  return body === '' ? null : (JSON.parse(body) as Request)
}
