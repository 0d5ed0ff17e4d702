import type { McpServer } from '@toolwright/core'
import { guardRoute, rejectForeignHost } from '@toolwright/fastify/internal'
import type { FastifyInstance } from 'fastify'
import { exposureOf } from './exposure.js'
import { type MetricsRouteOptions, readRouteOptions } from './options.js'

/**
 * Serves the metrics as a route of a Fastify application: `await host.register(metricsRoute, { metrics })`. Without
 * `authentication`, all clients that reach the application can read the metrics. {@link serveMetrics} listens on a
 * separate port instead.
 *
 * @throws BootError that lists every mistake in the options.
 */
export async function metricsRoute(app: FastifyInstance, options: MetricsRouteOptions): Promise<void> {
  const { metrics, path } = readRouteOptions(options)
  const { mcp } = app as { readonly mcp?: McpServer }
  if (mcp !== undefined) metrics.observe(mcp)
  app.addHook('onRequest', rejectForeignHost)
  guardRoute(app, 'metricsRoute', options, mcp)
  if (options.authentication === undefined) app.addHook('onListen', async () => exposureOf(metrics).opened(app, path))
  app.get(path, async (_request, reply) => {
    reply.header('content-type', metrics.contentType).header('cache-control', 'no-store')
    return metrics.text()
  })
}
