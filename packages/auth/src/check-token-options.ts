import type { ResourceMetadata } from '@toolwright/core'
import { type Diagnostics, requireBoolean, requireMethods } from '@toolwright/core/internal'
import { checkNumber, checkResource, checkScopes, describeResource } from './check-options.js'
import { proofAlgorithms } from './dpop.js'
import type {
  ClaimOptions,
  DpopOptions,
  JwtBearerOptions,
  ProtectedResourceOptions,
  TokenCacheOptions,
} from './options.js'
import type { TokenAuthenticatorOptions } from './token-authenticator.js'

/** Options of whatever authenticates by tokens. */
interface TokenOptions
  extends ProtectedResourceOptions,
    ClaimOptions,
    Pick<JwtBearerOptions, 'clockToleranceSeconds' | 'cache' | 'dpop'> {}

/** The same with every default filled in. */
export interface TokenSettings extends TokenAuthenticatorOptions {
  readonly clockToleranceSeconds: number
  readonly claims: ClaimOptions
}

/** What the other options of an authenticator say. */
interface TokenSource {
  /** `jwtBearer` */
  readonly caller: string
  readonly issuers: readonly string[]
  readonly audience: readonly string[]
  /** For how long a token is remembered unless the options say so. */
  readonly usualSeconds: number
}

const maxToleranceSeconds = 300

/** What is returned is of use only where there are no problems. */
export function checkTokenOptions(
  { caller, issuers, audience, usualSeconds }: TokenSource,
  options: TokenOptions,
  diagnostics: Diagnostics,
): TokenSettings {
  const { clockToleranceSeconds = 30 } = options
  const dpop = options.dpop ?? {}
  checkTolerance(caller, clockToleranceSeconds, diagnostics)
  checkClaimOptions(caller, options, diagnostics)
  const cache = checkCache(caller, options.cache, usualSeconds, diagnostics)
  const resource = checkResource(caller, options, audience, diagnostics)
  checkDpop(caller, dpop, resource, diagnostics)
  return {
    clockToleranceSeconds,
    claims: options,
    cache,
    dpop: { ...dpop, clockToleranceSeconds, resource },
    metadata: addDpop(describeResource(caller, resource, issuers, options, diagnostics), dpop),
    requiredScopes: checkScopes(`${caller}: requiredScopes`, options.requiredScopes, diagnostics),
  }
}

function checkTolerance(caller: string, seconds: unknown, diagnostics: Diagnostics): void {
  if (typeof seconds === 'number' && seconds >= 0 && seconds <= maxToleranceSeconds) return
  const fix = `Tokens would be good that much longer than their issuer says. Give 0 to ${maxToleranceSeconds}, and set the clocks.`
  diagnostics.addBadOption(`${caller}: clockToleranceSeconds`, seconds, fix)
}

/** Where claims are: what cannot be followed would refuse each token, or find nothing in any. */
function checkClaimOptions(caller: string, options: ClaimOptions, diagnostics: Diagnostics): void {
  for (const name of ['subjectClaim', 'rolesClaim', 'scopesClaim'] as const) {
    const names = [options[name] ?? 'default'].flat() as unknown[]
    if (names.length > 0 && names.every((one) => typeof one === 'string' && one !== '')) continue
    const fix = 'Give the name of a claim, or the names that lead to it.'
    diagnostics.addBadOption(`${caller}: ${name}`, options[name], fix)
  }
}

function checkCache(
  caller: string,
  given: TokenCacheOptions | undefined,
  usualSeconds: number,
  diagnostics: Diagnostics,
): Required<TokenCacheOptions> {
  const { ttlSeconds = usualSeconds, maxTokens = 10_000 } = given ?? {}
  checkNumber(`${caller}: cache.ttlSeconds`, ttlSeconds, 0, 3600, diagnostics)
  checkNumber(`${caller}: cache.maxTokens`, maxTokens, 0, Infinity, diagnostics)
  return { ttlSeconds, maxTokens }
}

function checkDpop(caller: string, dpop: DpopOptions, resource: string | false, diagnostics: Diagnostics): void {
  requireBoolean(`${caller}: dpop.required`, dpop.required, diagnostics)
  checkNumber(`${caller}: dpop.maxAgeSeconds`, dpop.maxAgeSeconds ?? 60, 1, maxToleranceSeconds, diagnostics)
  checkNumber(`${caller}: dpop.maxProofs`, dpop.maxProofs ?? 1, 1, Infinity, diagnostics)
  requireMethods(`${caller}: dpop.proofStore`, dpop.proofStore, ['use'], diagnostics)
  if (dpop.required === true && resource === false) {
    diagnostics.add(
      'bad-option',
      `${caller}: dpop.required needs resource, because proofs name the server's URL. Give resource.`,
    )
  }
}

/** What the document says of proofs. */
function addDpop(metadata: ResourceMetadata | undefined, { required }: DpopOptions): ResourceMetadata | undefined {
  if (metadata === undefined) return undefined
  return Object.freeze({
    ...metadata,
    dpop_signing_alg_values_supported: proofAlgorithms,
    ...(required === true ? { dpop_bound_access_tokens_required: true } : {}),
  })
}
