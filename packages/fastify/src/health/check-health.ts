import {
  custom,
  type Diagnostics,
  flag,
  isObject,
  milliseconds,
  nested,
  type OptionsOf,
} from '@toolwright/core/options'
import { isPath, type Paths } from '../mount/check-paths.js'

/**
 * Checks a dependency of the server. The check fails if it throws, or returns or resolves to `false`. All other results
 * pass, even `null` and `{ ok: false }`: they could be a database's response to a ping.
 */
export type HealthCheck = () => unknown

export type Checks = Readonly<Record<string, HealthCheck>>

export const healthOptions = {
  /**
   * A function for each dependency of the server. A check fails if it rejects, resolves to `false` or times out. Every
   * other value passes. Default: none.
   */
  checks: custom<Checks, Checks>('functions by name', checkChecks, { default: {} }),
  /** Timeout of each check. `Infinity` for no limit. Default: 2,000. */
  timeoutMs: milliseconds({ default: 2000 }),
  /** Lifetime of a cached result. Default: 1,000. */
  cacheMs: milliseconds({ default: 1000, min: 0 }),
  /** Adds the results of all checks to the response. Meant for private networks. Default: false. */
  details: flag({ default: false }),
  /** Path prefix of `/live` and `/ready`. Default: `/health`. */
  path: custom<string, string>('`string`', checkPath, { default: '/health' }),
}

export interface HealthOptions extends OptionsOf<typeof healthOptions> {}

const elsewhere = {
  check: 'Give `checks`, with a function for each name: `{ database: () => database.ping() }`.',
  // Fastify applies `prefix` only to encapsulated plugins, so it has no effect on this plugin.
  prefix: "Put the prefix into the path: `path: '/internal/health'`.",
}

export function readHealthOptions(given: HealthOptions, diagnostics: Diagnostics) {
  return nested(healthOptions, { elsewhere }).read(given, 'health', diagnostics)
}

function checkChecks(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!isObject(given)) {
    diagnostics.addBadOption(option, given, 'Give an object.')
    return false
  }
  const wrong = Object.entries(given).filter(([, check]) => typeof check !== 'function')
  for (const [name, check] of wrong) {
    const fix = 'Give a function that returns false, or rejects, when the dependency is not available.'
    diagnostics.addBadOption(`${option}.${name}`, check, fix)
  }
  return wrong.length === 0
}

function checkPath(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (given === '' || (isPath(given) && !given.endsWith('/'))) return true
  const fix = "Give a path that begins with /, does not end with / and has no query, such as '/health'."
  diagnostics.addBadOption(option, given, fix)
  return false
}

/** Returns the paths of the health routes, even before the options are checked. */
export function healthPaths(options: HealthOptions | null): Paths {
  const path = options?.path ?? '/health'
  return ['/live', '/ready'].map((end) => ['health', `${path}${end}`])
}
