import type { Caller } from '@toolwright/core'
import { completePrincipal } from '@toolwright/core/host'
import { custom, Diagnostics, nested, readOptions } from '@toolwright/core/options'

export const stdioOptions = {
  /** The caller: the user who starts the program, because stdio has no credentials. Default: anonymous. */
  principal: custom<Caller, Caller | null>('`Caller`', checkCaller, { default: null }),
}

export const stdioOption = nested(stdioOptions)

function checkCaller(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  try {
    completePrincipal(given as Caller | null)
    return true
  } catch (error) {
    diagnostics.add('bad-option', `${option}: ${(error as Error).message}.`)
    return false
  }
}

/**
 * Reads the caller over stdio: of the argument `--as JSON`, or of the option `stdio`.
 *
 * @throws BootError for an invalid caller.
 */
export function readStdioCaller(stdio: { readonly principal?: Caller | undefined } | undefined): Caller | null {
  const diagnostics = new Diagnostics()
  const at = process.argv.indexOf('--as')
  const given = at === -1 ? undefined : parse(process.argv[at + 1] ?? '')
  const caller =
    given === undefined ? readOptions({ stdio: stdioOption }, { stdio }, '', diagnostics).stdio.principal : given
  if (given !== undefined) checkCaller(given, '--as', diagnostics)
  diagnostics.throwIfAny()
  return caller as Caller | null
}

/** Parses JSON. An invalid text is returned unchanged, and the check names it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
