import { AuthenticationError, type Authenticator, type BootDiagnostic } from '@toolwright/core'
import { Diagnostics, isObject } from '@toolwright/core/options'
import { checkLoginOptions } from './check-options.js'
import { createLogin } from './create-login.js'
import { fetchPublic } from './http/fetch-public.js'
import type { LoginOptions } from './options.js'

/**
 * Lets users log in with a provider that MCP clients cannot register at. The server is then the authorization server of its clients,
 * and a client of the provider. Clients get tokens of this server; the provider's tokens stay in the store, encrypted.
 *
 * Invalid options are reported when the server boots.
 */
export function login(options: LoginOptions): Authenticator {
  const diagnostics = new Diagnostics()
  if (!isObject(options)) {
    diagnostics.addBadOption('login: its options', options, 'Give an object: login({ … }).')
    return unusable(diagnostics.found)
  }
  const settings = checkLoginOptions(options, diagnostics)
  return settings === null ? unusable(diagnostics.found) : createLogin(settings, fetchPublic)
}

/** The host reports the diagnostics at boot. */
function unusable(diagnostics: readonly BootDiagnostic[]): Authenticator {
  return {
    diagnostics,
    authenticate: () => {
      throw new AuthenticationError('invalid_token', 'Unauthorized: the login is not configured')
    },
  }
}
