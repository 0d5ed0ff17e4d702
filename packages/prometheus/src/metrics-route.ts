import type { McpServer } from '@toolwright/core'
import { isForeignHost } from '@toolwright/core/internal'
import type { FastifyInstance } from 'fastify'
import { checkRouteOptions } from './check-options.js'
import type { PrometheusMetrics } from './prometheus-metrics.js'

/** What the route serves, and where. */
export interface MetricsRouteOptions {
  /** The ones that are among the hooks of the server. */
  readonly metrics: PrometheusMetrics
  /** Below the prefix that it is registered with. Default: `/metrics`. */
  readonly path?: string
}

/**
 * The metrics as a route of a Fastify application: `await host.register(metricsRoute, { metrics })`. Whoever reaches the
 * application can read it; {@link serveMetrics} listens on a port of its own instead.
 *
 * @throws BootError that lists every mistake in its options.
 */
export async function metricsRoute(app: FastifyInstance, options: MetricsRouteOptions): Promise<void> {
  checkRouteOptions(options)
  const { metrics, path = '/metrics' } = options
  const { mcp } = app as { readonly mcp?: McpServer }
  if (mcp !== undefined) metrics.observe(mcp)
  app.get(path, async (request, reply) => {
    if (isForeignHost(app, request.host)) return reply.code(403).send({ error: 'Forbidden: the host is not allowed' })
    reply.header('content-type', metrics.contentType).header('cache-control', 'no-store')
    return metrics.text()
  })
}
