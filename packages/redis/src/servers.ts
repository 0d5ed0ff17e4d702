import { createClient, createCluster, createSentinel, type RedisClientOptions } from '@redis/client'
import type { RedisOptions } from './options.js'
import { messageOf, withoutSecrets } from './without-secrets.js'

/** Methods of a Redis client that the stores need, for one server or a cluster. */
export interface Client {
  readonly isOpen: boolean
  connect(): Promise<unknown>
  destroy(): unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
  get(key: string): Promise<string | null>
  set(key: string, value: string, options?: { readonly PX?: number; readonly NX?: boolean }): Promise<string | null>
  del(key: string): Promise<number>
  publish(channel: string, text: string): Promise<number>
  evalSha(hash: string, options: ScriptOptions): Promise<unknown>
  eval(text: string, options: ScriptOptions): Promise<unknown>
}

interface ScriptOptions {
  readonly keys: string[]
  readonly arguments: string[]
}

/** A client of one server. */
export type NodeClient = ReturnType<typeof createNode>

/** Creates Redis clients, which are not connected yet. */
export interface Servers {
  /** Creates a client for commands. */
  openClient(): Promise<Client>
  /** Creates a client for subscriptions, at one server. */
  openNode(): Promise<NodeClient>
  /** Checks whether a client for commands is usable. */
  probe(client: Client): Promise<unknown>
  /** Whether a client can fail in part. It is used until its replacement is open. */
  readonly isCluster: boolean
  /** Hosts, for messages. */
  readonly hosts: string
  /** Whether connections use TLS. */
  readonly isTls: boolean
  /** Calls back when another server has taken over. */
  onTakeover(listener: () => void): void
  withoutSecrets(error: unknown): unknown
  close(): void
}

interface ServersInit extends Pick<RedisOptions, 'cluster' | 'sentinel' | 'tls'> {
  readonly url: NonNullable<RedisOptions['url']>
  readonly timeoutMs: number
  /** Key that the probe writes to. */
  readonly probeKey: string
}

/** Commands that may wait for responses. Further commands are rejected, so that a slow server does not fill the memory. */
const maxWaiting = 10_000

/**
 * Milliseconds between two requests to the sentinels for the primary, because their notification of a new one may be lost.
 */
const scanInterval = 5000

export function findServers(init: ServersInit): Servers {
  if (init.cluster !== undefined) return new ClusterServers(init, init.cluster)
  if (init.sentinel !== undefined) return new SentinelServers(init, init.sentinel)
  return new OneServer(init)
}

/** Converts a URL to the schemes that node-redis supports. */
export function redisUrl(url: string): string {
  return url.replace(/^valkey(s?):/, (_all, tls: string) => `redis${tls}:`)
}

type NodeOptions = RedisClientOptions & { readonly socket?: object }

const ignore = (): void => undefined

abstract class Common implements Servers {
  readonly isCluster: boolean = false
  abstract readonly hosts: string
  protected readonly takeovers: (() => void)[] = []
  protected urls: readonly string[] = []

  constructor(protected readonly init: ServersInit) {}

  abstract openNode(): Promise<NodeClient>

  get isTls(): boolean {
    return this.init.tls !== undefined || this.urls.some((url) => redisUrl(url).startsWith('rediss:'))
  }

  openClient(): Promise<Client> {
    return this.openNode() as Promise<unknown> as Promise<Client>
  }

  /** Deletes a key that does not exist. A replica rejects this, which detects a failover behind the same host name. */
  probe(client: Client): Promise<unknown> {
    return client.del(this.init.probeKey)
  }

  onTakeover(listener: () => void): void {
    this.takeovers.push(listener)
  }

  withoutSecrets(error: unknown): unknown {
    return withoutSecrets(error, this.urls)
  }

  close(): void {
    this.takeovers.length = 0
  }

  /** Adds the options of every connection to those of the application. */
  protected optionsOf(given: NodeOptions = {}): RedisClientOptions {
    const { timeoutMs, tls } = this.init
    const url = given.url === undefined ? {} : { url: redisUrl(given.url) }
    return {
      disableOfflineQueue: true,
      commandsQueueMaxLength: maxWaiting,
      disableClientInfo: true,
      maintNotifications: 'disabled',
      ...given,
      ...url,
      socket: {
        ...given.socket,
        ...(tls === undefined ? {} : { ...tls, tls: true as const }),
        reconnectStrategy: false,
        connectTimeout: timeoutMs,
      } as NonNullable<RedisClientOptions['socket']>,
    }
  }
}

function createNode(options: RedisClientOptions) {
  return createClient(options)
}

class OneServer extends Common {
  #url = ''

  async openNode(): Promise<NodeClient> {
    const { url } = this.init
    this.#url = typeof url === 'string' ? url : await url()
    this.urls = [this.#url]
    return createNode(this.optionsOf({ url: this.#url }))
  }

  get hosts(): string {
    return URL.canParse(this.#url) ? new URL(this.#url).host : 'the url'
  }
}

type Sentinel = ReturnType<typeof createSentinel>

interface RedisNode {
  readonly host: string
  readonly port: number
}

class SentinelServers extends Common {
  #sentinel: Sentinel | null = null
  /** Address of the primary, as named by the sentinels, that connections were last opened to. */
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

  /** Runs once for connections that are opened at the same time: all of them break with the primary. */
  #findMaster(): Promise<RedisNode> {
    this.#finding ??= this.#askSentinels().finally(() => (this.#finding = null))
    return this.#finding
  }

  /**
   * Asks over a new connection each time. An old connection, whose sentinels were restarted or replaced, may miss a
   * failover.
   */
  async #askSentinels(): Promise<RedisNode> {
    let fault: unknown
    let master: RedisNode | null = null
    const sentinel = createSentinel(this.#options())
    sentinel.on('error', (error: unknown) => (fault = error))
    // Emitted before the client connects to the new primary, so that the client itself has no primary yet.
    sentinel.on('topology-change', ({ type, node }: { readonly type: string; readonly node: RedisNode }) => {
      if (type !== 'MASTER_CHANGE') return
      master = node
      if (this.#sentinel === sentinel && addressOf(node) !== this.#master) this.#claim()
    })
    try {
      await sentinel.connect()
    } catch (error) {
      // This error only says that no sentinel is usable.
      throw messageOf(error).startsWith('None of the sentinels') ? (fault ?? error) : error
    }
    if (master === null) throw new Error('the sentinels name no primary')
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

class ClusterServers extends Common {
  override readonly isCluster = true
  readonly #options: NonNullable<Parameters<typeof createCluster>[0]>
  #cluster: ReturnType<typeof createCluster> | null = null

  constructor(
    init: ServersInit,
    private readonly cluster: NonNullable<RedisOptions['cluster']>,
  ) {
    super(init)
    const { rootNodes, defaults, ...rest } = cluster
    this.urls = rootNodes.flatMap(({ url }) => url ?? [])
    const given = { ...credentialsOf(rootNodes[0]?.url), ...defaults } as NodeOptions
    this.#options = {
      ...rest,
      rootNodes: rootNodes.map((each) => this.optionsOf({ ...given, ...each })),
      defaults: this.optionsOf(given),
      // A node that is down must not make the others unusable.
      minimizeConnections: true,
    }
  }

  get hosts(): string {
    const hostOf = ({ url, socket }: { url?: string; socket?: { host?: string; port?: number } }): string =>
      url === undefined ? `${socket?.host}:${socket?.port}` : new URL(url).host
    return (this.cluster.rootNodes as Parameters<typeof hostOf>[0][]).map(hostOf).join(', ')
  }

  override async openClient(): Promise<Client> {
    const cluster = createCluster(this.#options)
    let fault: unknown
    cluster.on('error', (error: unknown) => (fault = error))
    const connect = cluster.connect.bind(cluster)
    const connected = async (): Promise<void> => {
      try {
        await connect()
      } catch (error) {
        // This error only says that no root node is usable.
        throw fault ?? error
      }
      this.#cluster = cluster
    }
    return Object.assign(cluster, { connect: connected })
  }

  /** Creates a client of any primary: a message reaches all nodes of a cluster. */
  async openNode(): Promise<NodeClient> {
    const masters = this.#cluster?.masters ?? []
    const node = masters[Math.floor(Math.random() * masters.length)]
    if (node === undefined) throw new Error('no node of the cluster is known yet')
    const { host, port } = mapped(node.address, this.cluster.nodeAddressMap) ?? node
    const { defaults } = this.#options
    return createNode({ ...defaults, socket: { ...defaults?.socket, host, port } })
  }

  override async probe(client: Client): Promise<unknown> {
    const cluster = client as unknown as ReturnType<typeof createCluster>
    return Promise.all(cluster.masters.map(async (master) => (await cluster.nodeClient(master)).ping()))
  }
}

/** Returns the credentials and TLS of the first root node, which are the defaults for all servers that are found. */
function credentialsOf(url: string | undefined): NodeOptions {
  if (url === undefined) return {}
  const { username, password, protocol } = new URL(redisUrl(url))
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { socket: { tls: true } } : {}),
  }
}

type AddressMap = NonNullable<NonNullable<RedisOptions['cluster']>['nodeAddressMap']>

function mapped(address: string, map: AddressMap | undefined) {
  return typeof map === 'function' ? map(address) : map?.[address]
}
