import {
  checkNames,
  type NamesOf,
  Problems,
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
const served: NamesOf<ServeMetricsOptions> = { ...route, host: true, port: true }

/** What Fastify reads of the options of a plugin. */
const pluginNames = ['prefix', 'logLevel', 'logSerializers']

export function checkPrometheusOptions({
  registry,
  prefix,
  buckets,
  processMetrics,
  ...others
}: PrometheusOptions): void {
  const problems = new Problems()
  checkNames(others, Object.keys(metrics), problems, { prefix: 'PrometheusMetrics: ' })
  requireMethods('PrometheusMetrics: registry', registry, ['metrics', 'registerMetric'], problems)
  requireBoolean('PrometheusMetrics: processMetrics', processMetrics, problems)
  if (prefix !== undefined && !(typeof prefix === 'string' && /^(?:[a-z_:][\w:]*)?$/i.test(prefix))) {
    problems.addBadOption('PrometheusMetrics: prefix', prefix, "Give letters, digits, '_' and ':', such as 'my_app_'.")
  }
  if (buckets !== undefined && !(Array.isArray(buckets) && buckets.every(Number.isFinite))) {
    problems.addBadOption('PrometheusMetrics: buckets', buckets, 'Give an array of seconds.')
  }
  problems.throwIfAny()
}

export function checkRouteOptions(options: MetricsRouteOptions): void {
  const problems = new Problems()
  checkNames(options, [...Object.keys(route), ...pluginNames], problems, { prefix: 'metricsRoute: ' })
  checkRoute('metricsRoute', options, problems)
  problems.throwIfAny('The metrics cannot be served')
}

export function checkServeOptions(options: ServeMetricsOptions): void {
  const problems = new Problems()
  const { host, port = 0 } = options
  checkNames(options, Object.keys(served), problems, { prefix: 'serveMetrics: ' })
  checkRoute('serveMetrics', options, problems)
  requireNumber('serveMetrics: port', port, 0, 65_535, problems)
  if (host !== undefined && typeof host !== 'string') {
    problems.addBadOption('serveMetrics: host', host, "Give a string, such as '127.0.0.1'.")
  }
  problems.throwIfAny('The metrics cannot be served')
}

function checkRoute(caller: string, given: MetricsRouteOptions, problems: Problems): void {
  const { path = '/metrics' } = given
  checkRouteGuard(caller, given, problems)
  if (typeof (given.metrics as { readonly text?: unknown } | null | undefined)?.text !== 'function') {
    const fix = 'Give the PrometheusMetrics that is among the hooks of the server.'
    problems.addBadOption(`${caller}: metrics`, given.metrics, fix)
  }
  if (typeof path === 'string' && path.startsWith('/')) return
  problems.addBadOption(`${caller}: path`, path, 'Give a path that begins with /.')
}
