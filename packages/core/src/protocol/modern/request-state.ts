import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { toSortedJson } from '@toolwright/schema'
import { type Principal, principalKey } from '../../context/principal.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { JsonObject, RpcRequest } from '../../rpc/messages.js'

export interface RequestStateOptions {
  /**
   * Secrets from which the keys are derived. The first key encrypts. All keys decrypt. `undefined`: a random key for this
   * process.
   */
  readonly secrets: readonly (Uint8Array | string)[] | undefined
  readonly ttlMs: number
}

const cipher = 'aes-256-gcm'
const ivLength = 12
const tagLength = 16

/** Maximum number of characters of an encrypted state. Limited because clients send the state back, and could log the state. */
const maxLength = 256 * 1024

/**
 * Encrypts the state of a call, which the client stores between two rounds. The encrypted state is authenticated, expires, and is
 * only valid for the same request. Spec: basic/mrtr, "Request State".
 */
export class RequestStates {
  #keys: readonly Buffer[] | null = null

  constructor(private readonly options: RequestStateOptions) {}

  /** Keys are derived at first use, because cryptography takes milliseconds to load, and few servers need keys. */
  get #derivedKeys(): readonly Buffer[] {
    this.#keys ??= (this.options.secrets ?? [randomBytes(32)]).map(deriveKey)
    return this.#keys
  }

  seal(state: JsonObject, binding: string): string {
    const { ttlMs } = this.options
    const iv = randomBytes(ivLength)
    const sealing = createCipheriv(cipher, this.#derivedKeys[0] as Buffer, iv, { authTagLength: tagLength })
    sealing.setAAD(Buffer.from(binding))
    const text = JSON.stringify({ expires: Date.now() + ttlMs, state })
    const body = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()])
    const sealed = Buffer.concat([iv, sealing.getAuthTag(), body]).toString('base64url')
    if (sealed.length <= maxLength) return sealed
    throw new Error(
      `The state that a call keeps between its rounds exceeds ${maxLength} bytes. Return smaller values from its steps.`,
    )
  }

  open(sealed: unknown, binding: string): JsonObject {
    const bytes = readCanonical(sealed)
    if (bytes !== null) {
      for (const key of this.#derivedKeys) {
        const opened = open(bytes, key, binding)
        if (opened !== null && opened.expires > Date.now()) return opened.state
      }
    }
    throw new ProtocolError('invalidParams', 'Invalid params: requestState is not valid. Call again without it', {
      reason: 'invalid_request_state',
    })
  }
}

/**
 * Derives a key for this purpose only, so that the same secret can also be used elsewhere. The key has the length that the cipher
 * requires.
 */
function deriveKey(secret: Uint8Array | string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'toolwright request state', 32))
}

/** Decodes a state. Node decodes leniently: without this check, different strings would decode to the same state. */
function readCanonical(sealed: unknown): Buffer | null {
  if (typeof sealed !== 'string' || sealed.length > maxLength) return null
  const bytes = Buffer.from(sealed, 'base64url')
  return bytes.length > ivLength + tagLength && bytes.toString('base64url') === sealed ? bytes : null
}

interface Opened {
  readonly expires: number
  readonly state: JsonObject
}

function open(bytes: Buffer, key: Buffer, binding: string): Opened | null {
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivLength), { authTagLength: tagLength })
  opening.setAAD(Buffer.from(binding))
  opening.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength))
  const text = opening.update(bytes.subarray(ivLength + tagLength), undefined, 'utf8')
  try {
    return JSON.parse(text + opening.final('utf8')) as Opened
  } catch {
    return null
  }
}

/** Name and version of the format. Nodes with different formats reject each other's states. */
const format = 'toolwright request state 5'

export function bindingOf({ method, params }: RpcRequest, principal: Principal | null): string {
  const digest = createHash('sha256')
    // The members are sorted, because clients can reorder the members of the arguments.
    .update(toSortedJson(params['arguments'] ?? {}))
    .digest('base64')
  // The method decides which member is used, because a client can send both `uri` and `name`.
  const named = method === 'resources/read' ? params['uri'] : params['name']
  return JSON.stringify([format, principalKey(principal), method, named, digest])
}
