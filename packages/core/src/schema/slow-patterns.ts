// Imports the default export, because webpack would replace a named `createRequire` and warn about its dynamic paths.
import nodeModule from 'node:module'
import { ownFile } from '../copies/call-stack.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { mapSubschemas } from './subschemas.js'

/** A pattern that repeats a group. Other patterns cannot take exponential time. */
interface RepeatedGroup {
  readonly pattern: string
  /** Property names from the root of the schema to the pattern, joined by dots. Empty at the root of the schema. */
  readonly member: string
}

export function findRepeatedGroups(root: JsonObject): readonly RepeatedGroup[] {
  const found: RepeatedGroup[] = []
  const collect = (schema: JsonObject, member: string): void => {
    const { pattern, patternProperties } = schema
    const ofNames = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
    for (const each of [pattern, ...ofNames]) {
      if (typeof each === 'string' && repeatedGroup.test(each)) found.push({ pattern: each, member })
    }
    mapSubschemas(schema, (inner, path) => {
      const [, name] = namedPart.exec(path) ?? []
      collect(inner, name === undefined || member === '' ? (name ?? member) : `${member}.${name}`)
      return inner
    })
  }
  collect(root, '')
  return found
}

const repeatedGroup = /\)[*+{]/

/** Named parts of a schema, as JSON Pointers without the leading slash. */
const namedPart = /^(?:properties|\$defs|definitions)\/(.*)$/

interface Checker {
  checkSync(pattern: string, flags: string, options: object): { readonly complexity?: { readonly type: string } }
}

/** `undefined` before recheck is loaded, `null` if it is not installed. */
let checker: Checker | null | undefined

/**
 * Loads recheck from `@toolwright/cli`, a development dependency of the program. Production installs do not include it. Searches
 * from the program, because package managers may hide packages that core does not depend on.
 */
function loadChecker(): Checker | null {
  try {
    return nodeModule.createRequire(process.argv[1] ?? ownFile)('@toolwright/cli/recheck') as Checker
  } catch {
    return null
  }
}

const results = new Map<string, boolean>()

/** Maximum milliseconds per check. Most checks take 1 to 10 ms. */
const maxCheckMs = 2000

/**
 * Whether a pattern can take exponential time. False if the check itself takes too long.
 *
 * @param leftMs Milliseconds that remain for all checks of a server.
 * @returns `null` if `@toolwright/cli` is not installed.
 */
export function isExponential(pattern: string, leftMs: number): boolean | null {
  if (checker === undefined) checker = loadChecker()
  if (checker === null) return null
  const known = results.get(pattern)
  if (known !== undefined || leftMs <= 0) return known ?? false
  const options = { ...checkOptions, timeout: Math.min(maxCheckMs, leftMs) }
  const isSlow = checker.checkSync(pattern, 'u', options).complexity?.type === 'exponential'
  results.set(pattern, isSlow)
  return isSlow
}

/**
 * Limits for patterns that have to be tested with strings, such as lookaheads and long repetitions. A few strings are
 * enough to find exponential patterns.
 */
const checkOptions = { maxIteration: 1, maxInitialGenerationSize: 20, attackLimit: 1_000_000 }
