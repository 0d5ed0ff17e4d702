import type { McpServer } from '@toolwright/core'
import { type Answer, Exchange, type ExchangeInit, runningServer } from '@toolwright/core/transport'

/** One message, without a transport around it. */
export class TestExchange extends Exchange {
  #resolve: (answer: Answer) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  /** Sends one message to a server, and returns its response. */
  static receive(server: McpServer, init: ExchangeInit): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const exchange = new TestExchange(init)
      exchange.#resolve = resolve
      exchange.#reject = reject
      runningServer(server).receive(exchange)
    })
  }

  protected sendAnswer(answer: Answer): void {
    this.#resolve(answer)
  }

  protected sendMessage(): void {}

  crash(error: unknown): void {
    this.#reject(error)
  }
}
