import { LimitError } from '../../../errors/limit-error.js'

/** Maximum bytes of a short message. Nearly all messages are short. */
const shortBytes = 16_384

/** Maximum bytes of all short messages; the same again for long messages. */
const maxBytes = 8 * 1024 * 1024

/** Maximum bytes of short messages of one caller, in all its sessions. Half is left for other callers. */
const maxOfCaller = maxBytes / 2

/** Maximum bytes of short messages of one session: answers to the maximum number of pending client requests. */
const maxOfSession = 100 * shortBytes

/** Limits for messages that are forwarded to other nodes within one second. */
export class ForwardingQuota {
  readonly #short = new Bytes(maxBytes)
  readonly #long = new Bytes(maxBytes)
  readonly #byCaller = new Map<string, Bytes>()
  readonly #bySession = new Map<string, Bytes>()

  /** @throws LimitError if the message exceeds the rest of a limit. */
  take(sessionId: string, caller: string, bytes: number): void {
    if (bytes > shortBytes) this.#long.take(bytes)
    else {
      of(sessionId, this.#bySession, maxOfSession).take(bytes)
      of(caller, this.#byCaller, maxOfCaller).take(bytes)
      this.#short.take(bytes)
    }
  }
}

class Bytes {
  #taken = 0

  constructor(private readonly max: number) {}

  /** Counts a message. The first message may exceed the limit. */
  take(bytes: number): void {
    if (this.#taken > 0 && this.#taken + bytes > this.max) {
      throw new LimitError('unavailable', 'Too many messages for other nodes at once')
    }
    this.#taken += bytes
  }
}

function of(name: string, all: Map<string, Bytes>, max: number): Bytes {
  const known = all.get(name)
  if (known !== undefined) return known
  const bytes = new Bytes(max)
  all.set(name, bytes)
  return bytes
}
