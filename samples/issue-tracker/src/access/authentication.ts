import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Authenticator, BootError, jwtBearer } from 'toolwright'
import { config } from '../config.js'
import {
  developmentAudience,
  developmentIssuer,
  publicKeys,
} from './development-issuer.js'

/**
 * Accepts tokens of the identity provider `ISSUER`, with roles in the claim
 * `roles`. Without `ISSUER`, accepts tokens that `token.js` prints, and prints
 * how to run `token.js`.
 *
 * @throws BootError in production without `ISSUER`, and if only one of the two
 * variables is set.
 */
export async function createAuthentication(): Promise<Authenticator> {
  const { ISSUER: issuer, AUDIENCE: audience, NODE_ENV: environment } = config
  if (issuer !== undefined && audience !== undefined)
    return jwtBearer({ issuer, audience })
  if (
    issuer !== undefined ||
    audience !== undefined ||
    environment === 'production'
  ) {
    const message =
      'Set ISSUER to the identity provider whose tokens are accepted, and AUDIENCE to the URL of this server, which the ' +
      'tokens name. The development issuer is not for production.'
    throw new BootError([{ code: 'bad-environment', message }])
  }
  const program = relative(
    process.cwd(),
    fileURLToPath(new URL('../../dist/access/token.js', import.meta.url)),
  )
  process.stderr.write(
    `Get a token:\n  node ${program} writer    # or reader, or admin\n\n`,
  )
  const jwks = await publicKeys()
  return jwtBearer({
    issuer: developmentIssuer,
    audience: developmentAudience,
    jwks,
    resource: false,
  })
}
