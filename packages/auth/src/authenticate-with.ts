import {
  AuthenticationError,
  type AuthenticationRequest,
  type Authenticator,
  type Caller,
  type Principal,
  type ResourceMetadata,
} from '@toolwright/core'
import { completePrincipal, isPromiseLike } from '@toolwright/core/host'
import { type Diagnostics, describeValue, readNamedOptions } from '@toolwright/core/options'
import { checkResource, describeResource } from './check-options.js'
import { createAuthenticator } from './create-authenticator.js'
import { type AuthenticateWithOptions, authenticateWithOptions } from './options.js'
import { requireScopes } from './require-scopes.js'

/**
 * Authenticates callers with a function of the application. The function returns the caller, or `null` if the request
 * has no credentials for this function. The function throws an `AuthenticationError` for invalid credentials. Any other
 * error rejects the request as an internal error. Invalid options are reported when a server boots with the
 * authenticator.
 */
export function authenticateWith(
  find: (request: AuthenticationRequest) => Caller | null | Promise<Caller | null>,
  options: AuthenticateWithOptions = {},
): Authenticator {
  const check = (given: AuthenticateWithOptions, diagnostics: Diagnostics) => checkOptions(find, given, diagnostics)
  return createAuthenticator('authenticateWith', options, check, ({ requiredScopes, metadata }) => {
    const { scheme } = options
    const admit = (caller: Caller | null, request: AuthenticationRequest): Principal | null => {
      const principal = completePrincipal(caller, 'authenticateWith')
      if (principal === null) return null
      checkEnd(principal)
      return requireScopes(principal, requiredScopes, request)
    }
    return {
      authenticate: (request) => {
        const found = find(request)
        return isPromiseLike(found) ? found.then((caller) => admit(caller, request)) : admit(found, request)
      },
      requiredScopes,
      ...(scheme === undefined ? {} : { scheme }),
      ...(metadata === undefined ? {} : { metadata }),
    }
  })
}

interface Settings {
  readonly requiredScopes: readonly string[]
  readonly metadata: ResourceMetadata | undefined
}

function checkOptions(find: unknown, options: AuthenticateWithOptions, diagnostics: Diagnostics): Settings {
  const caller = 'authenticateWith'
  const read = readNamedOptions(authenticateWithOptions, options, { prefix: `${caller}: ` }, diagnostics)
  const { requiredScopes } = read
  if (typeof find !== 'function') {
    diagnostics.add(
      'bad-option',
      `${caller}: ${describeValue(find)} is not a function. Give a function that returns the caller.`,
    )
  }
  if (options.resource === undefined) return { requiredScopes, metadata: undefined }
  const resource = checkResource(caller, options, [], diagnostics)
  return { requiredScopes, metadata: describeResource(caller, resource, [], read, diagnostics) }
}

function checkEnd({ expiresAt }: Principal): void {
  if (expiresAt === undefined) return
  if (!Number.isFinite(expiresAt)) {
    throw new TypeError(`authenticateWith: expiresAt is ${describeValue(expiresAt)}. Give seconds since the epoch`)
  }
  if (expiresAt * 1000 <= Date.now()) throw expired()
}

function expired(): AuthenticationError {
  const message = 'Unauthorized: the credentials have expired'
  return new AuthenticationError('invalid_token', message, { reason: 'expired' })
}
