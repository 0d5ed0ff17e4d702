import { createClient } from '@redis/client'
import { within } from '@toolwright/core/internal'
import { type Logger, OutageLog } from './outage-log.js'
import type { Script } from './script.js'
import { messageOf, withoutSecrets } from './without-secrets.js'

export type Client = ReturnType<typeof openClient>

export interface ConnectionInit {
  readonly url: string
  /** Milliseconds that Redis has for each answer. */
  readonly timeoutMs: number
  /** What the connection is for, in the log. */
  readonly purpose: string
  readonly log: Logger
  /** Asks whether it is of use; where it rejects, another connection is opened. */
  readonly probe: (client: Client) => Promise<unknown>
}

/** Milliseconds from one try to connect to the next. */
const retryMs = 200

/** Commands that wait for their answers: beyond them further ones are refused, so that a slow server fills no memory. */
const maxWaiting = 10_000

/**
 * One connection to Redis. When it breaks, or brings no answers any more, another one is opened; until then every
 * command is refused at once. The client's own way to reconnect would trust a connection whose other end is gone for as
 * long as the kernel does, which can be a quarter of an hour.
 */
export class Connection {
  #client: Client | null = null
  #timer: NodeJS.Timeout | null = null
  #isClosed = false
  readonly #outages: OutageLog
  readonly #openListeners: ((client: Client) => Promise<void>)[] = []

  constructor(private readonly init: ConnectionInit) {
    this.#outages = new OutageLog(init.log, init.purpose)
  }

  /** Calls back each time it is open. Where that rejects, another connection is opened. */
  onOpen(listener: (client: Client) => Promise<void>): void {
    this.#openListeners.push(listener)
  }

  get isOpen(): boolean {
    return this.#client !== null
  }

  /** Rejects when Redis cannot be reached: the first time nobody wants to wait for it. */
  async open(): Promise<void> {
    const { url, timeoutMs } = this.init
    const client = openClient(url, timeoutMs)
    client.on('error', (error: unknown) => this.#lose(client, error))
    try {
      await within(this.#connect(client), timeoutMs)
    } catch (error) {
      end(client)
      throw withoutSecrets(error, url)
    }
    if (this.#isClosed) return end(client)
    this.#client = client
    this.#probe(client)
    this.#opened(client)
  }

  async #connect(client: Client): Promise<void> {
    await client.connect()
    await this.init.probe(client)
  }

  /** Without a wait between: whoever finds a connection from now on, or was there before, is seen to. */
  #opened(client: Client): void {
    const running = this.#openListeners.map((listener) => listener(client))
    within(Promise.all(running), this.init.timeoutMs).catch((error: unknown) => this.#lose(client, error))
  }

  /** Runs a command; rejects when its answer is late. */
  async run<Answer>(command: (client: Client) => Promise<Answer>): Promise<Answer> {
    if (this.#client === null) throw new Error('There is no connection to Redis')
    return within(command(this.#client), this.init.timeoutMs)
  }

  /** Rejects when it is of no use at present. */
  check(): Promise<unknown> {
    return this.run(this.init.probe)
  }

  /** Runs a script, whose text travels only when the server has not seen it. */
  script(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const options = { keys: [...keys], arguments: args.map(String) }
    return this.run(async (client) => {
      try {
        return await client.evalSha(script.hash, options)
      } catch (error) {
        if (!messageOf(error).startsWith('NOSCRIPT')) throw error
        return client.eval(script.text, options)
      }
    })
  }

  /** Ends when what was sent so far is answered. */
  close(): void {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    const client = this.#client
    if (client === null) return
    this.#client = null
    const finish = (): void => end(client)
    within(client.ping(), this.init.timeoutMs).then(finish, finish)
  }

  /** Asks from time to time whether the other end is there: three times as long as a command may take is too long. */
  #probe(client: Client): void {
    const { probe, timeoutMs } = this.init
    this.#timer = setTimeout(() => {
      const onAnswer = (): void => (this.#client === client ? this.#probe(client) : undefined)
      within(probe(client), 3 * timeoutMs).then(onAnswer, (error: unknown) => this.#lose(client, error))
    }, timeoutMs)
  }

  #lose(client: Client, error: unknown): void {
    if (this.#client !== client) return
    this.#client = null
    end(client)
    this.#outages.failed(error, 'broke: trying again')
    this.#retry()
  }

  #retry(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.open().then(
        () => this.#isClosed || this.#outages.over(),
        (error: unknown) => this.#isClosed || this.#failedToOpen(error),
      )
    }, retryMs)
  }

  #failedToOpen(error: unknown): void {
    this.#outages.failed(error, 'cannot be opened: trying again')
    this.#retry()
  }
}

function openClient(url: string, timeoutMs: number) {
  return createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: maxWaiting,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    socket: { reconnectStrategy: false, connectTimeout: timeoutMs },
  })
}

/** It may have ended by itself. */
function end(client: Client): void {
  if (client.isOpen) client.destroy()
}
