// An issuer of access tokens, and another issuer with untrusted keys.
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

const issuer = 'https://login.example.com/'
const audience = 'https://mcp.example.com/mcp'

/** The options of a server that accepts the tokens, a valid token, and a forged one. */
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
