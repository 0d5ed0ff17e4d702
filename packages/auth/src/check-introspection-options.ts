import { type Diagnostics, readNamedOptions } from '@toolwright/core/options'
import { checkAudience, checkFetchedUrl, checkIssuerUrl } from './check-options.js'
import { checkTokenOptions, type TokenSettings } from './check-token-options.js'
import { type IntrospectionOptions, introspectionOptions } from './options.js'

export interface IntrospectionSettings extends TokenSettings {
  /** If `undefined`, the endpoint is read from the issuer's metadata. */
  readonly endpoint: URL | undefined
  readonly clientId: string
  readonly clientSecret: string
  readonly issuer: string
  /** Grows when the server is mounted: see `Authenticator.addResource`. */
  readonly audience: string[] | false
  readonly clientAuthentication: 'basic' | 'post'
  readonly accepts: RegExp | undefined
  readonly maxConcurrent: number
}

const caller = 'introspection'

/** Checks the options and fills in the defaults. Use the result only if `diagnostics` stays empty. */
export function checkIntrospectionOptions(
  options: IntrospectionOptions,
  diagnostics: Diagnostics,
): IntrospectionSettings {
  const read = readNamedOptions(introspectionOptions, options, { prefix: `${caller}: ` }, diagnostics)
  const { clientId, clientSecret, clientAuthentication, issuer, accepts, maxConcurrent } = read
  const isGiven = options.endpoint !== undefined
  const endpoint = isGiven ? checkFetchedUrl(`${caller}: endpoint`, options.endpoint, diagnostics) : undefined
  checkIssuerUrl(caller, issuer, isGiven ? null : 'endpoint', diagnostics)
  // The message must not contain the value, which may be the secret.
  if (typeof clientSecret !== 'string' || clientSecret === '') {
    const fix = 'Is the environment variable with the secret set?'
    diagnostics.addBadOption(`${caller}: clientSecret`, undefined, fix)
  }
  const audience = options.audience === false ? false : checkAudience(caller, options.audience, diagnostics)
  const source = { caller, issuers: [issuer], audience: audience === false ? [] : audience, usualSeconds: 30 }
  const settings = checkTokenOptions(source, read, diagnostics)
  return {
    ...settings,
    endpoint,
    clientId,
    clientSecret,
    clientAuthentication,
    issuer,
    audience,
    accepts,
    maxConcurrent,
  }
}
