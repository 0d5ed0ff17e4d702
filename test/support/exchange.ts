import type { McpServer } from '@toolwright/core'
import { type ExchangeInit } from '@toolwright/core/host'
import { type Answer, Exchange, runningServer, type Sender } from '@toolwright/core/transport'

type Message = Omit<ExchangeInit, 'sender'> &
  Pick<Sender, 'principal' | 'log'> &
  Partial<Sender> & { readonly opensSessions?: boolean }

/** One message, without a transport around it. */
export class TestExchange extends Exchange {
  #resolve: (answer: Answer) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  /** Sends one message to a server, and returns its response. */
  static receive(
    server: McpServer,
    { principal, log, transport = null, opensSessions = false, ...init }: Message,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const exchange = new TestExchange({ ...init, sender: { principal, transport, headers: init.headers, log } })
      exchange.hooks = { opensSessions }
      exchange.#resolve = resolve
      exchange.#reject = reject
      runningServer(server).receive(exchange)
    })
  }

  protected sendAnswer(answer: Answer): void {
    this.#resolve(answer)
  }

  send(): void {}

  crash(error: unknown): void {
    this.#reject(error)
  }
}
