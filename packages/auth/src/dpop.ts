import { createHash } from 'node:crypto'
import {
  AuthenticationError,
  type AuthenticationRequest,
  type AuthenticationScheme,
  type Gauge,
} from '@toolwright/core'
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { ExpiringMap } from './expiring-map.js'
import type { DpopOptions } from './options.js'

/** Signatures of proofs: those of public keys, as RFC 9449 wants it. */
export const proofAlgorithms = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519']

export const dpopScheme: AuthenticationScheme = Object.freeze({
  name: 'DPoP',
  parameters: { algs: proofAlgorithms.join(' ') },
})

const maxIdLength = 256

export interface DpopCheckerOptions extends DpopOptions {
  readonly clockToleranceSeconds: number
  /** The server's URL as clients know it; `false`: there is none, and no proof can be checked. */
  readonly resource: string | false
}

/** Checks that who presents a token holds the key that the token is bound to (RFC 9449, section 4.3). */
export class DpopChecker {
  readonly gauge: Gauge
  readonly #used: ExpiringMap<true>
  readonly #maxAge: number
  readonly #tolerance: number
  readonly #resource: URL | null

  constructor({ maxAgeSeconds = 60, maxProofs = 100_000, clockToleranceSeconds, resource }: DpopCheckerOptions) {
    const used = new ExpiringMap<true>({ maxEntries: maxProofs, maxBytes: Infinity })
    this.#used = used
    this.gauge = {
      name: 'proofs_remembered',
      help: 'DPoP proofs that are remembered',
      max: maxProofs,
      read: () => used.size,
    }
    this.#maxAge = maxAgeSeconds
    this.#tolerance = clockToleranceSeconds
    this.#resource = resource === false ? null : new URL(resource)
  }

  /** @throws AuthenticationError when the proof is missing, or is not one for this request, token and key. */
  async check(request: AuthenticationRequest, token: string, thumbprint: string): Promise<void> {
    const proof = request.headers['dpop']
    if (typeof proof !== 'string') throw refusal('the proof is missing')
    const { jwk, claims } = await readProof(proof)
    if ((await calculateJwkThumbprint(jwk)) !== thumbprint) throw refusal('it is of another key than the token')
    if (claims['htm'] !== request.method) throw refusal('it is for another method')
    if (!this.#isFor(request.url, claims['htu'])) throw refusal('it is for another URL')
    if (claims['ath'] !== createHash('sha256').update(token).digest('base64url'))
      throw refusal('it is for another token')
    this.#use(claims, thumbprint)
  }

  /** The URL is that of the configuration: what the client says in `Host` proves nothing. */
  #isFor(requestUrl: string, htu: unknown): boolean {
    if (this.#resource === null || typeof htu !== 'string' || !URL.canParse(htu)) return false
    const { origin, pathname } = new URL(htu)
    if (origin !== this.#resource.origin) return false
    // A proxy in front may have taken away a part of the path, or added one.
    return pathname === requestUrl.split('?', 1)[0] || pathname === this.#resource.pathname
  }

  /** Nothing is awaited here: of two requests with one proof at once, one is the first. */
  #use({ iat, jti }: JWTPayload, thumbprint: string): void {
    const now = Date.now() / 1000
    const isIdentified = typeof jti === 'string' && jti !== '' && jti.length <= maxIdLength
    if (!isIdentified || typeof iat !== 'number') throw refusal('it has no jti or no iat')
    if (iat > now + this.#tolerance || iat < now - this.#maxAge - this.#tolerance) throw refusal('its time is not now')
    const id = createHash('sha256').update(`${thumbprint} ${jti}`).digest('base64')
    if (this.#used.get(id) === true) throw refusal('it was used before')
    // Forgetting proofs to make room would let them be used again.
    if (this.#used.isFull) throw refusal('too many proofs are remembered')
    this.#used.set(id, true, (iat + this.#maxAge + this.#tolerance + 1) * 1000)
  }
}

async function readProof(proof: string): Promise<{ jwk: JWK; claims: JWTPayload }> {
  try {
    const options = { typ: 'dpop+jwt', algorithms: proofAlgorithms }
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, options)
    return { jwk: protectedHeader.jwk as JWK, claims: payload }
  } catch {
    throw refusal('it is no signed proof')
  }
}

function refusal(reason: string): AuthenticationError {
  return new AuthenticationError('invalid_dpop_proof', 'Unauthorized: the DPoP proof is not valid', {
    scheme: dpopScheme,
    reason,
  })
}
