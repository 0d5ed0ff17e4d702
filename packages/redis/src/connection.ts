import { withTimeout } from '@toolwright/core/host'
import { type Logger, OutageLog } from './outage-log.js'

interface AnyClient {
  readonly isOpen: boolean
  connect(): Promise<unknown>
  destroy(): unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
}

export interface ConnectionInit<Client extends AnyClient> {
  readonly openClient: () => Promise<Client>
  /** Rejects if a client is unusable. Another connection is then opened. */
  readonly probe: (client: Client) => Promise<unknown>
  /** Whether a client that has failed in part is used until its replacement is open. */
  readonly isKept: boolean
  readonly withoutSecrets: (error: unknown) => unknown
  /** Timeout of each response of Redis, in milliseconds. */
  readonly timeoutMs: number
  /** Timeout for opening a connection, in milliseconds. The client may have to try several servers. */
  readonly openMs: number
  readonly purpose: string
  readonly log: Logger
}

/** Milliseconds before the second try to connect. The time doubles before each further try, up to the second number. */
const [firstRetryMs, lastRetryMs] = [50, 1000]

/** A connection that breaks within these milliseconds is treated as a failed try. */
const usefulMs = 2000

/**
 * Commands wait for a new connection while the connection has been lost for less than these milliseconds. They do not wait longer,
 * because waiting requests would fill the memory during an outage.
 */
const waitMs = 500

/** Maximum number of commands that wait for a connection. Further commands are rejected. */
const maxWaiting = 10_000

/**
 * A connection to Redis. If the connection breaks or stops responding, another connection is opened at once, and
 * commands wait until it is open. If all tries of the first half second fail, commands are rejected until a later try succeeds. The
 * client's own reconnect is not used: the kernel may need a quarter of an hour to detect a dead connection.
 */
export class Connection<Client extends AnyClient> {
  #client: Client | null = null
  #timer: NodeJS.Timeout | null = null
  #isClosed = false
  #isRetrying = false
  /** Resolves when commands stop waiting for a new connection; `null` if they do not wait. */
  #reopening: Promise<void> | null = null
  #stopWaiting: () => void = () => undefined
  #lostAt = 0
  #waiting = 0
  #tries = 0
  #openedAt = 0
  readonly #outages: OutageLog
  readonly #openListeners: ((client: Client) => Promise<void>)[] = []

  constructor(private readonly init: ConnectionInit<Client>) {
    this.#outages = new OutageLog(init.log, init.purpose)
  }

  /** Calls back each time the connection is open. If the callback rejects, another connection is opened. */
  onOpen(listener: (client: Client) => Promise<void>): void {
    this.#openListeners.push(listener)
  }

  get isOpen(): boolean {
    return this.#client !== null
  }

  get timeoutMs(): number {
    return this.init.timeoutMs
  }

  /** Opens the connection. Rejects if Redis cannot be reached, without retries. */
  async open(): Promise<void> {
    const { timeoutMs, openMs, withoutSecrets } = this.init
    let opening: Client | null = null
    let isOver = false
    try {
      const connecting = this.#connect((client) => {
        if (isOver) throw new Error('The connection to Redis opened too late')
        opening = client
      })
      await withTimeout(connecting, openMs)
    } catch (error) {
      isOver = true
      end(opening)
      throw withoutSecrets(error)
    }
    const client = opening as Client | null
    if (client === null || this.#isClosed) return end(client)
    // The previous connection is closed later, because its commands may still be answered.
    const before = this.#client
    if (before !== null) setTimeout(() => end(before), timeoutMs).unref()
    this.#client = client
    this.#stopWaiting()
    this.#isRetrying = false
    this.#openedAt = performance.now()
    this.#probe(client)
    this.#opened(client)
  }

  async #connect(onClient: (client: Client) => void): Promise<void> {
    const client = await this.init.openClient()
    client.on('error', (error: unknown) => this.#lose(client, error))
    onClient(client)
    await client.connect()
    await this.init.probe(client)
  }

  /** Runs the listeners. Called without an `await` after the connection is set, so that no command is sent before. */
  #opened(client: Client): void {
    const running = this.#openListeners.map((listener) => listener(client))
    withTimeout(Promise.all(running), this.init.timeoutMs).catch((error: unknown) => this.#lose(client, error))
  }

  /** Runs a command. Rejects if the response to the command times out. */
  async run<Answer>(command: (client: Client) => Promise<Answer>): Promise<Answer> {
    if (this.#reopening === null) return this.#run(command, this.init.timeoutMs)
    const began = performance.now()
    await this.#wait(this.#reopening)
    return this.#run(command, Math.max(1, this.init.timeoutMs - (performance.now() - began)))
  }

  async #wait(reopening: Promise<void>): Promise<void> {
    if (this.#waiting >= maxWaiting) throw new Error('Too many commands wait for a connection to Redis')
    this.#waiting++
    try {
      await withTimeout(reopening, this.init.timeoutMs)
    } finally {
      this.#waiting--
    }
  }

  async #run<Answer>(command: (client: Client) => Promise<Answer>, timeoutMs: number): Promise<Answer> {
    if (this.#client === null) throw new Error('There is no connection to Redis')
    return withTimeout(command(this.#client), timeoutMs)
  }

  check(): Promise<unknown> {
    return this.run(this.init.probe)
  }

  /** Opens another connection, because another server has taken over. */
  replace(reason: string): void {
    if (this.#client !== null) this.#lose(this.#client, new Error(reason))
    // A running try has no timer, so that no second try begins.
    else if (!this.#isClosed && this.#timer !== null) this.#retryAt(0)
  }

  /** Closes the connection after all sent commands were answered. @returns When it is closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopWaiting()
    if (this.#timer !== null) clearTimeout(this.#timer)
    const client = this.#client
    if (client === null) return
    this.#client = null
    const finish = (): void => end(client)
    await withTimeout(this.init.probe(client), this.init.timeoutMs).then(finish, finish)
  }

  /** Checks the connection regularly. A probe has three times the timeout of a command. */
  #probe(client: Client): void {
    const { probe, timeoutMs } = this.init
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const onAnswer = (): void => (this.#client === client ? this.#probe(client) : undefined)
      withTimeout(probe(client), 3 * timeoutMs).then(onAnswer, (error: unknown) => this.#lose(client, error))
    }, timeoutMs)
  }

  #lose(client: Client, error: unknown): void {
    if (this.#client !== client || this.#isClosed || this.#isRetrying) return
    if (!this.init.isKept) {
      this.#client = null
      end(client)
    }
    this.#outages.failed(this.init.withoutSecrets(error), 'broke: trying again')
    if (performance.now() - this.#openedAt > usefulMs) this.#tries = 0
    this.#isRetrying = true
    if (this.#tries === 0) this.#startWaiting()
    this.#retry()
  }

  #startWaiting(): void {
    this.#lostAt = performance.now()
    this.#reopening = new Promise((resolve) => {
      this.#stopWaiting = () => {
        this.#reopening = null
        resolve()
      }
    })
  }

  #retry(): void {
    const tries = this.#tries++
    if (tries > 0)
      return this.#retryAt(Math.min(firstRetryMs * 2 ** (tries - 1), lastRetryMs) * (0.5 + Math.random() / 2))
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    void this.#tryToOpen()
  }

  #retryAt(delayMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      void this.#tryToOpen()
    }, delayMs)
  }

  async #tryToOpen(): Promise<void> {
    try {
      await this.open()
      if (!this.#isClosed) this.#outages.over()
    } catch (error) {
      if (this.#isClosed) return
      // A client that is kept can still serve some commands.
      if (this.init.isKept || performance.now() - this.#lostAt > waitMs) this.#stopWaiting()
      this.#outages.failed(error, 'cannot be opened: trying again')
      this.#retry()
    }
  }
}

function end(client: AnyClient | null): void {
  if (client?.isOpen !== true) return
  // Depending on the kind of client, `destroy` is synchronous or returns a promise.
  Promise.resolve(client.destroy()).catch(() => undefined)
}
