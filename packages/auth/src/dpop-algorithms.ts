/** Signature algorithms of proofs: public-key algorithms only, as RFC 9449 requires. */
export const proofAlgorithms = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519']
