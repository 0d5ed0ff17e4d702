import { type Client, SdkHttpError, type Transport } from '@modelcontextprotocol/client'
import {
  type ClientError,
  ConnectionError,
  CredentialsError,
  isClosure,
  toClientError,
  toLimitError,
} from './errors.js'
import type { ReconnectOptions, RequestOptions } from './options.js'
import { abortable, atMost, delay, toTimeout, within } from './timing.js'

export interface ConnectionInit {
  readonly official: Client
  /** Name of the server in messages: its URL or command. */
  readonly label: string
  /** Creates a transport that has not been started. */
  readonly createTransport: () => Promise<Transport>
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly reconnect: ReconnectOptions | false
  readonly onError: (error: Error) => void
  readonly onOpen: (transport: Transport) => void
}

type Send<Result> = (official: Client, options: OfficialOptions) => Promise<Result>

export interface OfficialOptions {
  readonly timeout: number
  readonly signal?: AbortSignal
}

interface Link {
  readonly transport: Transport
  requests: number
  /** Whether the session is gone. The transport closes when its last request has ended. */
  isRetired: boolean
  /** Why the transport was closed or could not be opened, if this is known better than from the error of a request. */
  failure: Error | null
  lastError: Error | null
}

/** Milliseconds that the client waits for the server's answer to the end of the session. */
const goodbyeMs = 2000

/**
 * The official client and its transport. Opens the transport again when a request needs it, or at once while there are
 * subscriptions. Requests in flight are not repeated, because they may have side effects.
 */
export class Connection {
  readonly official: Client
  #link: Link | null = null
  /** The transport that was created last. The end of any other transport is not the end of the connection. */
  #latest: Transport | null = null
  #opening: Promise<Link> | null = null
  readonly #end = new AbortController()
  readonly #watchers = new Set<ConnectionWatcher>()
  /** Transports that are being closed: a program needs some seconds to end. */
  readonly #closing = new Set<Promise<void>>()

  constructor(private readonly init: ConnectionInit) {
    this.official = init.official
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the official client has no listeners
    this.official.onerror = (error) => {
      if (!this.isClosed) init.onError(error)
    }
  }

  get transport(): Transport | null {
    return this.#link?.transport ?? null
  }

  get isClosed(): boolean {
    return this.#end.signal.aborted
  }

  get timeoutMs(): number {
    return this.init.timeoutMs
  }

  checkOpen(): void {
    this.#end.signal.throwIfAborted()
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
    try {
      const timeout = toTimeout('timeoutMs', timeoutMs)
      const options = signal === undefined ? { timeout } : { timeout, signal }
      let link = this.#link ?? (await within(this.#reopen(), failed))
      /* oxlint-disable no-await-in-loop -- the second attempt follows the first */
      for (let isRepeated = false; ; isRepeated = true) {
        link.requests++
        try {
          return await send(this.official, options)
        } catch (error) {
          if (isRepeated || !isForgotten(error, link.transport))
            throw isClosure(error) ? (link.failure ?? error) : error
          this.#retire(link)
        } finally {
          if (--link.requests === 0 && link.isRetired) void link.transport.close()
        }
        // Another request can have opened the connection again meanwhile.
        link = this.#link ?? (await within(this.#reopen(), failed))
      }
      /* oxlint-enable no-await-in-loop */
    } catch (error) {
      throw toClientError(error, failed)
    }
  }

  /** Registers a subscription, which keeps the connection open. @returns A function that ends the subscription. */
  watch(watcher: ConnectionWatcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.#end.abort(new ConnectionError(`The client of ${this.init.label} has been closed.`))
    for (const { closed } of this.#watchers) closed(null)
    const { transport } = this
    // Ignores errors and limits the wait: the session may have ended already, and an unreachable server must not delay
    // the end of this process.
    if (isSession(transport)) await atMost(transport.terminateSession(), goodbyeMs)
    await this.official.close()
    await Promise.all(this.#closing)
    this.#link = null
  }

  /**
   * Replaces a transport whose session is gone. Its requests continue: the server rejects each request on its own, so
   * that the request can be repeated.
   */
  #retire(link: Link): void {
    if (this.#link !== link) return
    this.#link = null
    link.isRetired = true
    this.#detach(link.transport)
    if (link.requests === 0) void link.transport.close()
  }

  /** Ignores the end of a transport as soon as there is a new transport. */
  #detach(transport: Transport): void {
    const { onclose } = transport
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no listeners
    transport.onclose = () => {
      if (this.#latest === transport) onclose?.()
    }
  }

  #lost(link: Link): void {
    if (this.#link !== link) return
    this.#link = null
    this.#revive()
  }

  #failed(link: Link, error: Error): void {
    link.failure ??= toLimitError(error, this.init.maxResponseBytes)
    // During the negotiation, the official client would only report that the server does not offer the revision.
    if (
      SdkHttpError.isInstance(error) &&
      error.status === 429 &&
      this.#latest === link.transport &&
      this.#link === null
    )
      link.failure = error
    if (this.isClosed || this.#link !== link) return
    const { transport, lastError } = link
    link.lastError = error
    // The stream for notifications fails silently: nothing else would notice that the session is gone.
    if (isForgotten(error, transport) || (this.#watchers.size > 0 && isGivenUp(error))) {
      this.#retire(link)
      this.#revive()
    }
    // The transport reports an error twice if it could not open this stream after the handshake, and does not try again.
    else if (error === lastError && isSession(transport)) void this.#openStream(link, transport)
  }

  async #openStream(link: Link, transport: SessionTransport): Promise<void> {
    const { attempts = 5, delayMs = 250, maxDelayMs = 10_000 } = this.init.reconnect || { attempts: 0 }
    let failure: Error | null = link.lastError
    /* oxlint-disable no-await-in-loop -- one attempt after the other */
    for (let attempt = 1; attempt <= attempts && failure !== null; attempt++) {
      await delay(Math.min(maxDelayMs, delayMs * 2 ** (attempt - 1)), this.#end.signal).catch(() => undefined)
      if (this.isClosed || this.#link !== link) return
      failure = await transport.resumeStream('').then(
        () => null,
        (error: Error) => error,
      )
    }
    /* oxlint-enable no-await-in-loop */
    if (this.#link !== link) return
    if (failure === null) return this.#watchers.forEach(({ reopened }) => reopened())
    this.#retire(link)
    const failed = { what: 'The stream for notifications', timeoutMs: this.init.timeoutMs, signal: undefined }
    for (const { closed } of this.#watchers) closed(toClientError(failure, failed) as ClientError)
  }

  #revive(): void {
    if (this.isClosed || this.#watchers.size === 0) return
    this.#reopen().catch((error: ClientError) => {
      for (const { closed } of this.#watchers) closed(error)
    })
  }

  async #reopen(): Promise<Link> {
    const { label, reconnect } = this.init
    this.checkOpen()
    if (reconnect === false) throw new ConnectionError(`The connection to ${label} was lost.`)
    this.#opening ??= this.#retry(reconnect).finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  async #retry({ attempts = 5, delayMs = 250, maxDelayMs = 10_000 }: ReconnectOptions): Promise<Link> {
    for (let attempt = 1; ; attempt++) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
        const link = await this.#open({})
        for (const { reopened } of this.#watchers) reopened()
        return link
      } catch (error) {
        if (attempt >= attempts || this.isClosed || error instanceof CredentialsError) throw error
        this.init.onError(error as Error)
        // oxlint-disable-next-line no-await-in-loop
        await delay(Math.min(maxDelayMs, delayMs * 2 ** (attempt - 1)), this.#end.signal)
      }
    }
  }

  async #open({ timeoutMs = this.init.timeoutMs, signal }: RequestOptions): Promise<Link> {
    const { label, createTransport, onOpen } = this.init
    signal?.throwIfAborted()
    const transport = await createTransport()
    const link = this.#attach(transport)
    try {
      const limits = { timeout: toTimeout('timeoutMs', timeoutMs), ...(signal === undefined ? {} : { signal }) }
      // The official client does not observe the signal while the transport starts.
      await abortable(abortable(this.official.connect(transport, limits), signal), this.#end.signal)
      this.#link = link
      link.failure = null
      onOpen(transport)
      return link
    } catch (error) {
      void transport.close()
      this.#detach(transport)
      throw toClientError(link.failure ?? error, { what: `The connection to ${label}`, timeoutMs, signal })
    }
  }

  #attach(transport: Transport): Link {
    const link: Link = { transport, requests: 0, isRetired: false, failure: null, lastError: null }
    const { onclose, onerror } = transport
    const close = transport.close.bind(transport)
    let closing: Promise<void> | null = null
    this.#latest = transport
    // oxlint-disable unicorn/prefer-add-event-listener -- a transport has no listeners
    transport.onclose = () => {
      onclose?.()
      this.#lost(link)
    }
    transport.onerror = (error) => {
      onerror?.(error)
      this.#failed(link, error)
    }
    // oxlint-enable unicorn/prefer-add-event-listener
    // Resolves at once: the official client resets its state after it has waited, which would be the state of a newer
    // connection.
    transport.close = async () => {
      if (closing !== null) return
      closing = close()
        .catch((error: Error) => this.init.onError(error))
        .finally(() => this.#closing.delete(closing as Promise<void>))
      this.#closing.add(closing)
    }
    return link
  }
}

export interface ConnectionWatcher {
  /** Called after the connection has been opened again. */
  readonly reopened: () => void
  /** Called when the connection stays closed. @param error `null` if the client was closed. */
  readonly closed: (error: Error | null) => void
}

interface SessionTransport extends Transport {
  terminateSession(): Promise<void>
  resumeStream(lastEventId: string): Promise<void>
}

function isSession(transport: Transport | null): transport is SessionTransport {
  return transport !== null && 'terminateSession' in transport && transport.sessionId !== undefined
}

/**
 * Whether the server does not know the session of the request, as after a restart. The spec requires the status 404. Some
 * servers send 400 with a text about the session.
 */
function isForgotten(error: unknown, transport: Transport | null): boolean {
  if (!SdkHttpError.isInstance(error) || transport?.sessionId === undefined) return false
  return error.status === 404 || (error.status === 400 && /session/i.test(String(error.data.text)))
}

function isGivenUp({ message }: Error): boolean {
  return message.startsWith('Maximum reconnection attempts')
}
