import { createClient, type RedisClientOptions } from '@redis/client'
import type { RedisOptions } from './options.js'
import { withoutSecrets } from './without-secrets.js'

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

export type NodeClient = ReturnType<typeof createNode>

/** Creates Redis clients, which are not connected yet. */
export interface Servers {
  openClient(): Promise<Client>
  openNode(): Promise<NodeClient>
  probe(client: Client): Promise<unknown>
  /** Whether a client can fail partly. Such a client is used until its replacement is open. */
  readonly isCluster: boolean
  readonly hosts: string
  readonly isTls: boolean
  onTakeover(listener: () => void): void
  withoutSecrets(error: unknown): unknown
  close(): void
}

export interface ServersInit extends Pick<RedisOptions, 'cluster' | 'sentinel' | 'tls'> {
  readonly url: NonNullable<RedisOptions['url']>
  readonly timeoutMs: number
  readonly probeKey: string
}

/**
 * Maximum number of commands that wait for responses. Further commands are rejected, so that a slow server does not
 * fill the memory.
 */
const maxWaiting = 10_000

/** Converts a URL to the schemes that node-redis supports. */
export function redisUrl(url: string): string {
  return url.replace(/^valkey(s?):/, (_all, tls: string) => `redis${tls}:`)
}

export type NodeOptions = RedisClientOptions & { readonly socket?: object }

export abstract class CommonServers implements Servers {
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

  /**
   * Deletes a key that does not exist. A replica rejects the command, so the probe detects a failover behind the same
   * host name.
   */
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

export function createNode(options: RedisClientOptions) {
  return createClient(options)
}

interface Address {
  readonly host: string
  readonly port: number
}

type AddressMap = NonNullable<NonNullable<RedisOptions['cluster']>['nodeAddressMap']>

export function mapped(address: string, map: AddressMap | undefined): Address | undefined {
  return typeof map === 'function' ? map(address) : map?.[address]
}
