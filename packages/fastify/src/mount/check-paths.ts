import type { Diagnostics } from '@toolwright/core/options'
import { type MountedOptions, type MountOptions, pathOf } from '../options.js'

export type Paths = readonly (readonly [option: string, path: unknown])[]

/** Whether the value is a path without query or fragment. `?` may end a parameter, as in `/mcp/:tenant?`; `::` is a colon. */
export function isPath(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.startsWith('/') &&
    !/[?#]/.test(value.replaceAll('::', '').replace(/:[^/]*/g, ''))
  )
}

/**
 * Reports `?` and `*` before the last part of a path. The router would reject such paths without naming the option.
 * Ignores patterns in `()`.
 */
export function checkLastPart(option: string, path: string, diagnostics: Diagnostics): boolean {
  if (!/\?\/.|\*./.test(path.replace(/\(.*\)/, ''))) return true
  const fix = "An optional parameter (?) or a wildcard (*) must be the last part of the path, as in '/mcp/:tenant?'."
  diagnostics.addBadOption(option, path, fix)
  return false
}

/** Mount options that are known before the server is created. */
export type MountPaths = MountOptions & Pick<MountedOptions, 'answersSlash'>

export function pathWithSlash({ path = '/mcp', answersSlash }: MountPaths): string | null {
  return answersSlash === true && isPath(path) && !/[/*]$/.test(path) ? `${path}/` : null
}

/** Reports two routes with the same path. The router would reject the second without naming the options. */
export function checkPaths(options: MountPaths, others: Paths, diagnostics: Diagnostics): void {
  const taken = new Map<unknown, string>()
  for (const [option, path] of [...pathsOf(options), ...others]) {
    const other = taken.get(path)
    taken.set(path, option)
    if (other === undefined || typeof path !== 'string') continue
    diagnostics.add('bad-option', `${other} and ${option} are both at '${path}'. Give each a separate path.`)
  }
}

function pathsOf(options: MountPaths): Paths {
  const { path = '/mcp', legacySse, rpc, webSocket, rpcEndpoints = [] } = options
  return [
    ['path', path],
    ['path', pathWithSlash(options)],
    ['legacySse', legacySse === true ? '/sse' : null],
    ['legacySse', legacySse === true ? '/messages' : null],
    ['rpc', pathOf(rpc ?? false, '/rpc')],
    ['webSocket', pathOf(webSocket ?? false, '/ws')],
    ...rpcEndpoints.map((endpoint) => ['rpcEndpoints', endpoint.path] as const),
  ]
}
