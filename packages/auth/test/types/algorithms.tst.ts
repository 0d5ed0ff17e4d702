// Compiled with the other tests and never run: editors complete the names of algorithms.
import { jwtBearer, type SignatureAlgorithm } from '@toolwright/auth'

const issuer = { issuer: 'https://login.example.com', audience: 'https://mcp.example.com/mcp' }

jwtBearer({ ...issuer, algorithms: ['ES256', 'EdDSA'] })
// @ts-expect-error The name is misspelt.
jwtBearer({ ...issuer, algorithms: ['ES265'] })
// @ts-expect-error A symmetric key can both verify and sign tokens.
jwtBearer({ ...issuer, algorithms: ['HS256'] })

// Names from configuration are checked at boot.
const names: string = 'ES256,EdDSA'
jwtBearer({ ...issuer, algorithms: names.split(',') as SignatureAlgorithm[] })
