import { ConnectionError, type McpClient } from '@toolwright/client'
import type { McpServer, Principal } from '@toolwright/core'
import { principalKey } from '@toolwright/core'
import { Backoff } from './backoff.js'
import { type ConnectedUpstream, openClient } from './open-client.js'
import type { ReadUpstreamOptions } from './options.js'
import { reasonOf, UpstreamDown } from './upstream-errors.js'
import { UriMap } from './uris.js'

type Log = McpServer['log']

/** State of an upstream. */
export interface UpstreamStatus {
  readonly name: string
  /** `down`: the proxy tries to reach the upstream again. `stopped`: a program that has failed too often. */
  readonly state: 'up' | 'down' | 'stopped'
  /** Why the upstream is not up; `null` if it is up. */
  readonly reason: string | null
  /** Protocol revision of the last connection; `null` before the first one. */
  readonly protocolVersion: string | null
  /** Number of features that this server lists. */
  readonly features: number
  /** Features that this server does not list, with reasons. */
  readonly leftOut: readonly string[]
  /** Questions to callers that have no answer yet. */
  readonly questions: number
}

/** Number of failed starts in a row, after which a program is not started again. */
const maxStarts = 10

/** Milliseconds after which an upstream counts as stable. The delays of attempts then begin again with the shortest. */
const stableMs = 10_000

/** Milliseconds after which an unused connection of a caller is closed. */
const idleMs = 60_000

interface CallerConnection {
  readonly client: Promise<McpClient>
  uses: number
  timer: NodeJS.Timeout | null
}

/**
 * An upstream and the connection that its calls share. After a failure, only the proxy itself tries to reach the upstream, with
 * increasing delays. Calls fail at once meanwhile.
 */
export class Upstream implements ConnectedUpstream {
  readonly uris: UriMap
  state: UpstreamStatus['state'] = 'down'
  /** Why the upstream is not up, without details of the connection. */
  reason = 'has not been reached yet.'
  answeredAt = Number.NEGATIVE_INFINITY
  #client: McpClient | null = null
  #checking: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  readonly #end = new AbortController()
  /** Whether the check in progress has begun at once after a failure, so that calls wait for it. */
  #isAtOnce = false
  #upSince = Number.NEGATIVE_INFINITY
  #protocolVersion: string | null = null
  readonly #backoff = new Backoff()
  readonly #callers = new Map<string, CallerConnection>()
  onUp: (client: McpClient) => Promise<void> = async () => undefined

  constructor(
    readonly name: string,
    readonly options: ReadUpstreamOptions,
    readonly log: Log,
  ) {
    this.uris = new UriMap(options.keepUris ? null : name)
  }

  get isClosed(): boolean {
    return this.#end.signal.aborted
  }

  get protocolVersion(): string | null {
    return this.#protocolVersion
  }

  /** Connects for the first time. Continues to try in the background. @throws UpstreamDown */
  async start(): Promise<void> {
    await this.#check(this.options.connectTimeoutMs)
    if (this.state !== 'up') throw this.#down()
  }

  /** Returns the shared connection. @throws UpstreamDown, or the reason of the signal. */
  async client(caller: Principal | null, signal: AbortSignal): Promise<SharedClient> {
    if (this.state !== 'up') await this.#waitForCheck(signal)
    const client = this.#client as McpClient
    if (this.options.auth === undefined) return { client, release: () => undefined }
    return this.#clientOf(caller)
  }

  /** The shared connection with the credentials of this server, for lists. @throws UpstreamDown */
  get own(): McpClient {
    if (this.#client === null) throw this.#down()
    return this.#client
  }

  /**
   * Reports that a request has failed. After a lost connection, the proxy checks whether the upstream can still be reached. Calls
   * continue meanwhile: an upstream that drops one connection can serve the others.
   */
  failed(error: unknown): void {
    if (error instanceof ConnectionError && !this.isClosed && this.state === 'up' && this.options.url !== undefined)
      void this.#check(this.options.connectTimeoutMs)
  }

  /** Called when the connection to a program has ended. Calls wait until the program has been started again. */
  #ended(error: ConnectionError): void {
    if (this.isClosed || this.state !== 'up') return
    this.#setDown(error)
    if (performance.now() - this.#upSince > stableMs) this.#backoff.reset()
    if (this.#backoff.attempts > 0) {
      this.#retryLater(error)
      return
    }
    this.#backoff.next()
    void this.#checkAtOnce()
  }

  async close(): Promise<void> {
    this.#end.abort(new Error('The server closes.'))
    if (this.#timer !== null) clearTimeout(this.#timer)
    const callers = [...this.#callers.values()].map(async ({ client, timer }) => {
      if (timer !== null) clearTimeout(timer)
      await (await client.catch(() => null))?.close()
    })
    await Promise.all([...callers, this.#checking, this.#client?.close()])
  }

  /** Waits for a check that has just begun. While later checks are in progress, calls fail at once. */
  async #waitForCheck(signal: AbortSignal): Promise<void> {
    if (this.#checking !== null && this.#isAtOnce) await raceSignal(this.#checking, signal)
    if (this.state !== 'up') throw this.#down()
  }

  #check(timeoutMs: number): Promise<void> {
    this.#checking ??= this.#reach(timeoutMs).finally(() => {
      this.#checking = null
    })
    return this.#checking
  }

  async #checkAtOnce(): Promise<void> {
    this.#isAtOnce = true
    await this.#check(this.options.connectTimeoutMs)
    this.#isAtOnce = false
  }

  async #reach(timeoutMs: number): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const began = performance.now()
    try {
      const client = await this.#connect(timeoutMs)
      if (this.isClosed) return await client.close()
      this.#client = client
      this.#protocolVersion = client.protocolVersion
      const wasUp = this.state === 'up'
      this.#upSince = performance.now()
      this.state = 'up'
      this.reason = ''
      if (wasUp) return
      if (this.#backoff.attempts > 0) this.log.info({ upstream: this.name }, 'the upstream can be reached again')
      if (this.options.url !== undefined) this.#backoff.reset()
    } catch (error) {
      // An upstream that answers others is only busy.
      if (this.state === 'up' && this.answeredAt > began) {
        this.log.debug({ err: error, upstream: this.name }, 'the upstream is busy')
        return
      }
      this.#setDown(error)
      this.#retryLater(error)
      return
    }
    await this.onUp(this.own).catch((error: unknown) =>
      this.log.warn({ err: error, upstream: this.name }, 'the features of the upstream could not be read'),
    )
  }

  /** Opens a connection, or checks the connection over HTTP, which opens a new session if necessary. */
  async #connect(timeoutMs: number): Promise<McpClient> {
    const client = this.#client
    if (client !== null && this.options.url !== undefined) {
      await client.ping({ timeoutMs })
      return client
    }
    await client?.close()
    return this.#open(timeoutMs)
  }

  async #open(timeoutMs: number): Promise<McpClient> {
    const { name, log } = this
    const client = await openClient(this, {
      caller: null,
      capabilities: {},
      timeoutMs,
      signal: this.#end.signal,
      onError: (error) => log.debug({ err: error, upstream: name }, 'the connection to the upstream has an error'),
    })
    // A program that ends, or a socket that closes, is noticed without a call.
    const { official } = client
    const { onclose } = official
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the official client has no listeners
    official.onclose = () => {
      onclose?.()
      if (client === this.#client && this.options.url === undefined)
        this.#ended(new ConnectionError('The connection was closed.'))
    }
    return client
  }

  #setDown(error: unknown): void {
    this.state = 'down'
    this.reason = reasonOf(error)
  }

  #retryLater(error: unknown): void {
    const { name, log } = this
    if (this.isClosed) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#backoff.attempts <= 1) log.warn({ err: error, upstream: name }, 'the upstream cannot be reached')
    if (this.options.command !== undefined && this.#backoff.attempts >= maxStarts) {
      this.state = 'stopped'
      this.reason = `has failed to start ${maxStarts} times, and is not started again.`
      log.error({ upstream: name, starts: maxStarts }, 'the program of the upstream is not started again')
      return
    }
    this.#timer = setTimeout(() => void this.#check(this.options.connectTimeoutMs), this.#backoff.next())
    this.#timer.unref()
  }

  #down(): UpstreamDown {
    return new UpstreamDown(`The server '${this.name}' ${this.reason}`)
  }

  async #clientOf(caller: Principal | null): Promise<SharedClient> {
    const key = principalKey(caller) ?? ''
    const known = this.#callers.get(key)
    const connection = known ?? this.#openFor(caller, key)
    connection.uses++
    if (connection.timer !== null) clearTimeout(connection.timer)
    try {
      return { client: await connection.client, release: () => this.#release(key, connection) }
    } catch (error) {
      this.#callers.delete(key)
      throw error
    }
  }

  #openFor(caller: Principal | null, key: string): CallerConnection {
    const client = openClient(this, { caller, capabilities: {} })
    const connection: CallerConnection = { client, uses: 0, timer: null }
    this.#callers.set(key, connection)
    return connection
  }

  #release(key: string, connection: CallerConnection): void {
    if (--connection.uses > 0 || this.#callers.get(key) !== connection) return
    connection.timer = setTimeout(() => {
      this.#callers.delete(key)
      void connection.client.then((client) => client.close()).catch(() => undefined)
    }, idleMs)
    connection.timer.unref()
  }
}

export interface SharedClient {
  readonly client: McpClient
  readonly release: () => void
}

export function raceSignal<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
