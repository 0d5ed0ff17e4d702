import { describeValue, type Problems } from '@toolwright/core/internal'
import { type MountOptions, pathOf } from './options.js'

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
export function checkLastPart(option: string, path: string, problems: Problems): void {
  if (!/\?\/.|\*./.test(path.replace(/\(.*\)/, ''))) return
  const fix = "A parameter that can be left out (?), or a wildcard (*), has to be its last part, as in '/mcp/:tenant?'."
  problems.add('bad-option', `${option} is ${describeValue(path)}. ${fix}`)
}

/** Of two at one path the router would refuse the second, and tell neither option. */
export function checkPaths(options: MountOptions, others: Paths, problems: Problems): void {
  const taken = new Map<unknown, string>()
  for (const [option, path] of [...pathsOf(options), ...others]) {
    const other = taken.get(path)
    taken.set(path, option)
    if (other === undefined || typeof path !== 'string') continue
    problems.add('bad-option', `${other} and ${option} are both at '${path}'. Give each a path of its own.`)
  }
}

function pathsOf({ path = '/mcp', legacySse, rpc, webSocket }: MountOptions): Paths {
  return [
    ['path', path],
    ['legacySse', legacySse === true ? '/sse' : null],
    ['rpc', pathOf(rpc ?? false, '/rpc')],
    ['webSocket', pathOf(webSocket ?? false, '/ws')],
  ]
}
