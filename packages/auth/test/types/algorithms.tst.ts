// Compiled with the other tests and never run: editors complete the names of signatures.
import { jwtBearer, type SignatureAlgorithm } from '@toolwright/auth'

const issuer = { issuer: 'https://login.example.com', audience: 'https://mcp.example.com/mcp' }

jwtBearer({ ...issuer, algorithms: ['ES256', 'EdDSA'] })
// @ts-expect-error It is misspelt.
jwtBearer({ ...issuer, algorithms: ['ES265'] })
// @ts-expect-error Whoever can check such a token can make one.
jwtBearer({ ...issuer, algorithms: ['HS256'] })

// Names that are read from somewhere are checked at boot.
const names: string = 'ES256,EdDSA'
jwtBearer({ ...issuer, algorithms: names.split(',') as SignatureAlgorithm[] })
