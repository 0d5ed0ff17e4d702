import { TracingHook } from '@toolwright/opentelemetry'
import {
  metricsRoute,
  PrometheusMetrics,
  serveMetrics,
} from '@toolwright/prometheus'
import { apiKeys, createHost, McpTool, MetricsHook } from 'toolwright'

export class ClockTools {
  @McpTool({ description: 'Returns the time' })
  now(): string {
    return new Date().toISOString()
  }
}

const served = { name: 'clock', version: '1.0.0', controllers: [ClockTools] }

export async function createCounted() {
  // #region metrics
  const metrics = new MetricsHook()
  const host = await createHost({ ...served, hooks: [metrics] })

  host.get('/figures', () => metrics.snapshot())
  // #endregion
  return { host, metrics }
}

export async function createWithRoute() {
  // #region route
  const metrics = new PrometheusMetrics()
  const host = await createHost({ ...served, hooks: [metrics] })
  await host.register(metricsRoute, { metrics })
  // #endregion
  return host
}

export async function createWithGuardedRoute(key: string) {
  const metrics = new PrometheusMetrics()
  const host = await createHost({ ...served, hooks: [metrics] })
  // #region guarded
  const authentication = apiKeys({
    header: 'authorization',
    keys: [{ key, subject: 'prometheus', roles: ['Ops'] }],
  })
  await host.register(metricsRoute, { metrics, authentication, roles: ['Ops'] })
  // #endregion
  return host
}

export async function createWithPort(port: number) {
  // #region port
  const metrics = new PrometheusMetrics({ processMetrics: true })
  const metricsServer = await serveMetrics({ metrics, port })
  const host = await createHost({
    ...served,
    hooks: [metrics],
    onReady: (server) => metrics.observe(server),
    onClose: () => metricsServer.close(),
  })
  // #endregion
  return { host, metricsServer }
}

export async function createWithGauge() {
  const host = await createWithRoute()
  const queue: string[] = []
  // #region gauge
  host.mcp.gauges.add({
    name: 'queue_length',
    help: 'Orders in the queue',
    read: () => queue.length,
  })
  // #endregion
  return host
}

export async function createTraced() {
  // #region tracing
  const host = await createHost({ ...served, hooks: [new TracingHook()] })
  // #endregion
  return host
}
