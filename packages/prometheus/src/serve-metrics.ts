import Fastify, { type FastifyInstance } from 'fastify'
import { type MetricsRouteOptions, metricsRoute } from './metrics-route.js'

export interface ServeMetricsOptions extends MetricsRouteOptions {
  /** Where to listen. Default: `127.0.0.1`. */
  readonly host?: string
  /** Default: 9464, which Prometheus knows for exporters. */
  readonly port?: number
}

/** Milliseconds for a request to arrive. */
const requestTimeout = 5000

/**
 * Serves the metrics on a port of their own, which those who call the server need not reach. Close it with the server:
 * `host.addHook('onClose', () => metricsServer.close())`.
 */
export async function serveMetrics(options: ServeMetricsOptions): Promise<FastifyInstance> {
  const { host = '127.0.0.1', port = 9464 } = options
  const app = Fastify({ logger: false, requestTimeout, forceCloseConnections: true })
  await app.register(metricsRoute, options)
  await app.listen({ host, port })
  return app
}
