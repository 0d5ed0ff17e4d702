import { createCluster } from '@redis/client'
import {
  type Client,
  CommonServers,
  createNode,
  mapped,
  type NodeClient,
  type NodeOptions,
  redisUrl,
  type ServersInit,
} from './common-servers.js'
import type { RedisOptions } from './options.js'

export class ClusterServers extends CommonServers {
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
      // With this option, a node that is down does not make the other nodes unusable.
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
        // Prefers `fault`: the thrown error only says that no root node is usable.
        throw fault ?? error
      }
      this.#cluster = cluster
    }
    return Object.assign(cluster, { connect: connected })
  }

  /** Creates a client of any primary, because a published message reaches all nodes of a cluster. */
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

/** Returns the credentials and TLS of the first root node, which are the defaults for all servers of the cluster. */
function credentialsOf(url: string | undefined): NodeOptions {
  if (url === undefined) return {}
  const { username, password, protocol } = new URL(redisUrl(url))
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { socket: { tls: true } } : {}),
  }
}
