import { LimitError } from '../../../errors/limit-error.js'

/** Bytes up to which a message is short, as nearly all are. */
const shortBytes = 16_384

/** Bytes of all short messages, and as many of longer ones. */
const maxBytes = 8 * 1024 * 1024

/** Of short messages of one caller, however many sessions it has: the others have as much left. */
const maxOfCaller = maxBytes / 2

/** Of short messages of one session: as many as its client can be asked at once. */
const maxOfSession = 100 * shortBytes

/** How much is brought on to other nodes within one second. */
export class ForwardingQuota {
  readonly #short = new Bytes(maxBytes)
  readonly #long = new Bytes(maxBytes)
  readonly #byCaller = new Map<string, Bytes>()
  readonly #bySession = new Map<string, Bytes>()

  /** @throws LimitError when there is too little left. */
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

  /** The first message may have more than there is. */
  take(bytes: number): void {
    if (this.#taken > 0 && this.#taken + bytes > this.max) {
      throw new LimitError('unavailable', 'Too many answers to other nodes come at once')
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
