// Not by name: webpack replaces `createRequire`, and warns of paths that it cannot know.
import nodeModule from 'node:module'
import { ownFile } from '../copies/call-stack.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { mapSubschemas } from './subschemas.js'

/** A pattern in which a group is repeated: no other pattern can take exponentially long. */
export interface RepeatedGroup {
  readonly pattern: string
  /** Names of the members that lead to it, with dots between them. Empty at the root of the schema. */
  readonly member: string
}

/** Finds the patterns in a schema that repeat a group, those of member names included. */
export function findRepeatedGroups(root: JsonObject): readonly RepeatedGroup[] {
  const found: RepeatedGroup[] = []
  const collect = (schema: JsonObject, member: string): void => {
    const { pattern, patternProperties } = schema
    const ofNames = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
    for (const each of [pattern, ...ofNames]) {
      if (typeof each === 'string' && repeatedGroup.test(each)) found.push({ pattern: each, member })
    }
    mapSubschemas(schema, (inner, path) => {
      const [, name] = named.exec(path) ?? []
      collect(inner, name === undefined || member === '' ? (name ?? member) : `${member}.${name}`)
      return inner
    })
  }
  collect(root, '')
  return found
}

const repeatedGroup = /\)[*+{]/

/** Parts of a schema that have names of their own, as JSON Pointers without the first slash. */
const named = /^(?:properties|\$defs|definitions)\/(.*)$/

/** As much of its API as is used: its types are not there where it is not installed. */
interface Checker {
  checkSync(pattern: string, flags: string, options: object): { readonly complexity?: { readonly type: string } }
}

/** `undefined` until it is needed, `null` where it is not installed. */
let checker: Checker | null | undefined

/**
 * Loads the package `recheck`, if it is installed. It is an optional peer dependency for development: a production
 * install does not have it, and a server in production does not load it.
 */
export function loadPatternChecker(): void {
  if (checker !== undefined) return
  try {
    // The build for browsers checks in this thread. The main one starts a worker, Java or a native program.
    checker = nodeModule.createRequire(ownFile)('recheck/lib/browser.js') as Checker
  } catch {
    checker = null
  }
}

const results = new Map<string, boolean>()

/** Most checks take one to ten milliseconds. */
const maxCheckMs = 2000

/**
 * Whether a pattern can take exponentially long. Not found where a check takes too long.
 *
 * @param leftMs Time that all checks of a server have left.
 * @returns `null` if the package that checks is not loaded.
 */
export function isExponential(pattern: string, leftMs: number): boolean | null {
  if (!checker) return null
  const known = results.get(pattern)
  if (known !== undefined || leftMs <= 0) return known ?? false
  const options = { ...checkOptions, timeout: Math.min(maxCheckMs, leftMs) }
  const isSlow = checker.checkSync(pattern, 'u', options).complexity?.type === 'exponential'
  results.set(pattern, isSlow)
  return isSlow
}

/** Where a pattern has to be tried with texts, as with lookaheads and long repetitions, a few find the exponential ones. */
const checkOptions = { maxIteration: 1, maxInitialGenerationSize: 20, attackLimit: 1_000_000 }
