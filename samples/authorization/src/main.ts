import { jwtBearer, loadConfig, serve, Type } from 'toolwright'
import { audience, issuer, startIssuer } from './issuer.js'

const port = { minimum: 0, maximum: 65_535 }
const { PORT, ISSUER_PORT, RESOURCE_URL } = loadConfig(
  Type.Object({
    PORT: Type.Integer({ default: 3000, ...port }),
    ISSUER_PORT: Type.Integer({
      default: 0,
      description: "the issuer's keys; 0 for any port",
      ...port,
    }),
    RESOURCE_URL: Type.Optional(
      Type.String({ description: 'the URL that clients call' }),
    ),
  }),
)

/** With port 0, the URL is not known yet, and the metadata contains no URL. */
const ownUrl = PORT === 0 ? false : `http://127.0.0.1:${PORT}/mcp`

const keyServer = await startIssuer(ISSUER_PORT)

await serve({
  name: 'authorization',
  version: '1.0.0',
  title: 'User directory',
  instructions:
    'The roles of the caller decide which tools are listed. The public information requires no authentication.',
  scan: new URL('./tools/', import.meta.url),
  authentication: jwtBearer({
    issuer,
    jwks: keyServer.url,
    audience,
    // Clients compare this URL with the URL that they call, character by
    // character.
    resource: RESOURCE_URL ?? ownUrl,
    scopesSupported: ['tools:write'],
  }),
  onClose: () => keyServer.close(),
})
