import type { Answer } from './answer.js'
import { failExchange } from './answer.js'
import { Exchange, type ExchangeInit, type TransportHooks } from './exchange.js'
import type { RequestCall } from './request-call.js'

/**
 * An exchange for a `MessageReceiver` that changes the message, the headers or the peer. Sends all answers and messages through
 * the original exchange. Override `sendAnswer` to change the answer.
 */
export class ForwardedExchange extends Exchange implements TransportHooks {
  constructor(
    protected readonly original: Exchange,
    init: Partial<ExchangeInit> = {},
  ) {
    const { message, headers, sender, peer } = original
    super({ message, headers, sender, peer, ...init })
    this.canNotify = original.canNotify
    this.hooks = this
  }

  protected sendAnswer(answer: Answer): void {
    this.#share()
    this.original.respond(answer)
  }

  send(json: string): void {
    this.#share()
    if (!this.original.isAnswered) this.original.send(json)
  }

  crash(error: unknown): void {
    failExchange(error, this.original)
  }

  override get address(): string | null {
    return this.original.address
  }

  get opensSessions(): boolean {
    return this.original.hooks?.opensSessions === true
  }

  called(call: RequestCall): void {
    this.original.call = call
    this.original.hooks?.called?.(call)
  }

  started(): void {
    this.#share()
    if (!this.original.isAnswered) this.original.hooks?.started?.()
  }

  openEnded(): void {
    this.original.admission?.leave()
    this.original.hooks?.openEnded?.()
  }

  cutStream(): void {
    this.#share()
    if (!this.original.isAnswered) this.original.hooks?.cutStream?.()
  }

  /** Passes the session to the original exchange, because the session decides how the transport sends messages. */
  #share(): void {
    this.original.peer ??= this.peer
  }
}
