import type { Problems } from '@toolwright/core/internal'
import {
  addDpop,
  checkAudience,
  checkCache,
  checkClaimOptions,
  checkDpop,
  checkIssuerUrl,
  checkNumber,
  checkResource,
  checkScopes,
  checkText,
  checkTolerance,
  checkUrl,
  describeResource,
} from './check-options.js'
import { checkTokenOptionNames } from './option-names.js'
import type { ClaimOptions, IntrospectionOptions } from './options.js'
import type { TokenAuthenticatorOptions } from './token-authenticator.js'

/** Options with every default filled in. */
export interface IntrospectionSettings extends TokenAuthenticatorOptions {
  /** `undefined`: the issuer's metadata says where it is. */
  readonly endpoint: URL | undefined
  readonly clientId: string
  readonly clientSecret: string
  readonly issuer: string
  readonly audience: readonly string[] | false
  readonly clockToleranceSeconds: number
  readonly maxConcurrent: number
  readonly claims: ClaimOptions
}

const caller = 'introspection'

/** What is returned is of use only where there are no problems. */
export function checkIntrospectionOptions(options: IntrospectionOptions, problems: Problems): IntrospectionSettings {
  const { clientId, clientSecret, issuer, clockToleranceSeconds = 30, maxConcurrent = 50 } = options
  const dpop = options.dpop ?? {}
  checkTokenOptionNames(caller, options, problems)
  const isGiven = options.endpoint !== undefined
  const endpoint = isGiven ? checkUrl(`${caller}: endpoint`, options.endpoint, problems) : undefined
  checkIssuerUrl(caller, issuer, isGiven ? null : 'endpoint', problems)
  checkText(`${caller}: clientId`, clientId, 'Give the id that this server has at the issuer.', problems)
  // The secret itself is in no message, whatever it is.
  const secret = typeof clientSecret === 'string' && clientSecret !== '' ? clientSecret : undefined
  checkText(`${caller}: clientSecret`, secret, 'Is the environment variable with the secret set?', problems)
  const audience = options.audience === false ? false : checkAudience(caller, options.audience, problems)
  checkTolerance(caller, clockToleranceSeconds, problems)
  checkClaimOptions(caller, options, problems)
  checkNumber(`${caller}: maxConcurrent`, maxConcurrent, 1, Infinity, problems)
  const cache = checkCache(caller, options.cache, 30, problems)
  const resource = checkResource(caller, options, audience === false ? [] : audience, problems)
  checkDpop(caller, dpop, resource, problems)
  const metadata = addDpop(describeResource(caller, resource, [issuer], options, problems), dpop)
  return {
    endpoint,
    clientId,
    clientSecret,
    issuer,
    audience,
    clockToleranceSeconds,
    maxConcurrent,
    claims: options,
    metadata,
    requiredScopes: checkScopes(`${caller}: requiredScopes`, options.requiredScopes, problems),
    cache,
    dpop: { ...dpop, clockToleranceSeconds, resource },
  }
}
