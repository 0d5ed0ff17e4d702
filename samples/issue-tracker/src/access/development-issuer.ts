import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  SignJWT,
} from 'jose'
import { createDataFolder } from '../data-folder.js'

// A replacement for an identity provider during development. Every user who can
// read the file of its key can create tokens.

export const developmentIssuer = 'http://localhost/development-issuer'
export const developmentAudience = 'issue-tracker'

/** Signs a token that is valid for eight hours. */
export async function signToken(
  subject: string,
  role: string,
): Promise<string> {
  return new SignJWT({ roles: [role] })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
    .setIssuer(developmentIssuer)
    .setAudience(developmentAudience)
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime('8h')
    .sign(await importJWK(await loadKey(), 'ES256'))
}

export async function publicKeys(): Promise<JSONWebKeySet> {
  const { kty, crv, x, y } = await loadKey()
  return { keys: [{ kty, crv, x, y, alg: 'ES256', use: 'sig' }] }
}

/**
 * Returns the key that the server and `token.js` share. The first program that
 * runs creates the key.
 */
async function loadKey(): Promise<JWK> {
  const file = join(createDataFolder(), 'development-key.json')
  return readKey(file) ?? keepKey(file, await createKey())
}

async function createKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return exportJWK(privateKey)
}

function readKey(file: string): JWK | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as JWK
  } catch {
    return null
  }
}

/**
 * Writes the key atomically. If two programs start at the same time, both use
 * the file of the first program.
 */
function keepKey(file: string, key: JWK): JWK {
  const own = `${file}.${process.pid}`
  writeFileSync(own, JSON.stringify(key), { mode: 0o600 })
  try {
    linkSync(own, file)
  } catch {
    // The other program has written the file first.
  }
  rmSync(own)
  return readKey(file) ?? key
}
