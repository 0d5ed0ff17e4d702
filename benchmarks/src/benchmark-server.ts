import autocannon from 'autocannon'
import { Child, type ChildName } from './child.js'
import { type PreparedRequest, withId } from './requests.js'
import { stayAwake } from './stay-awake.js'

/** Response to one request. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Result of one round of load on one server. */
export interface Load {
  readonly requestsPerSecond: number
  /** CPU time of the server's process for one request, in microseconds. */
  readonly cpuMicros: number
  /** Share of a core that the server's process used. If it is not near 1, the load generator was the bottleneck. */
  readonly busy: number
}

/** A server in a separate process, on 127.0.0.1. */
export class BenchmarkServer {
  static async start(name: ChildName, config: object): Promise<BenchmarkServer> {
    const child = new Child(name)
    const { url, token = null } = await child.ask<{ url: string; token?: string }>({ serve: config })
    return new BenchmarkServer(name, url, token, child)
  }

  private constructor(
    readonly name: string,
    readonly url: string,
    /** Token of a user who has logged in; `null` for a server without a login. */
    readonly token: string | null,
    private readonly child: Child,
  ) {}

  async send({ headers, body }: PreparedRequest): Promise<Reply> {
    const response = await fetch(this.url, { method: 'POST', headers, body })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  /** @throws Error if any response was not a success, because its figures would mean nothing. */
  async load(request: PreparedRequest, connections: number, seconds: number): Promise<Load> {
    let connection = 0
    const cpuBefore = await this.#cpuMicros()
    const result = await stayAwake(() =>
      autocannon({
        url: this.url,
        method: 'POST',
        headers: request.headers,
        body: request.body,
        connections,
        duration: seconds,
        setupClient: (client) => client.setBody(withId(request, connection++)),
      }),
    )
    const cpuMicros = (await this.#cpuMicros()) - cpuBefore
    const answered = result['2xx']
    if (result.non2xx + result.errors + result.timeouts > 0 || answered === 0) {
      throw new Error(`${this.name}: ${answered} good answers, ${result.non2xx} others, ${result.errors} errors`)
    }
    return {
      requestsPerSecond: answered / result.duration,
      cpuMicros: cpuMicros / answered,
      busy: cpuMicros / 1e6 / result.duration,
    }
  }

  stop(): Promise<void> {
    return this.child.stop()
  }

  async #cpuMicros(): Promise<number> {
    return (await this.child.ask<{ cpuMicros: number }>({ cpu: true })).cpuMicros
  }
}
