// The public API.
export { type MetricsRouteOptions, metricsRoute } from './metrics-route.js'
export { PrometheusMetrics, type PrometheusOptions } from './prometheus-metrics.js'
export { type ServeMetricsOptions, serveMetrics } from './serve-metrics.js'
