import type { Authenticator, BootDiagnostic } from '@toolwright/core'
import { Diagnostics } from '@toolwright/core/options'
import { describeMisplaced } from './describe-misplaced.js'

/**
 * Makes an authenticator of options, or one that nobody gets past where there is a mistake in them.
 *
 * @param caller The function that was given the options, for messages: `jwtBearer`.
 */
export function createAuthenticator<Options extends object, Settings>(
  caller: string,
  options: Options,
  check: (options: Options, diagnostics: Diagnostics) => Settings,
  create: (settings: Settings) => Authenticator,
): Authenticator {
  const diagnostics = new Diagnostics()
  if (!isObject(options)) {
    diagnostics.add(
      'bad-option',
      `${caller}: its options are ${describeMisplaced(options)}. Give an object: ${caller}({ … }).`,
    )
    return new UnusableAuthenticator(diagnostics.found)
  }
  const settings = check(options, diagnostics)
  return diagnostics.count > 0 ? new UnusableAuthenticator(diagnostics.found) : create(settings)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/**
 * Stands for one that could not be made. A host reports the mistakes at boot, with all others; whoever asks it all the
 * same is told nothing of them, for that may be a stranger.
 */
class UnusableAuthenticator implements Authenticator {
  constructor(readonly diagnostics: readonly BootDiagnostic[]) {}

  authenticate(): never {
    throw new Error('Nobody can be authenticated: there are mistakes in the options')
  }
}
