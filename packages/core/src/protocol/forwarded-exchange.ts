import type { Cancellation } from '../context/cancellation.js'
import { type Answer, Exchange, type ExchangeInit } from './exchange.js'
import type { RequestCall } from './request-call.js'

/**
 * An exchange for a `MessageReceiver` that changes the message, the headers or the peer. Sends all answers and messages through
 * the original exchange. Override `sendAnswer` to change the answer.
 */
export class ForwardedExchange extends Exchange {
  constructor(
    protected readonly original: Exchange,
    init: Partial<ExchangeInit> = {},
  ) {
    const { message, headers, contextHeaders, principal, transport, log, peer, sessions } = original
    const shared = { message, headers, principal, transport, log, peer, sessions }
    super({ ...shared, contextHeaders: contextHeaders ?? undefined, ...init })
    this.session = original.session
    this.canNotify = original.canNotify
  }

  protected sendAnswer(answer: Answer): void {
    this.#share()
    this.original.answer(answer)
  }

  protected sendMessage(json: string): void {
    this.#share()
    this.original.notify(json)
  }

  crash(error: unknown): void {
    this.original.fail(error)
  }

  override get address(): string | null {
    return this.original.address
  }

  protected override cutStream(): void {
    this.#share()
    this.original.closeStream()
  }

  override started(): void {
    this.#share()
    this.original.started()
  }

  protected override lasts(): void {
    this.original.whenClosing(() => this.closing())
  }

  override setCall(call: RequestCall): void {
    super.setCall(call)
    this.original.setCall(call)
  }

  override cancelOnDisconnect(cancellation: Cancellation): void {
    this.original.cancelOnDisconnect(cancellation)
  }

  /** Copies the session to the original exchange, because the session decides how the transport sends messages. */
  #share(): void {
    this.original.session = this.session
    this.original.newSessionId = this.newSessionId
  }
}
