import {
  checkNames,
  type NamesOf,
  type Problems,
  requireBoolean,
  requireNumber,
  requireObject,
} from '@toolwright/core/internal'
import { isPath, type Paths } from './check-paths.js'
import type { HealthOptions } from './health.js'

const names: NamesOf<HealthOptions> = {
  checks: true,
  timeoutMs: true,
  cacheMs: true,
  details: true,
  path: true,
}

const elsewhere = {
  check: 'Give `checks`, with a function for each name: `{ database: () => database.ping() }`.',
  // Fastify gives a prefix to plugins with a scope of their own.
  prefix: "Give it with the path: `path: '/internal/health'`.",
}

/** Checks that nobody runs would have a server be ready for ever. */
export function checkHealth(given: HealthOptions, problems: Problems): void {
  const options = requireObject('health', given, problems)
  checkNames(options, Object.keys(names), problems, { prefix: 'health.', elsewhere })
  const { timeoutMs = 1, cacheMs = 0, details, path = '' } = options
  for (const [name, check] of Object.entries(requireObject('health.checks', options.checks, problems))) {
    if (typeof check === 'function') continue
    const fix = 'Give a function that rejects, or answers false, when it is not there.'
    problems.addBadOption(`health.checks.${name}`, check, fix)
  }
  requireNumber('health.timeoutMs', timeoutMs, 1, Infinity, problems)
  requireNumber('health.cacheMs', cacheMs, 0, Infinity, problems)
  requireBoolean('health.details', details, problems)
  if (path === '' || (isPath(path) && !path.endsWith('/'))) return
  const fix = "Give a path that begins with /, does not end with one and has no query, such as '/health'."
  problems.addBadOption('health.path', path, fix)
}

/** Of options that may be none. */
export function healthPaths(options: HealthOptions | null): Paths {
  const path = options?.path ?? '/health'
  return ['/live', '/ready'].map((end) => ['health', `${path}${end}`])
}
