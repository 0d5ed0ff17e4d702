import type { Authenticator, McpServer } from '@toolwright/core'
import { isForeignHost } from '@toolwright/core/transport'
import { guardRoute } from '@toolwright/fastify/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkRouteOptions } from './check-options.js'
import { exposureOf } from './exposure.js'
import type { PrometheusMetrics } from './prometheus-metrics.js'

/** What the route serves, and where. */
export interface MetricsRouteOptions {
  /** The ones that are among the hooks of the server. */
  readonly metrics: PrometheusMetrics
  /** Below the prefix that it is registered with. Default: `/metrics`. */
  readonly path?: string
  /** Finds the caller, as the option of the endpoint does. Default: anybody may read the metrics. */
  readonly authentication?: Authenticator
  /** One of them is needed, as `@Authorize` has it. Takes `authentication`. Default: none. */
  readonly roles?: readonly string[]
  /** All of them are needed, as `@Authorize` has it. Takes `authentication`. Default: none. */
  readonly scopes?: readonly string[]
}

/**
 * The metrics as a route of a Fastify application: `await host.register(metricsRoute, { metrics })`. Without
 * `authentication`, everyone who reaches the application can read it; {@link serveMetrics} listens on a port of its own
 * instead.
 *
 * @throws BootError that lists every mistake in its options.
 */
export async function metricsRoute(app: FastifyInstance, options: MetricsRouteOptions): Promise<void> {
  checkRouteOptions(options)
  const { metrics, path = '/metrics' } = options
  const { mcp } = app as { readonly mcp?: McpServer }
  if (mcp !== undefined) metrics.observe(mcp)
  app.addHook('onRequest', refuseForeignHost)
  guardRoute(app, 'metricsRoute', options, mcp)
  if (options.authentication === undefined) app.addHook('onListen', async () => exposureOf(metrics).opened(app, path))
  app.get(path, async (_request, reply) => {
    reply.header('content-type', metrics.contentType).header('cache-control', 'no-store')
    return metrics.text()
  })
}

function refuseForeignHost({ server, host }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (isForeignHost(server, host)) void reply.code(403).send({ error: 'Forbidden: the host is not allowed' })
  else done()
}
