// A process can hold several copies of this package: a library brings its own version, a bundle has one inside.
import { callStackFiles } from './call-stack.js'

/** One copy of this package in the process. Other versions read it: members are only ever added. */
export interface Copy {
  /** Path of the file with its code. */
  readonly file: string
  /** Whether this copy made a class or a record. */
  owns(value: object): boolean
  /** The global container of its tsyringe. */
  container?: unknown
}

const kCopies = Symbol.for('toolwright.copies')
const global = globalThis as { [kCopies]?: Copy[] }
const copies = (global[kCopies] ??= [])

const owned = new WeakSet<object>()

export const thisCopy: Copy = { file: callStackFiles()[1] ?? '', owns: (value) => owned.has(value) }
copies.push(thisCopy)

/** All copies, in the order in which they were loaded. */
export function loadedCopies(): readonly Copy[] {
  return copies
}

/** Notes that a class or a record is of this copy. */
export function ownedHere(value: object): void {
  owned.add(value)
}

/** The copy that made a class or a record; `undefined` for this copy, and for values of the application. */
export function otherCopyOf(value: object): Copy | undefined {
  if (copies.length === 1 || owned.has(value)) return undefined
  return copies.find((copy) => copy !== thisCopy && copy.owns(value))
}

/**
 * Lets `instanceof` accept instances of the same class from other copies of this package.
 *
 * @param name The class's name, also where a bundler shortens it.
 */
export function acceptOtherCopies(accepting: abstract new (...args: never[]) => object, name: string): void {
  const brand = Symbol.for(`toolwright.${name}`)
  Object.defineProperty(accepting.prototype, brand, { value: true })
  Object.defineProperty(accepting, Symbol.hasInstance, {
    // Subclasses inherit the brand.
    value(this: unknown, value: unknown): boolean {
      // The result of each call is checked, and most processes have one copy.
      if (copies.length === 1 || this !== accepting) return Function.prototype[Symbol.hasInstance].call(this, value)
      return typeof value === 'object' && value !== null && brand in value
    },
  })
}

/** The files of two copies, and the fix: `npm ls` does not show the copy in a bundle. */
export function describeCopies(theirs: string, ours: string, packageName: string): string {
  const where = theirs === ours ? `Both are in ${ours}.` : `One is ${theirs}, the other is ${ours}.`
  return (
    `${where} Install one version: \`npm ls ${packageName}\` shows which packages bring it. A bundle holds a copy of its ` +
    `own: put all classes into the bundle, or leave ${packageName} out of it.`
  )
}
