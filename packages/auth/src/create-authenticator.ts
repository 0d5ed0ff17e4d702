import type { Authenticator, BootDiagnostic } from '@toolwright/core'
import { Diagnostics } from '@toolwright/core/options'
import { describeMisplaced } from './describe-misplaced.js'

/**
 * Creates an authenticator from options. With invalid options, the authenticator rejects all requests.
 *
 * @param caller Function that the options were passed to, for messages: `jwtBearer`.
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
 * Placeholder for an authenticator with invalid options. The host reports the invalid options at boot. Requests are
 * rejected without details, because the caller may be a stranger.
 */
class UnusableAuthenticator implements Authenticator {
  constructor(readonly diagnostics: readonly BootDiagnostic[]) {}

  authenticate(): never {
    throw new Error('Authentication is not possible: its options are invalid')
  }
}
