import { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyListenOptions } from 'fastify'

/**
 * Replaces `listen` of the HTTP server of a Fastify application. The application behaves as if its server listened at
 * the address that `listen` resolves to.
 *
 * @throws Error if the server has TLS or HTTP/2.
 */
export function interceptListen(server: unknown, listen: (wanted: FastifyListenOptions) => Promise<AddressInfo>): void {
  if (!(server instanceof Server)) {
    const fix = 'Give `https` and `http2` only in production, or use createHost.'
    throw new Error(`\`toolwright dev\` runs an application that mounts the plugin without TLS and HTTP/2. ${fix}`)
  }
  const begin = async (wanted: FastifyListenOptions): Promise<void> => {
    try {
      const address = await listen(wanted)
      // For `localhost`, Fastify would also listen at the other addresses of this name.
      wanted.host = address.address
      server.address = () => address
      server.emit('listening')
    } catch (error) {
      server.emit('error', error)
    }
  }
  server.listen = ((wanted: FastifyListenOptions) => {
    void begin(wanted)
    return server
  }) as typeof server.listen
}
