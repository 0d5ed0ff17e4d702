import {
  AuthenticationError,
  type AuthenticationRequest,
  type AuthenticationScheme,
  type Authenticator,
  type Caller,
  type Principal,
  type ResourceMetadata,
} from '@toolwright/core'
import { completePrincipal, Problems } from '@toolwright/core/internal'
import { checkResource, describeResource } from './check-options.js'
import type { ProtectedResourceOptions } from './options.js'
import { requireScopes } from './require-scopes.js'

export interface AuthenticateWithOptions extends ProtectedResourceOptions {
  /** What challenges ask for. Default: `Bearer`. */
  readonly scheme?: AuthenticationScheme
}

/**
 * Authenticates with a function of yours. It returns who calls, or `null` when the request has no credentials for it, and
 * throws an `AuthenticationError` for bad ones. Anything else that it throws is an internal error: nobody gets in.
 *
 * @throws BootError that lists every mistake in the options.
 */
export function authenticateWith(
  find: (request: AuthenticationRequest) => Caller | null | Promise<Caller | null>,
  options: AuthenticateWithOptions = {},
): Authenticator {
  const { scheme, requiredScopes = [] } = options
  const metadata = readMetadata(options)
  const admit = (caller: Caller | null): Principal | null => {
    const principal = completePrincipal(caller)
    if (principal === null) return null
    checkEnd(principal)
    return requireScopes(principal, requiredScopes)
  }
  return {
    authenticate: (request) => {
      const found = find(request)
      return found !== null && 'then' in found ? found.then(admit) : admit(found)
    },
    requiredScopes,
    ...(scheme === undefined ? {} : { scheme }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

function readMetadata(options: AuthenticateWithOptions): ResourceMetadata | undefined {
  if (options.resource === undefined) return undefined
  const problems = new Problems()
  const resource = checkResource('authenticateWith', options, [], problems)
  const metadata = describeResource('authenticateWith', resource, [], options, problems)
  problems.throwIfAny()
  return metadata
}

function checkEnd({ expiresAt }: Principal): void {
  if (expiresAt === undefined) return
  if (!Number.isFinite(expiresAt)) throw new TypeError('authenticateWith: expiresAt is no number of seconds')
  if (expiresAt * 1000 <= Date.now()) throw expired()
}

function expired(): AuthenticationError {
  const message = 'Unauthorized: the credentials have expired'
  return new AuthenticationError('invalid_token', message, { reason: 'expired' })
}
