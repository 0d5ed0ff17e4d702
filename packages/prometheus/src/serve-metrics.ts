import { Diagnostics } from '@toolwright/core/options'
import { describeListenError } from '@toolwright/server/program'
import Fastify, { type FastifyInstance } from 'fastify'
import { metricsRoute } from './metrics-route.js'
import { readServeOptions, type ServeMetricsOptions } from './options.js'

/** Timeout of a request in milliseconds. */
const requestTimeout = 5000

/**
 * Serves the metrics on a separate port, which callers of the server need not reach. Close the metrics server with the
 * MCP server, in the option `onClose: () => metricsServer.close()`.
 *
 * @throws BootError that lists every mistake in the options, or says why the server cannot listen.
 */
export async function serveMetrics(options: ServeMetricsOptions): Promise<FastifyInstance> {
  const { host, port, ...route } = readServeOptions(options)
  const app = Fastify({ logger: false, requestTimeout, forceCloseConnections: true })
  await app.register(metricsRoute, route)
  await listen(app, host, port)
  return app
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const diagnostics = new Diagnostics()
    const fault = describeListenError(error, host, port, { host: 'host', port: 'port' })
    if (fault !== null) diagnostics.add('bad-option', `serveMetrics: ${fault}`)
    diagnostics.throwIfAny('The metrics cannot be served')
    throw error
  }
}
