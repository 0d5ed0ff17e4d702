import { hash } from 'node:crypto'
import {
  AuthenticationError,
  type AuthenticationRequest,
  type AuthenticationScheme,
  type Gauge,
  LimitError,
  type ProofStore,
  type ProofUse,
} from '@toolwright/core'
import type { ReadOptions } from '@toolwright/core/options'
import { isPromiseLike, withTimeout } from '@toolwright/core/transport'
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { InMemoryProofStore } from './in-memory-proof-store.js'
import type { dpopOptions } from './options.js'

/** Signatures of proofs: those of public keys, as RFC 9449 wants it. */
export const proofAlgorithms = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519']

export const dpopScheme: AuthenticationScheme = Object.freeze({
  name: 'DPoP',
  parameters: { algs: proofAlgorithms.join(' ') },
})

const maxIdLength = 256

/** Milliseconds that another store has for each proof. */
const storeTimeoutMs = 1000

export interface DpopCheckerOptions extends ReadOptions<typeof dpopOptions> {
  readonly clockToleranceSeconds: number
  /** The server's URL as clients know it; `false`: there is none, and no proof can be checked. */
  readonly resource: string | false
}

/** Checks that who presents a token holds the key that the token is bound to (RFC 9449, section 4.3). */
export class DpopChecker {
  /** A store of the application has metrics of its own. */
  readonly gauges: readonly Gauge[]
  readonly #store: ProofStore
  readonly #maxProofs: number
  readonly #maxAge: number
  readonly #tolerance: number
  /** Seconds from its own time on for which a proof is remembered. */
  readonly #remembered: number
  readonly #resource: URL | null

  constructor(options: DpopCheckerOptions) {
    const { maxAgeSeconds, maxProofs, clockToleranceSeconds, resource, proofStore } = options
    const own = new InMemoryProofStore()
    this.#store = proofStore ?? own
    this.#maxProofs = maxProofs
    this.gauges = proofStore === undefined ? [gaugeOf(own, maxProofs)] : []
    this.#maxAge = maxAgeSeconds
    this.#tolerance = clockToleranceSeconds
    // Other nodes that share a store have clocks of their own, which may be as late as a client's may be early.
    this.#remembered = maxAgeSeconds + (proofStore === undefined ? 1 : 2) * clockToleranceSeconds + 1
    this.#resource = resource === false ? null : new URL(resource)
  }

  /**
   * @throws AuthenticationError when the proof is missing, or is not one for this request, token and key.
   * @throws LimitError (503) when nobody can tell whether it was used before.
   */
  async check(request: AuthenticationRequest, token: string, thumbprint: string): Promise<void> {
    const proof = request.headers['dpop']
    if (typeof proof !== 'string') throw refusal('the proof is missing')
    const { jwk, claims } = await readProof(proof)
    if ((await calculateJwkThumbprint(jwk)) !== thumbprint) throw refusal('it is of another key than the token')
    if (claims['htm'] !== request.method) throw refusal('it is for another method')
    if (!this.#isFor(request.url, claims['htu'])) throw refusal('it is for another URL')
    if (claims['ath'] !== hash('sha256', token, 'base64url')) throw refusal('it is for another token')
    await this.#useOnce(claims, thumbprint)
  }

  /** The URL is that of the configuration: what the client says in `Host` proves nothing. */
  #isFor(requestUrl: string, htu: unknown): boolean {
    if (this.#resource === null || typeof htu !== 'string' || !URL.canParse(htu)) return false
    const { origin, pathname, username, password } = new URL(htu)
    if (origin !== this.#resource.origin || username !== '' || password !== '') return false
    const path = requestUrl.split('?', 1)[0] as string
    if (pathname === path) return true
    // A proxy in front may have taken away the beginning of the path. At other paths the resource's URL proves nothing.
    return pathname === this.#resource.pathname && pathname.endsWith(path.replace(/\/$/, ''))
  }

  async #useOnce({ iat, jti }: JWTPayload, thumbprint: string): Promise<void> {
    const now = Date.now() / 1000
    const isIdentified = typeof jti === 'string' && jti !== '' && jti.length <= maxIdLength
    if (!isIdentified || typeof iat !== 'number') throw refusal('it has no jti or no iat')
    if (iat > now + this.#tolerance || iat < now - this.#maxAge - this.#tolerance)
      throw refusal('its iat is too far from now')
    const id = hash('sha256', `${thumbprint} ${jti}`, 'base64')
    const use = await this.#use(id, (iat - now + this.#remembered) * 1000)
    if (use === 'used') throw refusal('it was used before')
    if (use !== 'first')
      throw unavailable(new Error(use === 'full' ? 'too many proofs are remembered' : 'a bad answer'))
  }

  async #use(id: string, keptMs: number): Promise<ProofUse> {
    try {
      const use = this.#store.use(id, keptMs, this.#maxProofs)
      return isPromiseLike(use) ? await withTimeout(use, storeTimeoutMs) : use
    } catch (error) {
      throw unavailable(error)
    }
  }
}

function gaugeOf(store: InMemoryProofStore, max: number): Gauge {
  return { name: 'proofs_remembered', help: 'DPoP proofs that are remembered', max, read: () => store.size }
}

async function readProof(proof: string): Promise<{ jwk: JWK; claims: JWTPayload }> {
  try {
    const options = { typ: 'dpop+jwt', algorithms: proofAlgorithms }
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, options)
    return { jwk: protectedHeader.jwk as JWK, claims: payload }
  } catch {
    throw refusal('it is not a signed proof')
  }
}

function refusal(reason: string): AuthenticationError {
  return new AuthenticationError('invalid_dpop_proof', 'Unauthorized: the DPoP proof is not valid', {
    scheme: dpopScheme,
    reason,
  })
}

/** The proof may be good. @param cause For the log. */
function unavailable(cause: unknown): LimitError {
  const error = new LimitError('unavailable', 'Proofs cannot be checked at present')
  error.cause = cause
  return error
}
