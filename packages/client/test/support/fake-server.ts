import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request of the client. */
export interface FakeRequest {
  readonly id?: number | string
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Answers a request. @returns The result, or `null` if the function has answered the request itself. */
export type Answer = (request: FakeRequest, response: ServerResponse, headers: IncomingHttpHeaders) => unknown

export interface FakeServer extends AsyncDisposable {
  readonly url: string
  /** The methods of the requests so far. */
  readonly methods: readonly string[]
}

/** Serves a legacy MCP server whose answers a test controls. Its tool is `echo`. */
export async function serveFake(answer: Answer = () => undefined): Promise<FakeServer> {
  const methods: string[] = []
  const app = createServer((request, response) => {
    void respond(request, response)
  })
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(Buffer.concat(chunks).toString()) as FakeRequest
    methods.push(message.method)
    if (message.id === undefined) return void response.writeHead(202).end()
    const given = await answer(message, response, request.headers)
    const result = given === undefined ? standardAnswer(message) : given
    if (response.writableEnded || response.headersSent || response.destroyed || result === null) return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
  }
  await new Promise<void>((resolve) => {
    app.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(app.address() as AddressInfo).port}/mcp`,
    methods,
    [Symbol.asyncDispose]: async () => {
      app.closeAllConnections()
      await new Promise((resolve) => app.close(resolve))
    },
  }
}

function standardAnswer({ method }: FakeRequest): unknown {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'fake', version: '1.0.0' },
      }
    case 'tools/list':
      return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }
    case 'tools/call':
      return { content: [{ type: 'text', text: 'echoed' }] }
    default:
      return {}
  }
}
