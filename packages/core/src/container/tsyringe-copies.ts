// Not by name: webpack replaces `createRequire`, and what it leaves has no `cache`.
import nodeModule from 'node:module'
import { loadedCopies, thisCopy } from '../copies/copies.js'
import { type DependencyContainer, globalContainer, injectable } from './tsyringe.js'

/** A copy of tsyringe: each has a global container, and makes only classes that its own decorators know. */
export interface TsyringeCopy {
  readonly file: string
  readonly container: DependencyContainer
  readonly injectable: typeof injectable
}

/** The copy that a container is of. */
export function copyOf(container: DependencyContainer): TsyringeCopy {
  const root = rootOf(container)
  const copies = loadedTsyringes()
  return copies.find((copy) => copy.container === root) ?? { file: thisCopy.file, container: root, injectable }
}

/** Of all copies in the process, each once. Those within bundles are found where another copy of this package uses them. */
export function loadedTsyringes(): readonly TsyringeCopy[] {
  const copies = new Map<unknown, TsyringeCopy>()
  for (const [file, exported] of loadedModules()) {
    if (isTsyringe(exported)) {
      const { container } = exported
      copies.set(container, {
        file,
        container,
        injectable: container === globalContainer ? injectable : exported.injectable,
      })
    }
  }
  for (const { file, container } of loadedCopies()) {
    if (container === undefined || copies.has(container)) continue
    copies.set(container, { file, container: container as DependencyContainer, injectable })
  }
  return [...copies.values()]
}

/** Node loads tsyringe as CommonJS, also where a module imports it. */
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

function rootOf(container: DependencyContainer): DependencyContainer {
  const { parent } = container as { readonly parent?: DependencyContainer }
  return parent === undefined ? container : rootOf(parent)
}
