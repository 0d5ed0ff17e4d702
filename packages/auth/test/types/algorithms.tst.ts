// Compiled with the other tests and never run: editors complete the names of signatures.
import { jwtBearer } from '@toolwright/auth'

const issuer = { issuer: 'https://login.example.com', audience: 'https://mcp.example.com/mcp' }

jwtBearer({ ...issuer, algorithms: ['ES256', 'EdDSA'] })
// @ts-expect-error It is misspelt.
jwtBearer({ ...issuer, algorithms: ['ES265'] })
// @ts-expect-error Whoever can check such a token can make one.
jwtBearer({ ...issuer, algorithms: ['HS256'] })
