// A process can load several copies of this package, such as another version that a library depends on, or a copy in a bundle.
import { callStackFiles } from './call-stack.js'

/** One copy of this package in the process. Other versions read this object, so members must not be changed or removed. */
export interface Copy {
  readonly file: string
  owns(value: object): boolean
  container?: unknown
}

const kCopies = Symbol.for('toolwright.copies')
const global = globalThis as { [kCopies]?: Copy[] }
const copies = (global[kCopies] ??= [])

const owned = new WeakSet<object>()

export const thisCopy: Copy = { file: callStackFiles()[1] ?? '', owns: (value) => owned.has(value) }
copies.push(thisCopy)

export function loadedCopies(): readonly Copy[] {
  return copies
}

export function ownedHere(value: object): void {
  owned.add(value)
}

/** Finds the other copy that created a class or a record; `undefined` for this copy, and for values of the application. */
export function otherCopyOf(value: object): Copy | undefined {
  if (copies.length === 1 || owned.has(value)) return undefined
  return copies.find((copy) => copy !== thisCopy && copy.owns(value))
}

/**
 * Lets `instanceof` accept instances of the same class from other copies of this package.
 *
 * @param name Name of the class. Bundlers can shorten the `name` of the class itself.
 */
export function acceptOtherCopies(accepting: abstract new (...args: never[]) => object, name: string): void {
  const brand = Symbol.for(`toolwright.${name}`)
  Object.defineProperty(accepting.prototype, brand, { value: true })
  Object.defineProperty(accepting, Symbol.hasInstance, {
    // Subclasses inherit this method, and their instances have the brand of the base class. Subclasses are therefore compared
    // without the brand.
    value(this: unknown, value: unknown): boolean {
      // Fast path: most processes have one copy, and each call uses `instanceof` for its result.
      if (copies.length === 1 || this !== accepting) return Function.prototype[Symbol.hasInstance].call(this, value)
      return typeof value === 'object' && value !== null && brand in value
    },
  })
}

export function describeCopies(theirs: string, ours: string, packageName: string): string {
  const where = theirs === ours ? `Both are in ${ours}.` : `One is ${theirs}, the other is ${ours}.`
  return (
    `${where} Install one version: \`npm ls ${packageName}\` shows which packages depend on it. A bundle contains ` +
    `a separate copy: put all classes into the bundle, or leave ${packageName} out of it.`
  )
}

/** Describes another copy of this package, and the fix. The text completes a sentence such as "It is from …". */
export function describeOtherCopy({ file }: Copy): string {
  const files = describeCopies(file, thisCopy.file, '@toolwright/core')
  return `another copy of @toolwright/core than the one that serves it. ${files}`
}
