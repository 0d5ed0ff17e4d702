import { TracingHook } from '@toolwright/opentelemetry'
import { PrometheusMetrics, serveMetrics } from '@toolwright/prometheus'
import {
  container,
  loadConfig,
  loggingHook,
  MetricsHook,
  serve,
  Type,
} from 'toolwright'
import { TimingHook } from './timing-hook.js'
import { traceToStderr } from './tracing.js'

const { METRICS_PORT } = loadConfig(
  Type.Object({
    METRICS_PORT: Type.Integer({ default: 9464, minimum: 0, maximum: 65_535 }),
  }),
)

traceToStderr()
const metrics = new PrometheusMetrics({ processMetrics: true })
const metricsServer = await serveMetrics({ metrics, port: METRICS_PORT })
process.stderr.write(`metrics at ${metricsServer.listeningOrigin}/metrics\n`)

// The tool `figures` gets the same instance.
container.registerInstance(MetricsHook, new MetricsHook())

await serve({
  name: 'metrics',
  version: '1.0.0',
  title: 'Measured calculator',
  instructions: 'Calculates, and returns the numbers and durations of calls.',
  scan: new URL('./tools/', import.meta.url),
  hooks: [loggingHook(), new TracingHook(), metrics, MetricsHook, TimingHook],
  onReady: (server) => metrics.observe(server),
  onClose: () => metricsServer.close(),
})
