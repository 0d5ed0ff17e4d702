import { acceptedName, withHash } from './inputs.js'
import { type FoundOperation, originOf } from './operation.js'
import type { Rename } from './options.js'
import { isNamed } from './selectors.js'

const maxLength = 64

/**
 * Names the tools of operations. A name depends only on its own operation, unless two operations would have the same name: then
 * the names get the first tag, otherwise a hash. An `operationId` that is a valid name always stays as it is.
 */
export function nameTools(operations: readonly FoundOperation[], rename: Rename | undefined, prefix: string): string[] {
  const limit = maxLength - prefix.length
  const plain = operations.map((operation) => plainName(operation, rename, limit))
  const tagged = resolveClashes(plain, (index, name) => {
    const { id, tags } = operations[index] as FoundOperation
    if (isFixed(operations[index] as FoundOperation, rename, name)) return name
    const [tag] = tags
    return tag === undefined ? name : acceptedName(`${tag}_${id ?? name}`, limit)
  })
  const names = resolveClashes(tagged, (index, name) => {
    const operation = operations[index] as FoundOperation
    return isFixed(operation, rename, name) ? name : withHash(name, originOf(operation), limit)
  })
  return names.map((name) => prefix + name)
}

function resolveClashes(names: readonly string[], other: (index: number, name: string) => string): string[] {
  const uses = new Map<string, number>()
  for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1)
  return names.map((name, index) => ((uses.get(name) as number) > 1 ? other(index, name) : name))
}

function isFixed(operation: FoundOperation, rename: Rename | undefined, name: string): boolean {
  return renamed(operation, rename) === name || operation.id === name
}

function plainName(operation: FoundOperation, rename: Rename | undefined, limit: number): string {
  const given = renamed(operation, rename)
  if (given !== undefined) return given
  const { id, method, path } = operation
  return acceptedName(id ?? method.toLowerCase() + path.replace(/[{}]/g, ''), limit)
}

function renamed(operation: FoundOperation, rename: Rename | undefined): string | undefined {
  if (typeof rename === 'function') return rename(operation)
  return Object.entries(rename ?? {}).find(([name]) => isNamed(operation, name))?.[1]
}
