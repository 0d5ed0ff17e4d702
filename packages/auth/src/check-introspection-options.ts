import type { Diagnostics } from '@toolwright/core/internal'
import { checkAudience, checkFetchedUrl, checkIssuerUrl, checkNumber, checkText } from './check-options.js'
import { checkTokenOptions, type TokenSettings } from './check-token-options.js'
import { checkTokenOptionNames } from './option-names.js'
import type { IntrospectionOptions } from './options.js'

/** Options with every default filled in. */
export interface IntrospectionSettings extends TokenSettings {
  /** `undefined`: the issuer's metadata says where it is. */
  readonly endpoint: URL | undefined
  readonly clientId: string
  readonly clientSecret: string
  readonly issuer: string
  readonly audience: readonly string[] | false
  readonly maxConcurrent: number
}

const caller = 'introspection'

/** What is returned is of use only where there are no problems. */
export function checkIntrospectionOptions(
  options: IntrospectionOptions,
  diagnostics: Diagnostics,
): IntrospectionSettings {
  const { clientId, clientSecret, issuer, maxConcurrent = 50 } = options
  checkTokenOptionNames(caller, options, diagnostics)
  const isGiven = options.endpoint !== undefined
  const endpoint = isGiven ? checkFetchedUrl(`${caller}: endpoint`, options.endpoint, diagnostics) : undefined
  checkIssuerUrl(caller, issuer, isGiven ? null : 'endpoint', diagnostics)
  checkText(`${caller}: clientId`, clientId, 'Give the id that this server has at the issuer.', diagnostics)
  // The secret itself is in no message, whatever it is.
  const secret = typeof clientSecret === 'string' && clientSecret !== '' ? clientSecret : undefined
  checkText(`${caller}: clientSecret`, secret, 'Is the environment variable with the secret set?', diagnostics)
  const audience = options.audience === false ? false : checkAudience(caller, options.audience, diagnostics)
  const source = { caller, issuers: [issuer], audience: audience === false ? [] : audience, usualSeconds: 30 }
  const settings = checkTokenOptions(source, options, diagnostics)
  checkNumber(`${caller}: maxConcurrent`, maxConcurrent, 1, Infinity, diagnostics)
  return { ...settings, endpoint, clientId, clientSecret, issuer, audience, maxConcurrent }
}
