import { once } from 'node:events'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JSONWebKeySet, type JWK } from 'jose'
import { BootError } from 'toolwright'

// Stands in for an identity provider while you develop. It gives a token to whoever asks: never let others reach it.

/** As in the tokens' `iss`. Nothing has to answer there. */
export const issuer = 'http://localhost/development-issuer'

/** As in the tokens' `aud`: what the issuer calls this server. */
export const audience = 'authorization-sample'

const keyFile = fileURLToPath(new URL('development-keys.json', import.meta.url))

/** The keys that sign, one for each family of algorithms. */
export interface IssuerKeys {
  readonly rsa: JWK
  readonly ec: JWK
}

/** The same for the server and for `mint.js`: made by whichever comes first, and kept beside the program. */
export async function loadKeys(): Promise<IssuerKeys> {
  return readKeys() ?? keepKeys({ rsa: await createKey('rsa', 'RS256'), ec: await createKey('ec', 'ES256') })
}

export async function importKey(jwk: JWK, algorithm: string): Promise<CryptoKey> {
  return (await importJWK(jwk, algorithm)) as CryptoKey
}

/** What everybody may know of the keys. */
export function publicKeys({ rsa, ec }: IssuerKeys): JSONWebKeySet {
  return { keys: [pick(rsa, ['kty', 'kid', 'use', 'n', 'e']), pick(ec, ['kty', 'kid', 'use', 'crv', 'x', 'y'])] }
}

/** Serves the public keys on a port of their own, as an identity provider does. @returns Their URL. */
export async function startIssuer(port: number): Promise<URL> {
  const keys = JSON.stringify(publicKeys(await loadKeys()))
  const server = createServer((request, response) => {
    if (request.url !== '/jwks.json') response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'application/jwk-set+json' }).end(keys)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: Error) => {
    const message = `ISSUER_PORT ${port} cannot be listened on: ${error.message}. Choose another one.`
    throw new BootError([{ code: 'bad-environment', message }])
  })
  // It ends with the program that it is for.
  server.unref()
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`)
}

async function createKey(kid: string, algorithm: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, use: 'sig' }
}

function readKeys(): IssuerKeys | null {
  try {
    return JSON.parse(readFileSync(keyFile, 'utf8')) as IssuerKeys
  } catch {
    return null
  }
}

/** Two programs may start at once: the file appears whole, and the first one's is everybody's. */
function keepKeys(keys: IssuerKeys): IssuerKeys {
  const own = `${keyFile}.${process.pid}`
  writeFileSync(own, JSON.stringify(keys), { mode: 0o600 })
  try {
    linkSync(own, keyFile)
  } catch {
    // The other program was faster.
  }
  rmSync(own)
  return readKeys() ?? keys
}

function pick(jwk: JWK, names: readonly (keyof JWK)[]): JWK {
  return Object.fromEntries(names.map((name) => [name, jwk[name]])) as JWK
}
