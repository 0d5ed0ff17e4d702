import type { AddressInfo } from 'node:net'
import type { McpServer } from '@toolwright/core'
import { isLoopback, tryLog } from '@toolwright/core/host'
import { type RunningServer } from '@toolwright/core/transport'
import type { FastifyInstance } from 'fastify'

type Observed = Pick<McpServer, 'log'>

/**
 * Warns if other machines can read the metrics although the server hides features: labels contain the names of used
 * features.
 */
class Exposure {
  #server: Observed | null = null
  #url: string | null = null

  observed(server: Observed): void {
    this.#server = server
    this.#warn()
  }

  /** Called when a route without authentication listens. */
  opened(app: FastifyInstance, path: string): void {
    const addresses: readonly (string | AddressInfo)[] = app.addresses()
    const open = addresses.find((one) => typeof one !== 'string' && !isLoopback(one.address))
    // A string is a Unix domain socket. Only this machine can reach such a socket, so no warning is needed.
    if (open === undefined || typeof open === 'string') return
    const host = open.family === 'IPv6' ? `[${open.address}]` : open.address
    this.#url = `${host}:${open.port}${app.prefix}${path}`
    this.#warn()
  }

  /** Warns when the server and the URL are known. Either may become known first. */
  #warn(): void {
    const server: (Observed & { readonly running?: RunningServer }) | null = this.#server
    if (this.#url === null || server?.running?.hidesForbidden !== true) return
    tryLog(() =>
      server.log.warn(
        `the metrics at ${this.#url} can be read from other machines, and their labels name features that hideForbidden ` +
          'hides. Require authentication for the route, or serve the metrics on 127.0.0.1 with serveMetrics',
      ),
    )
    this.#url = null
  }
}

const exposures = new WeakMap<object, Exposure>()

export function exposureOf(metrics: object): Exposure {
  const exposure = exposures.get(metrics) ?? new Exposure()
  exposures.set(metrics, exposure)
  return exposure
}
