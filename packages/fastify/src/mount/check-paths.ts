import type { Diagnostics } from '@toolwright/core/options'
import { type MountedOptions, type MountOptions, pathOf } from '../options.js'

/** Where something answers, each with the option that says so. */
export type Paths = readonly (readonly [option: string, path: unknown])[]

/** A query or a fragment is no part of the path of a request. Parameters may have a `?`: `/mcp/:tenant?`. `::` begins none. */
export function isPath(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.startsWith('/') &&
    !/[?#]/.test(value.replaceAll('::', '').replace(/:[^/]*/g, ''))
  )
}

/** The router asserts it, in words of its own. What a parameter is held to, in brackets, may have any of these characters. */
export function checkLastPart(option: string, path: string, diagnostics: Diagnostics): boolean {
  if (!/\?\/.|\*./.test(path.replace(/\(.*\)/, ''))) return true
  const fix = "A parameter that can be left out (?), or a wildcard (*), has to be its last part, as in '/mcp/:tenant?'."
  diagnostics.addBadOption(option, path, fix)
  return false
}

/** How an endpoint is mounted, as far as it can be told before there is a server. */
export type MountPaths = MountOptions & Pick<MountedOptions, 'answersSlash'>

/** The path with a slash behind it, where the endpoint is there, too. `null`: it is not, or its path ends so anyway. */
export function pathWithSlash({ path = '/mcp', answersSlash }: MountPaths): string | null {
  return answersSlash === true && isPath(path) && !/[/*]$/.test(path) ? `${path}/` : null
}

/** Of two at one path the router would refuse the second, and tell neither option. */
export function checkPaths(options: MountPaths, others: Paths, diagnostics: Diagnostics): void {
  const taken = new Map<unknown, string>()
  for (const [option, path] of [...pathsOf(options), ...others]) {
    const other = taken.get(path)
    taken.set(path, option)
    if (other === undefined || typeof path !== 'string') continue
    diagnostics.add('bad-option', `${other} and ${option} are both at '${path}'. Give each a path of its own.`)
  }
}

function pathsOf(options: MountPaths): Paths {
  const { path = '/mcp', legacySse, rpc, webSocket } = options
  return [
    ['path', path],
    ['path', pathWithSlash(options)],
    ['legacySse', legacySse === true ? '/sse' : null],
    ['legacySse', legacySse === true ? '/messages' : null],
    ['rpc', pathOf(rpc ?? false, '/rpc')],
    ['webSocket', pathOf(webSocket ?? false, '/ws')],
  ]
}
