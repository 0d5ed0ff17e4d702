import {
  checkNames,
  Diagnostics,
  type NamesOf,
  requireBoolean,
  requireMethods,
  requireNumber,
} from '@toolwright/core/internal'
import { checkRouteGuard } from '@toolwright/fastify/internal'
import type { MetricsRouteOptions } from './metrics-route.js'
import type { PrometheusOptions } from './prometheus-metrics.js'
import type { ServeMetricsOptions } from './serve-metrics.js'

const metrics: NamesOf<PrometheusOptions> = { registry: true, prefix: true, buckets: true, processMetrics: true }
const route: NamesOf<MetricsRouteOptions> = {
  metrics: true,
  path: true,
  authentication: true,
  roles: true,
  scopes: true,
}
const serveNames: NamesOf<ServeMetricsOptions> = { ...route, host: true, port: true }

/** What Fastify reads of the options of a plugin. */
const pluginNames = ['prefix', 'logLevel', 'logSerializers']

export function checkPrometheusOptions({
  registry,
  prefix,
  buckets,
  processMetrics,
  ...others
}: PrometheusOptions): void {
  const diagnostics = new Diagnostics()
  checkNames(others, Object.keys(metrics), diagnostics, { prefix: 'PrometheusMetrics: ' })
  requireMethods('PrometheusMetrics: registry', registry, ['metrics', 'registerMetric'], diagnostics)
  requireBoolean('PrometheusMetrics: processMetrics', processMetrics, diagnostics)
  if (prefix !== undefined && !(typeof prefix === 'string' && /^(?:[a-z_:][\w:]*)?$/i.test(prefix))) {
    diagnostics.addBadOption(
      'PrometheusMetrics: prefix',
      prefix,
      "Give letters, digits, '_' and ':', such as 'my_app_'.",
    )
  }
  if (buckets !== undefined && !(Array.isArray(buckets) && buckets.every(Number.isFinite))) {
    diagnostics.addBadOption('PrometheusMetrics: buckets', buckets, 'Give an array of seconds.')
  }
  diagnostics.throwIfAny()
}

export function checkRouteOptions(options: MetricsRouteOptions): void {
  const diagnostics = new Diagnostics()
  checkNames(options, [...Object.keys(route), ...pluginNames], diagnostics, { prefix: 'metricsRoute: ' })
  checkRoute('metricsRoute', options, diagnostics)
  diagnostics.throwIfAny('The metrics cannot be served')
}

export function checkServeOptions(options: ServeMetricsOptions): void {
  const diagnostics = new Diagnostics()
  const { host, port = 0 } = options
  checkNames(options, Object.keys(serveNames), diagnostics, { prefix: 'serveMetrics: ' })
  checkRoute('serveMetrics', options, diagnostics)
  requireNumber('serveMetrics: port', port, 0, 65_535, diagnostics)
  if (host !== undefined && typeof host !== 'string') {
    diagnostics.addBadOption('serveMetrics: host', host, "Give a string, such as '127.0.0.1'.")
  }
  diagnostics.throwIfAny('The metrics cannot be served')
}

function checkRoute(caller: string, given: MetricsRouteOptions, diagnostics: Diagnostics): void {
  const { path = '/metrics' } = given
  checkRouteGuard(caller, given, diagnostics)
  if (typeof (given.metrics as { readonly text?: unknown } | null | undefined)?.text !== 'function') {
    const fix = 'Give the PrometheusMetrics that is among the hooks of the server.'
    diagnostics.addBadOption(`${caller}: metrics`, given.metrics, fix)
  }
  if (typeof path === 'string' && path.startsWith('/')) return
  diagnostics.addBadOption(`${caller}: path`, path, 'Give a path that begins with /.')
}
