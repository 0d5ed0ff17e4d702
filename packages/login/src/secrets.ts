import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Purposes of keys. Each purpose has its own key, so that a value of one purpose is invalid for all others. */
type Purpose = 'store' | 'cookies' | 'forms' | 'clients' | 'client-secrets' | 'tokens'

interface SecretKeys {
  /** Begins each sealed value, so that the key is found after a rotation. */
  readonly id: string
  of(purpose: Purpose): Buffer
}

const ivBytes = 12
const tagBytes = 16

/** Keys derived from the secrets. The first secret seals and signs; all secrets open and verify. */
export class Secrets {
  readonly #keys: readonly [SecretKeys, ...SecretKeys[]]

  constructor(secrets: readonly [string, ...string[]]) {
    const [first, ...others] = secrets
    this.#keys = [keysOf(first), ...others.map(keysOf)]
  }

  /** Returns a key of each secret, the newest first. */
  keys(purpose: Purpose): readonly string[] {
    return this.#keys.map((keys) => keys.of(purpose).toString('base64url'))
  }

  /** Encrypts a value. @param name Binds the value to its place: under another name, it cannot be opened. */
  seal(name: string, value: string): string {
    const [keys] = this.#keys
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', keys.of('store'), iv).setAAD(Buffer.from(name))
    const sealed = Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `${keys.id}.${sealed.toString('base64url')}`
  }

  /** Decrypts a value; `null` for a value that was changed, moved, or sealed with an unknown secret. */
  open(name: string, sealed: string): string | null {
    const [id, data = ''] = sealed.split('.')
    const keys = this.#keys.find((one) => one.id === id)
    const bytes = Buffer.from(data, 'base64url')
    if (keys === undefined || bytes.length < ivBytes + tagBytes) return null
    const decipher = createDecipheriv('aes-256-gcm', keys.of('store'), bytes.subarray(0, ivBytes))
    decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-tagBytes))
    try {
      return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      return null
    }
  }

  sign(purpose: Purpose, value: string): string {
    return signatureOf(this.#keys[0], purpose, value)
  }

  verify(purpose: Purpose, value: string, signature: string): boolean {
    return this.#keys.some((keys) => isEqual(signatureOf(keys, purpose, value), signature))
  }

  /** Derives a value from the secret that signed `signed`, so that a rotation does not change the value. */
  deriveAs(signed: { readonly purpose: Purpose; readonly value: string; readonly signature: string }): string | null {
    const { purpose, value, signature } = signed
    const keys = this.#keys.find((one) => isEqual(signatureOf(one, purpose, value), signature))
    return keys === undefined ? null : signatureOf(keys, 'client-secrets', value)
  }
}

function keysOf(secret: string): SecretKeys {
  const derive = (info: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', `toolwright login ${info}`, 32))
  const known = new Map<Purpose, Buffer>()
  const of = (purpose: Purpose): Buffer => {
    const key = known.get(purpose) ?? derive(purpose)
    known.set(purpose, key)
    return key
  }
  return { id: derive('id').toString('base64url').slice(0, 8), of }
}

function signatureOf(keys: SecretKeys, purpose: Purpose, value: string): string {
  return createHmac('sha256', keys.of(purpose)).update(value).digest('base64url')
}

/** Compares two strings in constant time. */
export function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** Hashes a token to a key of the store, so that the store contains no usable tokens. */
export function keyOf(kind: string, id: string): string {
  return `${kind}:${hash('sha256', id, 'base64url')}`
}

export function randomId(): string {
  return randomBytes(32).toString('base64url')
}
