import { type LogMessage, type McpClient } from '@toolwright/client'
import { type ClientRequestMethod, type JsonObject, type McpContext, principalKey, ToolError } from '@toolwright/core'
import { pickAnswering } from './caller.js'
import { openClient } from './open-client.js'
import type { Upstream } from './upstream.js'

/** The call that uses a connection at the moment. */
export interface ConnectionUser {
  readonly context: McpContext
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

interface WaitingCall {
  readonly key: string | null
  /** Ends the wait with a connection, or with `null`: the call opens one itself. */
  readonly resolve: (own: OwnConnection | null) => void
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
  /** Calls that wait until fewer connections are being opened, or until a call of the same caller ends. */
  readonly #waiting: WaitingCall[] = []

  constructor(private readonly upstream: Upstream) {}

  /** Returns a connection for one call. @param era Era of the upstream. @throws ToolError if there are too many. */
  async take(context: McpContext, era: McpClient['era']): Promise<OwnConnection> {
    const key = this.#keyOf(context)
    const found = key === null ? undefined : this.#idle.get(key)?.pop()
    if (found !== undefined) {
      if (found.timer !== null) clearTimeout(found.timer)
      return found
    }
    const { url, maxConnections = url === undefined ? 20 : 1000 } = this.upstream.options
    const count = this.#open.size + this.#opening + this.#waiting.length
    if (count >= maxConnections && !this.#closeIdle()) {
      const advice = 'Call the tool again when others have ended.'
      throw new ToolError(`The server '${this.upstream.name}' has too many calls that can ask. ${advice}`)
    }
    if (this.#opening < maxOpening) this.#opening++
    else {
      const released = await this.#wait(key, context.signal)
      if (released !== null) return released
    }
    try {
      context.signal.throwIfAborted()
      const own = await this.#connect(key, context, era)
      this.#open.add(own)
      return own
    } finally {
      // The next call gets the place of this one.
      const next = this.#waiting.shift()
      if (next === undefined) this.#opening--
      else next.resolve(null)
    }
  }

  /** Waits until a call of the same caller ends, or until another connection can be opened. @returns `null`: open one. */
  #wait(key: string | null, signal: AbortSignal): Promise<OwnConnection | null> {
    return new Promise((resolve, reject) => {
      const call: WaitingCall = {
        key,
        resolve: (own) => {
          signal.removeEventListener('abort', abort)
          resolve(own)
        },
      }
      const abort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(call), 1)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.push(call)
    })
  }

  /** Ends the use of a connection. @param isReusable Whether the call has ended as it should. */
  release(own: OwnConnection, isReusable: boolean): void {
    own.user = null
    const { key } = own
    if (!isReusable || key === null) {
      void this.#close(own)
      return
    }
    const next = this.#waiting.findIndex((call) => call.key === key)
    if (next !== -1) {
      this.#waiting.splice(next, 1)[0]?.resolve(own)
      return
    }
    const idle = this.#idle.get(key) ?? []
    if (idle.length >= maxIdle) {
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

  #closeIdle(): boolean {
    const [first] = this.#idle.values()
    const own = first?.shift()
    if (own === undefined) return false
    void this.#close(own)
    return true
  }

  async #connect(key: string | null, context: McpContext, era: McpClient['era']): Promise<OwnConnection> {
    const { principal, clientCapabilities } = context
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
    const client = await openClient(this.upstream, {
      caller: principal,
      capabilities,
      // Another connection has negotiated the era.
      era: era === 'legacy' ? era : 'auto',
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
    if (this.#wantsLogs(context)) await this.#readLogs(own)
    return own
  }

  async #readLogs(own: OwnConnection): Promise<void> {
    const { client } = own
    if (client.capabilities.logging === undefined) return
    client.official.setNotificationHandler('notifications/message', ({ params }: { params: LogMessage }) => {
      own.user?.context.sendLogMessage(params.level, params.data, params.logger)
    })
    // The server drops messages below the level of the caller.
    if (client.era === 'legacy') await client.official.setLoggingLevel('debug').catch(() => undefined)
  }

  #wantsLogs({ logLevel }: McpContext): boolean {
    const { url, logs = url !== undefined } = this.upstream.options
    return logs && logLevel !== null
  }

  /** Identifies the callers that can share connections; `null`: no other call uses the connection again. */
  #keyOf(context: McpContext): string | null {
    const { principal, sessionId, transport, clientCapabilities } = context
    const caller = principalKey(principal) ?? (transport === 'stdio' ? 'stdio' : null)
    if (caller === null && sessionId === null) return null
    const answering = this.upstream.options.questions ? pickAnswering(clientCapabilities) : {}
    return JSON.stringify([caller, sessionId, this.#wantsLogs(context), answering])
  }
}
