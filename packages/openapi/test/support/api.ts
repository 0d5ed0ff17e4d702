import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as an API received it. */
export interface Received {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Answered {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

/** An API on this machine that records its requests. */
export interface Api extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
  /** Returns the only request. */
  only(): Received
}

type Answer = (request: Received, count: number) => Answered | Promise<Answered> | 'hang' | 'reset'

/** @param answer Default: an empty JSON object. */
export async function startApi(answer: Answer = () => ({ body: '{}' }), host = '127.0.0.1'): Promise<Api> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const read = { method, url, headers, body: Buffer.concat(chunks) }
      received.push(read)
      const respond = async (): Promise<void> => {
        const answered = await answer(read, received.length)
        if (answered === 'hang') return
        if (answered === 'reset') return void request.socket.destroy()
        const { status = 200, headers: sent = {}, body = '' } = answered
        response.writeHead(status, { 'content-type': 'application/json', ...sent }).end(body)
      }
      void respond()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    received,
    only() {
      const [first, ...others] = received
      if (first === undefined || others.length > 0) throw new Error(`received ${received.length} requests`)
      return first
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
