// Imports the default export, because webpack would replace a named `createRequire` and warn about its dynamic paths.
import nodeModule from 'node:module'
import { ownFile } from '@toolwright/core/reports'

interface Checker {
  checkSync(pattern: string, flags: string, options: object): { readonly complexity?: { readonly type: string } }
}

/** `undefined` before recheck is loaded, `null` if it is not installed. */
let checker: Checker | null | undefined

/**
 * Loads recheck from `@toolwright/cli`, a development dependency of the program. Production installs do not include it. Searches
 * from the program, because package managers may hide packages that this package does not depend on.
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
