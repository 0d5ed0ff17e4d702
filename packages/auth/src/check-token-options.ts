import type { ResourceMetadata } from '@toolwright/core'
import type { Diagnostics, ReadOptions } from '@toolwright/core/options'
import { checkResource, describeResource } from './check-options.js'
import { proofAlgorithms } from './dpop-algorithms.js'
import type { claimOptions, jwtOptions } from './options.js'
import type { TokenAuthenticatorOptions } from './token-authenticator.js'

type TokenOptions = Omit<
  ReadOptions<typeof jwtOptions>,
  'issuer' | 'jwks' | 'issuers' | 'audience' | 'clients' | 'algorithms' | 'keys'
>

export interface TokenSettings extends Omit<TokenAuthenticatorOptions, 'audience'> {
  readonly clockToleranceSeconds: number
  readonly claims: ReadOptions<typeof claimOptions>
}

interface TokenSource {
  readonly caller: string
  readonly issuers: readonly string[]
  readonly audience: readonly string[]
  /** Seconds for which a token is cached by default. */
  readonly usualSeconds: number
}

export function checkTokenOptions(
  { caller, issuers, audience, usualSeconds }: TokenSource,
  options: TokenOptions,
  diagnostics: Diagnostics,
): TokenSettings {
  const { clockToleranceSeconds, requiredScopes, dpop, cache } = options
  const resource = checkResource(caller, options, audience, diagnostics)
  if (dpop.required && resource === false) {
    diagnostics.add(
      'bad-option',
      `${caller}: dpop.required needs resource, because proofs name the server's URL. Give that URL as resource.`,
    )
  }
  return {
    clockToleranceSeconds,
    claims: options,
    cache: { ttlSeconds: cache.ttlSeconds ?? usualSeconds, maxTokens: cache.maxTokens },
    dpop: { ...dpop, clockToleranceSeconds, resource },
    metadata: addDpop(describeResource(caller, resource, issuers, options, diagnostics), dpop.required),
    requiredScopes,
  }
}

function addDpop(metadata: ResourceMetadata | undefined, required: boolean): ResourceMetadata | undefined {
  if (metadata === undefined) return undefined
  return Object.freeze({
    ...metadata,
    dpop_signing_alg_values_supported: proofAlgorithms,
    ...(required ? { dpop_bound_access_tokens_required: true } : {}),
  })
}
