import { LimitError } from '@toolwright/core'
import type { ReceivingServer } from '@toolwright/core/extension'
import type { Answer, Exchange } from '@toolwright/core/transport'
import { DirectCall, type DirectMessage } from './direct-call.js'

/**
 * Maximum number of notifications of one connection whose tools run at the same time. Transports have the same limit
 * for requests.
 */
const maxAtOnce = 100

const running = new WeakMap<object, number>()

let calls = 0

/**
 * A notification whose method is the name of a tool: the tool runs, and the client gets no response. All limits of
 * requests apply. The server accepts every notification, so notifications above the limits are dropped here.
 */
export class SilentCall extends DirectCall {
  readonly #admission: ReturnType<ReceivingServer['inFlight']['admit']>
  #isOver = false

  constructor(original: Exchange, message: DirectMessage, server: ReceivingServer) {
    const identified = { ...message, id: `silent-${++calls}` }
    super(original, identified, server.catalog)
    this.canNotify = false
    checkExpiry(original)
    enterConnection(original)
    try {
      this.#admission = server.inFlight.admit(1)
    } catch (error) {
      leaveConnection(original)
      throw error
    }
  }

  protected override sendAnswer(_answer: Answer): void {
    this.#leave()
    this.original.respond({ status: 202, body: null })
  }

  override send(): void {}

  override crash(error: unknown): void {
    this.#leave()
    super.crash(error)
  }

  #leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#admission.leave()
    leaveConnection(this.original)
  }
}

/**
 * Rejects a notification if the credentials of its connection have expired, because the transport rejects only
 * requests.
 */
function checkExpiry({ sender }: Exchange): void {
  const { expiresAt = Infinity } = sender.principal ?? {}
  if (!(expiresAt * 1000 > Date.now())) throw new LimitError('unavailable', 'the credentials have expired')
}

function enterConnection({ peer }: Exchange): void {
  if (peer === null) return
  const count = running.get(peer) ?? 0
  if (count >= maxAtOnce) throw new LimitError('unavailable', `at most ${maxAtOnce} notifications run tools at once`)
  running.set(peer, count + 1)
}

function leaveConnection({ peer }: Exchange): void {
  if (peer !== null) running.set(peer, (running.get(peer) ?? 1) - 1)
}
