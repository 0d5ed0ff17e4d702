// This is a default import, because webpack would replace a named `createRequire` by a function without `cache`.
import nodeModule from 'node:module'
import { loadedCopies, thisCopy } from '../copies/copies.js'
import { type DependencyContainer, injectable } from './tsyringe.js'

/** A copy of tsyringe. Each copy has a global container, and creates only classes that its own decorators have registered. */
export interface TsyringeCopy {
  readonly file: string
  readonly container: DependencyContainer
  readonly injectable: typeof injectable
}

export function copyOf(container: DependencyContainer): TsyringeCopy {
  const [root] = withParents(container)
  const copies = loadedTsyringes()
  return copies.find((copy) => copy.container === root) ?? { file: thisCopy.file, container: root, injectable }
}

/** Lists all copies in the process. A copy inside of a bundle is found only if another copy of this package uses it. */
export function loadedTsyringes(): readonly TsyringeCopy[] {
  const copies = new Map<unknown, TsyringeCopy>()
  for (const [file, exported] of loadedModules()) {
    if (!isTsyringe(exported)) continue
    const { container, injectable: decorator } = exported
    copies.set(container, { file, container, injectable: decorator })
  }
  for (const { file, container } of loadedCopies()) {
    if (container === undefined || copies.has(container)) continue
    copies.set(container, { file, container: container as DependencyContainer, injectable })
  }
  return [...copies.values()]
}

/** Lists tsyringe modules in the CommonJS cache. Node loads tsyringe as CommonJS, even for an `import`. */
function loadedModules(): ReadonlyArray<readonly [file: string, exported: unknown]> {
  const { cache } = nodeModule.createRequire(process.execPath)
  const files = Object.keys(cache).filter((file) => /[\\/]tsyringe[\\/].*index\.[cm]?js$/.test(file))
  return files.map((file) => [file, cache[file]?.exports])
}

function isTsyringe(exported: unknown): exported is Omit<TsyringeCopy, 'file'> {
  if (typeof exported !== 'object' || exported === null) return false
  const { container, injectable: decorator } = exported as Partial<TsyringeCopy>
  return typeof container?.createChildContainer === 'function' && typeof decorator === 'function'
}

export function withParents(container: DependencyContainer): readonly [DependencyContainer, ...DependencyContainer[]] {
  const { parent } = container as { readonly parent?: DependencyContainer }
  return parent === undefined ? [container] : [...withParents(parent), container]
}
