import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { type Principal, principalKey } from '../../context/principal.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { JsonObject, RpcRequest } from '../../rpc/messages.js'
import { toSortedJson } from '../../rpc/sorted-json.js'

export interface RequestStateOptions {
  /** 32 bytes each. The first seals, all of them open. */
  readonly keys: readonly Buffer[]
  /** Milliseconds for which a client may come back with a state. */
  readonly ttlMs: number
}

const cipher = 'aes-256-gcm'
const ivLength = 12
const tagLength = 16

/** Larger ones are neither sealed nor opened: clients carry them, and logs may. */
const maxLength = 256 * 1024

/**
 * Seals what the server has to remember between two rounds, so that it can travel over the client: authenticated
 * encryption, a time to live, and a binding to the request that it belongs to. Spec: basic/mrtr, "Request State".
 */
export class RequestStates {
  constructor(private readonly options: RequestStateOptions) {}

  /** @param binding What the request that brings the state back must have in common with this one. */
  seal(state: JsonObject, binding: string): string {
    const { keys, ttlMs } = this.options
    const iv = randomBytes(ivLength)
    const sealing = createCipheriv(cipher, keys[0] as Buffer, iv, { authTagLength: tagLength })
    sealing.setAAD(Buffer.from(binding))
    const text = JSON.stringify({ expires: Date.now() + ttlMs, state })
    const body = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()])
    const sealed = Buffer.concat([iv, sealing.getAuthTag(), body]).toString('base64url')
    if (sealed.length <= maxLength) return sealed
    throw new Error(
      `What a call remembers between its rounds has more than ${maxLength} bytes. Return less from steps.`,
    )
  }

  /** @throws ProtocolError -32602 for a state that is not one, has expired, or belongs to another request. */
  open(sealed: unknown, binding: string): JsonObject {
    const bytes = readCanonical(sealed)
    if (bytes !== null) {
      for (const key of this.options.keys) {
        const opened = open(bytes, key, binding)
        if (opened !== null && opened.expires > Date.now()) return opened.state
      }
    }
    throw new ProtocolError('invalidParams', 'Invalid params: requestState is not valid. Call again without it', {
      reason: 'invalid_request_state',
    })
  }
}

/** Node decodes leniently: without this check many texts would stand for one state. */
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

/** Changes when the meaning of what is sealed does: nodes of two versions then refuse each other's states. */
const format = 'toolwright request state 4'

/** What all rounds of one call have in common: who calls what with which arguments. */
export function bindingOf({ method, params }: RpcRequest, principal: Principal | null): string {
  const digest = createHash('sha256')
    // Clients may send the members of an object in another order.
    .update(toSortedJson(params['arguments'] ?? {}))
    .digest('base64')
  // By the method: a client may send the other one along, which then means nothing.
  const named = method === 'resources/read' ? params['uri'] : params['name']
  return JSON.stringify([format, principalKey(principal), method, named, digest])
}
