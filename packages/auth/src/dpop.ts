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
import { isPromiseLike, withTimeout } from '@toolwright/core/host'
import type { ReadOptions } from '@toolwright/core/options'
import type { JWTPayload } from 'jose'
import { proofAlgorithms } from './dpop-algorithms.js'
import { InMemoryProofStore } from './in-memory-proof-store.js'
import type { dpopOptions } from './options.js'

export const dpopScheme: AuthenticationScheme = Object.freeze({
  name: 'DPoP',
  parameters: { algs: proofAlgorithms.join(' ') },
})

const maxIdLength = 256

const storeTimeoutMs = 1000

export interface DpopCheckerOptions extends ReadOptions<typeof dpopOptions> {
  readonly clockToleranceSeconds: number
  /** The server's URL that clients use. `false` if the URL is unknown, so that no proof can be checked. */
  readonly resource: string | false
}

/** Checks DPoP proofs (RFC 9449, section 4.3): the caller must have the key to which its token is bound. */
export class DpopChecker {
  /** The list is empty if the application has its own store, which has separate metrics. */
  readonly gauges: readonly Gauge[]
  readonly #store: ProofStore
  readonly #maxProofs: number
  readonly #maxAge: number
  readonly #tolerance: number
  /** Seconds for which a proof is stored, counted from its `iat`. */
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
    // Nodes that share a store may have slow clocks, while a client's clock may be fast: the tolerance is added twice.
    this.#remembered = maxAgeSeconds + (proofStore === undefined ? 1 : 2) * clockToleranceSeconds + 1
    this.#resource = resource === false ? null : new URL(resource)
  }

  /**
   * @throws AuthenticationError if the proof is missing, or does not match this request, token and key.
   * @throws LimitError (503) if the proof store fails or is full.
   */
  async check(request: AuthenticationRequest, token: string, thumbprint: string): Promise<void> {
    const proof = request.headers['dpop']
    if (typeof proof !== 'string') throw rejection('the proof is missing')
    const { readProof } = await import('./dpop-proof.js')
    const signed = await readProof(proof)
    if (signed === null) throw rejection('the proof is not a signed JWT')
    const { claims } = signed
    if (signed.thumbprint !== thumbprint) throw rejection('the proof is not signed with the key of the token')
    if (claims['htm'] !== request.method) throw rejection('the proof is for another HTTP method')
    if (!this.#isFor(request.url, claims['htu'])) throw rejection('the proof is for another URL')
    if (claims['ath'] !== hash('sha256', token, 'base64url')) throw rejection('the proof is for another token')
    await this.#useOnce(claims, thumbprint)
  }

  /** Whether a proof is for the URL of the request. Uses the configured URL, because clients control `Host`. */
  #isFor(requestUrl: string, htu: unknown): boolean {
    if (this.#resource === null || typeof htu !== 'string' || !URL.canParse(htu)) return false
    const { origin, pathname, username, password } = new URL(htu)
    if (origin !== this.#resource.origin || username !== '' || password !== '') return false
    const path = normalize(requestUrl.split('?', 1)[0] as string)
    const proven = normalize(pathname)
    if (proven === path) return true
    // A proxy may have removed the beginning of the path. A proof for the whole path is accepted only if that is the
    // path of the resource.
    return proven === normalize(this.#resource.pathname) && proven.endsWith(path.replace(/\/$/, ''))
  }

  async #useOnce({ iat, jti }: JWTPayload, thumbprint: string): Promise<void> {
    const now = Date.now() / 1000
    const isIdentified = typeof jti === 'string' && jti !== '' && jti.length <= maxIdLength
    if (!isIdentified || typeof iat !== 'number') throw rejection('the proof has no jti or no iat')
    if (iat > now + this.#tolerance || iat < now - this.#maxAge - this.#tolerance)
      throw rejection('the iat of the proof is too far from now')
    const id = hash('sha256', `${thumbprint} ${jti}`, 'base64')
    const use = await this.#use(id, (iat - now + this.#remembered) * 1000)
    if (use === 'used') throw rejection('the proof was used before')
    if (use !== 'first')
      throw unavailable(
        new Error(use === 'full' ? 'the proof store is full' : 'the proof store returned an invalid result'),
      )
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

/** Normalizes the percent-encoding of a path (RFC 3986, section 6.2.2). Reserved characters stay encoded: `%2F` is no `/`. */
function normalize(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : code.toUpperCase()
  })
}

function gaugeOf(store: InMemoryProofStore, max: number): Gauge {
  return { name: 'proofs_remembered', help: 'DPoP proofs in the store', max, read: () => store.size }
}

function rejection(reason: string): AuthenticationError {
  return new AuthenticationError('invalid_dpop_proof', 'Unauthorized: the DPoP proof is not valid', {
    scheme: dpopScheme,
    reason,
  })
}

/** Creates an error with status 503 instead of 401, because the proof may be valid. @param cause For the log. */
function unavailable(cause: unknown): LimitError {
  const error = new LimitError('unavailable', 'DPoP proof verification is temporarily unavailable')
  error.cause = cause
  return error
}
