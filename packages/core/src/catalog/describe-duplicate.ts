import type { Class } from '../metadata/types.js'
import type { MethodSource, Runnable } from './definitions.js'
import type { ClassFiles } from './scan/scan-modules.js'

export function describeDuplicate(what: string, first: Runnable, second: Runnable, files: ClassFiles): string {
  const [one, other] = [first, second].map((feature) => locate(feature, files))
  return `${what} is declared by both ${one} and ${other}. ${advise(first.source, second.source, files)}`
}

function locate({ origin, source }: Runnable, files: ClassFiles): string {
  const file = source.kind === 'method' ? files.get(source.controller) : undefined
  return file === undefined ? origin : `${origin} (${file})`
}

function advise(first: Runnable['source'], second: Runnable['source'], files: ClassFiles): string {
  if (first.kind !== 'method' || second.kind !== 'method' || first.controller === second.controller) return renameOne
  const [one, other] = [first.controller, second.controller]
  if (extendsClass(one, other)) return adviseOnBase(other, one, files)
  if (extendsClass(other, one)) return adviseOnBase(one, other, files)
  const base = sharedBase(first, second)
  if (base !== undefined) {
    return `Both inherit it from ${base.name}: give each class a prefix, such as @McpController({ prefix: 'users_' }).`
  }
  const mayBeLeft = one.name === other.name && files.has(one) && files.has(other)
  return mayBeLeft ? 'Rename one, or delete the file if it is left from an earlier build.' : renameOne
}

const renameOne = 'Rename one.'

function adviseOnBase(base: Class, subclass: Class, files: ClassFiles): string {
  const fix = files.has(base)
    ? `put @McpController({ abstract: true }) on ${base.name} to serve only its subclasses`
    : `remove ${base.name} from \`controllers\` to serve only its subclasses`
  return `${base.name} is the base class of ${subclass.name}: ${fix}, or rename one.`
}

function sharedBase(first: MethodSource, second: MethodSource): Class | undefined {
  if (first.method !== second.method) return undefined
  let base: unknown = Object.getPrototypeOf(second.controller)
  while (typeof base === 'function' && base !== Function.prototype) {
    const { prototype } = base as Class
    if (extendsClass(first.controller, base as Class) && first.method in prototype) return base as Class
    base = Object.getPrototypeOf(base)
  }
  return undefined
}

function extendsClass(subclass: Class, base: Class): boolean {
  return Object.prototype.isPrototypeOf.call(base, subclass)
}
