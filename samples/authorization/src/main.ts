import { jwtBearer, serve } from 'toolwright'
import { audience, issuer, startIssuer } from './issuer.js'

const port = Number(process.env['PORT']) || 3000

await serve({
  name: 'authorization',
  version: '1.0.0',
  title: 'User directory',
  instructions: 'Who calls decides what is listed. Everybody may read the public information.',
  scan: new URL('./tools/', import.meta.url),
  authentication: jwtBearer({
    issuer,
    jwks: await startIssuer(),
    audience,
    // The URL as clients know it, to the letter: they compare it with the one that they call.
    resource: process.env['RESOURCE_URL'] || `http://127.0.0.1:${port}/mcp`,
    scopesSupported: ['tools:write'],
  }),
})
