import type { Authenticator } from '@toolwright/core'
import {
  checkNames,
  count,
  Diagnostics,
  flag,
  kind,
  type OptionsOf,
  readNamedOptions,
  readOptions,
  required,
  text,
  unchecked,
  withMethods,
} from '@toolwright/core/options'
import { checkRouteGuard } from '@toolwright/fastify/internal'
import type { Registry } from 'prom-client'
import type { PrometheusMetrics } from './prometheus-metrics.js'

const secondsOfBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]

export const prometheusOptions = {
  /** Registry of the metrics. Default: a new registry. */
  registry: withMethods<Registry>('`Registry`', ['metrics', 'registerMetric']),
  /** Whether to add metrics of the process: memory, CPU, event loop. Default: false. */
  processMetrics: flag({ default: false }),
  /** Prefix of each name. Default: `mcp_`. */
  prefix: text({
    default: 'mcp_',
    pattern: /^(?:[a-z_:][\w:]*)?$/i,
    fix: "Give letters, digits, '_' and ':', such as 'my_app_'.",
  }),
  /** Upper bounds of the histogram of durations, in seconds. Default: 1 ms to 60 s. */
  buckets: kind<readonly number[], readonly number[]>(
    'seconds',
    'Give an array of seconds.',
    (given) => Array.isArray(given) && given.every(Number.isFinite),
    { default: secondsOfBuckets },
  ),
}

export interface PrometheusOptions extends OptionsOf<typeof prometheusOptions> {}

const routeOptions = {
  /** The metrics hook of the server. */
  metrics: required(
    kind<PrometheusMetrics, undefined>(
      '`PrometheusMetrics`',
      'Give the PrometheusMetrics instance of the option `hooks` of the server.',
      (given) => typeof (given as { readonly text?: unknown } | null | undefined)?.text === 'function',
    ),
  ),
  /** Path of the route, below the prefix of the plugin. Default: `/metrics`. */
  path: text({ default: '/metrics', pattern: /^\//, fix: 'Give a path that begins with /.' }),
  /** Authenticator of clients that read the metrics. Default: everyone can read the metrics. */
  authentication: unchecked<Authenticator>('[`Authenticator`](authentication.md)'),
  /** The caller needs one of these roles, as with `@Authorize`. Requires `authentication`. Default: none. */
  roles: unchecked<readonly string[]>('strings'),
  /** The caller needs all of these scopes. Requires `authentication`. Default: none. */
  scopes: unchecked<readonly string[]>('strings'),
}

export interface MetricsRouteOptions extends OptionsOf<typeof routeOptions> {}

export const serveMetricsOptions = {
  ...routeOptions,
  /** Port of `serveMetrics`. Default: 9,464. */
  port: count({ default: 9464, min: 0, max: 65_535 }),
  /** Address that `serveMetrics` listens on. Default: `127.0.0.1`. */
  host: text({ default: '127.0.0.1', fix: "Give a string, such as '127.0.0.1'." }),
}

/** Options of `serveMetrics`, which serves metrics on a separate port. */
export interface ServeMetricsOptions extends OptionsOf<typeof serveMetricsOptions> {}

/** Options of Fastify's `register`, which the plugin also receives. */
const pluginNames = ['prefix', 'logLevel', 'logSerializers']

export function readPrometheusOptions(options: PrometheusOptions) {
  const diagnostics = new Diagnostics()
  const read = readNamedOptions(prometheusOptions, options, { prefix: 'PrometheusMetrics: ' }, diagnostics)
  diagnostics.throwIfAny()
  return read
}

export function readRouteOptions(options: MetricsRouteOptions) {
  const diagnostics = new Diagnostics()
  const prefix = 'metricsRoute: '
  checkNames(options, [...Object.keys(routeOptions), ...pluginNames], diagnostics, { prefix })
  const read = readOptions(routeOptions, options, prefix, diagnostics)
  checkRouteGuard('metricsRoute', read, diagnostics)
  diagnostics.throwIfAny('The metrics cannot be served')
  return read
}

export function readServeOptions(options: ServeMetricsOptions) {
  const diagnostics = new Diagnostics()
  const read = readNamedOptions(serveMetricsOptions, options, { prefix: 'serveMetrics: ' }, diagnostics)
  checkRouteGuard('serveMetrics', read, diagnostics)
  diagnostics.throwIfAny('The metrics cannot be served')
  return read
}
