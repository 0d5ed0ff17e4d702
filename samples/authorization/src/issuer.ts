import { once } from 'node:events'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import { BootError } from 'toolwright'

// A replacement for an identity provider during development. It issues tokens
// to every caller, so that others must never reach it.

/** Issuer of the tokens (`iss`). Nothing has to respond at this URL. */
export const issuer = 'http://localhost/development-issuer'

/** Audience of the tokens (`aud`): the issuer's name for this server. */
export const audience = 'authorization-sample'

const keyFile = fileURLToPath(new URL('development-keys.json', import.meta.url))

/** Private signing keys, one for each family of algorithms. */
export interface IssuerKeys {
  readonly rsa: JWK
  readonly ec: JWK
}

/**
 * Returns the keys that the server and `mint.js` share. The first program that
 * runs creates them, in a file beside it.
 */
export async function loadKeys(): Promise<IssuerKeys> {
  return (
    readKeys() ??
    keepKeys({
      rsa: await createKey('rsa', 'RS256'),
      ec: await createKey('ec', 'ES256'),
    })
  )
}

export async function importKey(
  jwk: JWK,
  algorithm: string,
): Promise<CryptoKey> {
  return (await importJWK(jwk, algorithm)) as CryptoKey
}

/** Returns the public parts of the keys. */
export function publicKeys({ rsa, ec }: IssuerKeys): JSONWebKeySet {
  return {
    keys: [
      pick(rsa, ['kty', 'kid', 'use', 'n', 'e']),
      pick(ec, ['kty', 'kid', 'use', 'crv', 'x', 'y']),
    ],
  }
}

/** A server for the public keys. */
export interface KeyServer {
  readonly url: URL
  close(): void
}

/** Serves the public keys on a separate port, as an identity provider does. */
export async function startIssuer(port: number): Promise<KeyServer> {
  const keys = JSON.stringify(publicKeys(await loadKeys()))
  const server = createServer((request, response) => {
    if (request.url !== '/jwks.json') response.writeHead(404).end()
    else
      response
        .writeHead(200, { 'content-type': 'application/jwk-set+json' })
        .end(keys)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: Error) => {
    const message = `ISSUER_PORT ${port} cannot be listened on: ${error.message}. Choose another one.`
    throw new BootError([{ code: 'bad-environment', message }])
  })
  // Does not keep the program running.
  server.unref()
  const url = new URL(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
  )
  return { url, close: () => void server.close() }
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

/**
 * Writes the keys atomically. If two programs start at the same time, both use
 * the file of the first program.
 */
function keepKeys(keys: IssuerKeys): IssuerKeys {
  const own = `${keyFile}.${process.pid}`
  writeFileSync(own, JSON.stringify(keys), { mode: 0o600 })
  try {
    linkSync(own, keyFile)
  } catch {
    // The other program has written the file first.
  }
  rmSync(own)
  return readKeys() ?? keys
}

function pick(jwk: JWK, names: readonly (keyof JWK)[]): JWK {
  return Object.fromEntries(names.map((name) => [name, jwk[name]])) as JWK
}
