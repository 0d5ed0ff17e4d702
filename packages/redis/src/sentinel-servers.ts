import { createSentinel, type RedisClientOptions } from '@redis/client'
import {
  CommonServers,
  createNode,
  mapped,
  type NodeClient,
  type NodeOptions,
  type ServersInit,
} from './common-servers.js'
import type { RedisOptions } from './options.js'
import { messageOf } from './without-secrets.js'

/**
 * Milliseconds between two requests to the sentinels for the primary, because a notification of a new primary may be
 * lost.
 */
const scanInterval = 5000

const ignore = (): void => undefined

type Sentinel = ReturnType<typeof createSentinel>

interface RedisNode {
  readonly host: string
  readonly port: number
}

export class SentinelServers extends CommonServers {
  #sentinel: Sentinel | null = null
  /** Address of the primary that connections were last opened to, as the sentinels name it. */
  #master = ''
  #finding: Promise<RedisNode> | null = null
  #isClosed = false

  constructor(
    init: ServersInit,
    private readonly sentinel: NonNullable<RedisOptions['sentinel']>,
  ) {
    super(init)
  }

  get hosts(): string {
    return this.sentinel.sentinelRootNodes.map(({ host, port }) => `${host}:${port}`).join(', ')
  }

  /**
   * Creates a client of the primary that the sentinels name. Commands use a plain client, because the sentinel client may
   * send them twice.
   */
  async openNode(): Promise<NodeClient> {
    const { nodeClientOptions, nodeAddressMap } = this.sentinel
    const node = await this.#findMaster()
    this.#master = addressOf(node)
    const { host, port } = mapped(this.#master, nodeAddressMap) ?? node
    return createNode(this.optionsOf({ ...nodeClientOptions, socket: { ...nodeClientOptions?.socket, host, port } }))
  }

  /** Runs once for connections that are opened at the same time: all of them break when the primary fails. */
  #findMaster(): Promise<RedisNode> {
    this.#finding ??= this.#askSentinels().finally(() => (this.#finding = null))
    return this.#finding
  }

  /**
   * Asks over a new connection each time, because an old connection may miss a failover if sentinels were restarted or
   * replaced.
   */
  async #askSentinels(): Promise<RedisNode> {
    let fault: unknown
    let master: RedisNode | null = null
    const sentinel = createSentinel(this.#options())
    sentinel.on('error', (error: unknown) => (fault = error))
    // The event is emitted before the client connects to the new primary, so that the client itself has no primary yet.
    sentinel.on('topology-change', ({ type, node }: { readonly type: string; readonly node: RedisNode }) => {
      if (type !== 'MASTER_CHANGE') return
      master = node
      if (this.#sentinel === sentinel && addressOf(node) !== this.#master) this.#claim()
    })
    try {
      await sentinel.connect()
    } catch (error) {
      // Prefers `fault`: the thrown error only says that no sentinel is usable.
      throw messageOf(error).startsWith('None of the sentinels') ? (fault ?? error) : error
    }
    if (master === null) throw new Error('the sentinels report no primary')
    this.#sentinel?.destroy().catch(ignore)
    this.#sentinel = sentinel
    if (this.#isClosed) this.close()
    return master
  }

  #options(): Parameters<typeof createSentinel>[0] {
    const { nodeClientOptions, sentinelClientOptions, ...given } = this.sentinel
    const { timeoutMs } = this.init
    // The client has no timeout for its first commands: a sentinel or primary that hangs would block it forever.
    const optionsOf = (options: NodeOptions = {}): RedisClientOptions =>
      this.optionsOf({
        pingInterval: timeoutMs / 2,
        ...options,
        socket: { socketTimeout: timeoutMs, ...options.socket },
      })
    return {
      scanInterval,
      ...given,
      maxCommandRediscovers: 0,
      nodeClientOptions: optionsOf(nodeClientOptions),
      sentinelClientOptions: optionsOf(sentinelClientOptions),
    }
  }

  #claim(): void {
    for (const listener of this.takeovers) listener()
  }

  override close(): void {
    super.close()
    this.#isClosed = true
    this.#sentinel?.destroy().catch(ignore)
  }
}

function addressOf({ host, port }: RedisNode): string {
  return `${host}:${port}`
}
