import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { inspector } from '../../src/index.js'
import type { Started } from './workshop.js'

export const token = 'a-secret-of-the-page-with-32-letters'

/** Starts an inspector that forwards to `url`, with a header of the user. */
export async function startInspector(url: string): Promise<Started> {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(inspector, { forward: { url, headers: { authorization: 'Bearer SECRET' } }, token })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url: address, close: () => app.close() }
}

/** Starts any HTTP server. */
export async function startHttp(listener: RequestListener): Promise<Started> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/mcp`, close }
}
