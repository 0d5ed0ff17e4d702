import { type Client, SdkHttpError, type Transport } from '@modelcontextprotocol/client'
import { type ClientError, ConnectionError, CredentialsError, toClientError } from './errors.js'
import type { ReconnectOptions, RequestOptions } from './options.js'
import { abortable, atMost, delay } from './timing.js'

/** Settings for opening and reopening a connection. */
export interface ConnectionInit {
  readonly official: Client
  /** Name of the server in messages: its URL or command. */
  readonly label: string
  /** Creates a transport that has not been started. */
  readonly createTransport: () => Promise<Transport>
  readonly timeoutMs: number
  /** With `false`, a lost connection stays lost. */
  readonly reconnect: ReconnectOptions | false
  readonly onError: (error: Error) => void
  /** Called each time the transport has been connected. */
  readonly onOpen: (transport: Transport) => void
}

/** Sends a request with the official client. */
type Send<Result> = (official: Client, options: OfficialOptions) => Promise<Result>

/** Options of a request in the form of the official client. */
export interface OfficialOptions {
  readonly timeout: number
  readonly signal?: AbortSignal
}

/**
 * The official client and its transport. Opens the transport again when a request needs it, or at once while there are
 * subscriptions. Requests in flight are not repeated, because they may have side effects.
 */
export class Connection {
  readonly official: Client
  #transport: Transport | null = null
  #opening: Promise<void> | null = null
  #isClosed = false
  #isDropping = false
  readonly #watchers = new Set<ConnectionWatcher>()

  constructor(private readonly init: ConnectionInit) {
    this.official = init.official
    // oxlint-disable unicorn/prefer-add-event-listener -- the official client has no listeners
    this.official.onclose = () => this.#lost()
    this.official.onerror = (error) => {
      if (!this.#isClosed) init.onError(error)
    }
    // oxlint-enable unicorn/prefer-add-event-listener
  }

  get transport(): Transport | null {
    return this.#transport
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** @throws ConnectionError if the client has been closed. */
  checkOpen(): void {
    if (this.#isClosed) throw new ConnectionError(`The client of ${this.init.label} has been closed.`)
  }

  /** Opens the connection for the first time, without retries. */
  async open(options: RequestOptions): Promise<void> {
    await this.#open(options)
  }

  /**
   * Sends a request. Reconnects first if the connection was lost. Repeats the request if the server does not know the
   * session, because the server rejects such requests without running them.
   *
   * @throws ClientError, or the reason of the signal.
   */
  async request<Result>(
    what: string,
    { timeoutMs = this.init.timeoutMs, signal }: RequestOptions,
    send: Send<Result>,
  ): Promise<Result> {
    const failed = { what, timeoutMs, signal }
    const options = { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) }
    try {
      if (this.#transport === null) await this.#reopen(signal)
      const used = this.#transport
      try {
        return await send(this.official, options)
      } catch (error) {
        if (!isForgotten(error, used)) throw error
        if (used === this.#transport) await this.#drop()
        await this.#reopen(signal)
        return await send(this.official, options)
      }
    } catch (error) {
      throw toClientError(error, failed)
    }
  }

  /** Registers a subscription, which keeps the connection open. @returns A function that ends the subscription. */
  watch(watcher: ConnectionWatcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Ends the session and closes the transport. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const { closed } of this.#watchers) closed(null)
    const transport = this.#transport
    // Ignores errors and limits the wait: the session may have ended already, and an unreachable server must not delay
    // the end of this process.
    if (isSession(transport)) await atMost(transport.terminateSession(), 2000)
    await this.official.close()
    this.#transport = null
  }

  /** Closes a connection whose session is gone. The next request opens another connection. */
  async #drop(): Promise<void> {
    this.#isDropping = true
    await this.official.close()
    this.#isDropping = false
    this.#transport = null
  }

  #lost(): void {
    this.#transport = null
    if (this.#isClosed || this.#isDropping || this.#watchers.size === 0) return
    this.#reopen().catch((error: ClientError) => {
      for (const { closed } of this.#watchers) closed(error)
    })
  }

  async #reopen(signal?: AbortSignal): Promise<void> {
    const { label, reconnect } = this.init
    this.checkOpen()
    if (reconnect === false) throw new ConnectionError(`The connection to ${label} was lost.`)
    this.#opening ??= this.#retry(reconnect).finally(() => {
      this.#opening = null
    })
    await abortable(this.#opening, signal)
  }

  async #retry({ attempts = 5, delayMs = 250, maxDelayMs = 10_000 }: ReconnectOptions): Promise<void> {
    for (let attempt = 1; this.#transport === null; attempt++) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
        await this.#open({})
      } catch (error) {
        if (attempt >= attempts || this.#isClosed || error instanceof CredentialsError) throw error
        this.init.onError(error as Error)
        // oxlint-disable-next-line no-await-in-loop
        await delay(Math.min(maxDelayMs, delayMs * 2 ** (attempt - 1)))
      }
    }
    for (const { reopened } of this.#watchers) reopened()
  }

  async #open({ timeoutMs = this.init.timeoutMs, signal }: RequestOptions): Promise<void> {
    const { label, createTransport, onOpen } = this.init
    try {
      signal?.throwIfAborted()
      const transport = await createTransport()
      await this.official.connect(transport, { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) })
      if (this.#isClosed) {
        await this.official.close()
        this.checkOpen()
      }
      this.#transport = transport
      onOpen(transport)
    } catch (error) {
      await this.official.close()
      throw toClientError(error, { what: `The connection to ${label}`, timeoutMs, signal })
    }
  }
}

/** A subscription that outlives a lost connection. */
export interface ConnectionWatcher {
  /** Called after the connection has been opened again. */
  readonly reopened: () => void
  /** Called when the connection stays closed. @param error `null` if the client was closed. */
  readonly closed: (error: Error | null) => void
}

/** Transport with sessions: Streamable HTTP. */
interface SessionTransport extends Transport {
  terminateSession(): Promise<void>
}

function isSession(transport: Transport | null): transport is SessionTransport {
  return transport !== null && 'terminateSession' in transport && transport.sessionId !== undefined
}

/** Whether the server does not know the session of the request, as after a restart. */
function isForgotten(error: unknown, transport: Transport | null): boolean {
  return SdkHttpError.isInstance(error) && error.status === 404 && transport?.sessionId !== undefined
}
