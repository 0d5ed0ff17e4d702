import { calculateJwkThumbprint, EmbeddedJWK, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { proofAlgorithms } from './dpop-algorithms.js'

export interface SignedProof {
  readonly claims: JWTPayload
  /** Thumbprint of the key that signed the proof (RFC 7638). */
  readonly thumbprint: string
}

/** Verifies the signature of a proof by the key in its header. @returns `null` if the proof is not a signed JWT. */
export async function readProof(proof: string): Promise<SignedProof | null> {
  try {
    const options = { typ: 'dpop+jwt', algorithms: proofAlgorithms }
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, options)
    return { claims: payload, thumbprint: await calculateJwkThumbprint(protectedHeader.jwk as JWK) }
  } catch {
    return null
  }
}
