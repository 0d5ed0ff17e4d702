import { hash, timingSafeEqual } from 'node:crypto'
import {
  AuthenticationError,
  type AuthenticationRequest,
  type AuthenticationScheme,
  type Authenticator,
  type Principal,
} from '@toolwright/core'
import { type Diagnostics, isObject, readNamedOptions } from '@toolwright/core/options'
import { type ApiKey, type ApiKeyOptions, apiKeyOptions, apiKeysOptions } from './api-key-options.js'
import { isToken, readToken } from './bearer-token.js'
import { createAuthenticator } from './create-authenticator.js'
import { describeMisplaced } from './describe-misplaced.js'
import { freezeDeeply } from './to-principal.js'

/** Minimum length of a key in characters, because shorter keys can be guessed. */
const leastKeyLength = 16

/**
 * Authenticates callers by API keys.
 * Invalid options are reported when a server boots with the authenticator.
 *
 * @example
 * apiKeys({ keys: [{ key: process.env.BUILD_KEY, subject: 'build', scopes: ['tools:read'] }] })
 */
export function apiKeys(options: ApiKeyOptions): Authenticator {
  return createAuthenticator(
    'apiKeys',
    options,
    checkApiKeys,
    ({ entries, header }) => new ApiKeys(entries, header.toLowerCase()),
  )
}

interface ApiKeySettings {
  readonly entries: readonly Entry[]
  readonly header: string
}

function checkApiKeys(options: ApiKeyOptions, diagnostics: Diagnostics): ApiKeySettings {
  const { header } = readNamedOptions(apiKeysOptions, options, { prefix: 'apiKeys: ' }, diagnostics)
  const entries = readEntries(options.keys, diagnostics)
  if (Array.isArray(options.keys)) checkSendable(options.keys, /^authorization$/i.test(header), diagnostics)
  return { entries, header }
}

interface Entry {
  readonly digest: Buffer
  readonly principal: Principal
}

class ApiKeys implements Authenticator {
  readonly scheme: AuthenticationScheme

  constructor(
    private readonly entries: readonly Entry[],
    private readonly header: string,
  ) {
    this.scheme = header === 'authorization' ? { name: 'Bearer' } : { name: 'ApiKey', parameters: { header } }
  }

  authenticate({ headers }: AuthenticationRequest): Principal | null {
    const key = this.header === 'authorization' ? readToken(headers)?.token : headers[this.header]
    if (key === undefined) return null
    const principal = this.#find(String(key))
    if (principal !== null) return principal
    throw new AuthenticationError('invalid_token', 'Unauthorized: the API key is not valid', {
      reason: 'unknown API key',
    })
  }

  /** Compares the digests of all keys, so that the duration reveals nothing about the keys. */
  #find(key: string): Principal | null {
    const digest = digestOf(key)
    let found: Principal | null = null
    for (const entry of this.entries) {
      if (timingSafeEqual(entry.digest, digest)) found = entry.principal
    }
    return found
  }
}

function readEntries(keys: readonly ApiKey[], diagnostics: Diagnostics): readonly Entry[] {
  if (!Array.isArray(keys) || keys.length === 0) {
    diagnostics.add('bad-option', `apiKeys: keys is ${describeMisplaced(keys)}. Give at least one: { key, subject }.`)
    return []
  }
  const entries = keys.flatMap((key: ApiKey, index) => readEntry(key, `apiKeys: keys[${index}]`, diagnostics))
  const digests = entries.map(({ digest }) => digest.toString('hex'))
  const duplicate = digests.findIndex((digest, index) => digests.indexOf(digest) !== index)
  if (duplicate !== -1 && diagnostics.count === 0) {
    diagnostics.add(
      'bad-option',
      `apiKeys: keys[${duplicate}] has the same key as another entry. Give each caller a separate key.`,
    )
  }
  return entries
}

/**
 * Header values that all clients send unchanged. Clients encode other characters differently, and cannot send line breaks.
 */
const inHeader = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Reports keys that cannot be sent, such as a key from a file that ends with a line break. */
function checkSendable(keys: readonly (ApiKey | null)[], isBearer: boolean, diagnostics: Diagnostics): void {
  for (const [index, entry] of keys.entries()) {
    const key = entry?.key
    if (typeof key !== 'string' || key === '') continue
    const name = `apiKeys: keys[${index}]`
    if (!inHeader.test(key)) {
      const fix = 'Does the key end with a line break or a space? Give printable ASCII.'
      diagnostics.add('bad-option', `${name}: the key has characters that a header cannot carry. ${fix}`)
    } else if (isBearer && !isToken(key)) {
      const fix = "Use only letters, digits and -._~+/, with = only at the end. Or set another header: 'x-api-key'."
      diagnostics.add('bad-option', `${name}: the key has characters that a token after Bearer cannot have. ${fix}`)
    }
  }
}

/** Messages omit the key, because messages are logged. @returns An empty list for an invalid entry. */
function readEntry(entry: ApiKey, name: string, diagnostics: Diagnostics): readonly Entry[] {
  const before = diagnostics.count
  if (!isObject(entry)) diagnostics.add('bad-option', `${name} is not an object. Give one.`)
  const given: object = isObject(entry) ? entry : {}
  const read = readNamedOptions(apiKeyOptions, given, { prefix: `${name}: ` }, diagnostics)
  const { key, sha256, subject, roles, scopes, claims } = read
  checkKey(key, sha256, name, diagnostics)
  if (diagnostics.count > before) return []
  const digest = sha256 === undefined ? digestOf(key as string) : Buffer.from(sha256, 'hex')
  const rights = { roles: [...roles], scopes: [...scopes], claims: structuredClone(claims) }
  return [{ digest, principal: freezeDeeply({ subject, ...rights, namespace: 'apiKeys' }) }]
}

function checkKey(key: unknown, sha256: unknown, name: string, diagnostics: Diagnostics): void {
  if ((key === undefined) === (sha256 === undefined)) {
    diagnostics.add('bad-option', `${name} needs either key or sha256. Is the environment variable with the key set?`)
  }
  if (key === '') {
    diagnostics.add('bad-option', `${name}: the key is empty. Is the environment variable with the key set?`)
  } else if (key !== undefined && (typeof key !== 'string' || key.length < leastKeyLength)) {
    const fault = `the key has fewer than ${leastKeyLength} characters and can be guessed`
    diagnostics.add('bad-option', `${name}: ${fault}. \`openssl rand -base64 32\` prints a new key.`)
  }
  if (sha256 !== undefined && !(typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256))) {
    const fault = 'sha256 is not a SHA-256 hash in hexadecimal'
    diagnostics.add('bad-option', `${name}: ${fault}. \`printf %s KEY | sha256sum\` prints it.`)
  }
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}
