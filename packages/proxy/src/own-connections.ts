import { type LogMessage, type McpClient } from '@toolwright/client'
import { type ClientRequestMethod, type JsonObject, type McpContext, principalKey, ToolError } from '@toolwright/core'
import { pickAnswering } from './caller.js'
import { openClient } from './open-client.js'
import type { Upstream } from './upstream.js'

/** The call that uses a connection at the moment. */
export interface ConnectionUser {
  /** Receives log messages of the upstream. */
  readonly context: McpContext
  /** Asks the caller of this call. */
  ask(method: ClientRequestMethod, params: JsonObject, signal: AbortSignal): Promise<unknown>
}

/** A connection that one call uses, so that questions and log messages of the upstream belong to this call. */
export class OwnConnection {
  user: ConnectionUser | null = null
  timer: NodeJS.Timeout | null = null

  constructor(
    readonly key: string | null,
    readonly client: McpClient,
  ) {}
}

/** Milliseconds after which an unused connection is closed. */
const idleMs = 30_000

/** Maximum number of unused connections of one caller. */
const maxIdle = 4

/** Maximum number of connections that are opened at the same time. Many handshakes at once would time out. */
const maxOpening = 16

/**
 * The connections of calls that can ask or log. A connection is used again only by calls of the same caller: a late question of an
 * upstream can therefore never reach another caller.
 */
export class OwnConnections {
  readonly #idle = new Map<string, OwnConnection[]>()
  readonly #open = new Set<OwnConnection>()
  #opening = 0
  /** Calls that wait until fewer connections are being opened. */
  readonly #turns: (() => void)[] = []

  constructor(private readonly upstream: Upstream) {}

  get count(): number {
    return this.#open.size + this.#opening
  }

  /** Returns a connection for one call. @throws ToolError if there are too many. */
  async take(context: McpContext): Promise<OwnConnection> {
    const key = this.#keyOf(context)
    const found = key === null ? undefined : this.#idle.get(key)?.pop()
    if (found !== undefined) {
      if (found.timer !== null) clearTimeout(found.timer)
      return found
    }
    const { url, maxConnections = url === undefined ? 20 : 1000 } = this.upstream.options
    if (this.count >= maxConnections && !this.#closeIdle()) {
      const advice = 'Call the tool again when others have ended.'
      throw new ToolError(`The server '${this.upstream.name}' has too many calls that can ask. ${advice}`)
    }
    this.#opening++
    try {
      if (this.#opening > maxOpening) await new Promise<void>((resolve) => void this.#turns.push(resolve))
      context.signal.throwIfAborted()
      const own = await this.#connect(key, context)
      this.#open.add(own)
      return own
    } finally {
      this.#opening--
      this.#turns.shift()?.()
    }
  }

  /** Ends the use of a connection. @param isReusable Whether the call has ended as it should. */
  release(own: OwnConnection, isReusable: boolean): void {
    own.user = null
    const { key } = own
    const idle = key === null ? null : (this.#idle.get(key) ?? [])
    if (!isReusable || key === null || idle === null || idle.length >= maxIdle) {
      void this.#close(own)
      return
    }
    idle.push(own)
    this.#idle.set(key, idle)
    own.timer = setTimeout(() => void this.#close(own), idleMs)
    own.timer.unref()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((own) => this.#close(own)))
  }

  async #close(own: OwnConnection): Promise<void> {
    if (own.timer !== null) clearTimeout(own.timer)
    this.#open.delete(own)
    const idle = own.key === null ? undefined : this.#idle.get(own.key)
    const others = idle?.filter((other) => other !== own) ?? []
    if (own.key !== null && others.length === 0) this.#idle.delete(own.key)
    else if (own.key !== null) this.#idle.set(own.key, others)
    await own.client.close().catch(() => undefined)
  }

  /** Closes the connection that has been unused for the longest time. */
  #closeIdle(): boolean {
    const [first] = this.#idle.values()
    const own = first?.shift()
    if (own === undefined) return false
    void this.#close(own)
    return true
  }

  async #connect(key: string | null, { principal, clientCapabilities }: McpContext): Promise<OwnConnection> {
    const { options, name, log } = this.upstream
    // The functions are called later, when the connection exists.
    let own: OwnConnection | null = null
    const ask = async (method: ClientRequestMethod, params: JsonObject, signal: AbortSignal): Promise<unknown> => {
      const user = own?.user ?? null
      if (user === null) throw new Error('No call is running.')
      return user.ask(method, params, signal)
    }
    const capabilities = options.questions ? pickAnswering(clientCapabilities) : {}
    const never = new AbortController().signal
    const client = await openClient(options, {
      caller: principal,
      capabilities,
      onError: (error) => log.debug({ err: error, upstream: name }, 'a connection to the upstream has an error'),
      ...('elicitation' in capabilities
        ? { onElicit: async (params, { signal }) => (await ask('elicitation/create', { ...params }, signal)) as never }
        : {}),
      ...('sampling' in capabilities
        ? {
            onSample: async (params, { signal }) =>
              (await ask('sampling/createMessage', { ...params }, signal)) as never,
          }
        : {}),
      ...('roots' in capabilities
        ? { roots: async () => ((await ask('roots/list', {}, never)) as { roots: never[] }).roots }
        : {}),
    })
    own = new OwnConnection(key, client)
    await this.#readLogs(own)
    return own
  }

  /** Passes log messages to the call that uses the connection. */
  async #readLogs(own: OwnConnection): Promise<void> {
    const { client } = own
    if (client.capabilities.logging === undefined) return
    client.official.setNotificationHandler('notifications/message', ({ params }: { params: LogMessage }) => {
      own.user?.context.sendLogMessage(params.level, params.data, params.logger)
    })
    // The server drops messages below the level of the caller.
    if (client.era === 'legacy') await client.official.setLoggingLevel('debug').catch(() => undefined)
  }

  /** Identifies the callers that can share connections; `null`: no other call uses the connection again. */
  #keyOf({ principal, sessionId, transport, clientCapabilities }: McpContext): string | null {
    const caller = principalKey(principal) ?? (transport === 'stdio' ? 'stdio' : null)
    if (caller === null && sessionId === null) return null
    return JSON.stringify([caller, sessionId, this.upstream.options.questions ? pickAnswering(clientCapabilities) : {}])
  }
}
