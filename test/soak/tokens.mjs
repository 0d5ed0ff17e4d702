// An issuer of access tokens, and one whose keys nobody trusts.
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

const issuer = 'https://login.example.com/'
const audience = 'https://mcp.example.com/mcp'

/** The options of a server that takes the tokens, a good token, and one that somebody else signed. */
export async function issueTokens() {
  const [trusted, other] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
  const jwks = { keys: [{ ...(await exportJWK(trusted.publicKey)), kid: 'first', use: 'sig', alg: 'ES256' }] }
  const sign = ({ privateKey }) =>
    new SignJWT({ client_id: 'soak' })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('somebody')
      .setIssuedAt()
      .setExpirationTime('2h')
      .sign(privateKey)
  return { options: { issuer, audience, jwks }, good: await sign(trusted), forged: await sign(other) }
}
