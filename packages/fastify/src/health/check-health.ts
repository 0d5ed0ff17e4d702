import {
  checkNames,
  type Diagnostics,
  type NamesOf,
  requireBoolean,
  requireNumber,
  requireObject,
} from '@toolwright/core/internal'
import { isPath, type Paths } from '../mount/check-paths.js'
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
export function checkHealth(given: HealthOptions, diagnostics: Diagnostics): void {
  const options = requireObject('health', given, diagnostics)
  checkNames(options, Object.keys(names), diagnostics, { prefix: 'health.', elsewhere })
  const { timeoutMs = 1, cacheMs = 0, details, path = '' } = options
  for (const [name, check] of Object.entries(requireObject('health.checks', options.checks, diagnostics))) {
    if (typeof check === 'function') continue
    const fix = 'Give a function that rejects, or answers false, when it is not there.'
    diagnostics.addBadOption(`health.checks.${name}`, check, fix)
  }
  requireNumber('health.timeoutMs', timeoutMs, 1, Infinity, diagnostics)
  requireNumber('health.cacheMs', cacheMs, 0, Infinity, diagnostics)
  requireBoolean('health.details', details, diagnostics)
  if (path === '' || (isPath(path) && !path.endsWith('/'))) return
  const fix = "Give a path that begins with /, does not end with one and has no query, such as '/health'."
  diagnostics.addBadOption('health.path', path, fix)
}

/** Of options that may be none. */
export function healthPaths(options: HealthOptions | null): Paths {
  const path = options?.path ?? '/health'
  return ['/live', '/ready'].map((end) => ['health', `${path}${end}`])
}
