import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose'

export const issuer = 'https://login.example.com/'
export const audience = 'https://mcp.example.com/mcp'
/** Scope that `add_numbers` requires. */
export const neededScope = 'numbers:add'

/** A client's token, and the keys that verify it. */
export interface Access {
  readonly token: string
  readonly jwks: JSONWebKeySet
}

/** Issues an access token as authorization servers do by default: RS256, valid for an hour, with the usual claims. */
export async function issueAccess(): Promise<Access> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const claims = { client_id: 'benchmark', scope: `openid profile ${neededScope}`, roles: ['user'] }
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'first' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('00u1a2b3c4d5e6f7g8h9')
    .setJti('4d1f0f6a-7c52-4c07-9d4b-0a1c8a0f6a52')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
  return { token, jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'first', use: 'sig', alg: 'RS256' }] } }
}
