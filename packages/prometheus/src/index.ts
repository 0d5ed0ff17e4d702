// The public API.
export { metricsRoute } from './metrics-route.js'
export type { MetricsRouteOptions, PrometheusOptions, ServeMetricsOptions } from './options.js'
export { PrometheusMetrics } from './prometheus-metrics.js'
export { serveMetrics } from './serve-metrics.js'
