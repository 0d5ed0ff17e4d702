import type { EventStream, ListName, McpClient } from '@toolwright/client'
import type { Catalog, McpServer } from '@toolwright/core'
import { buildFeatures } from './build-features.js'
import { CatalogSection } from './catalog-section.js'
import type { ReadUpstreamOptions } from './options.js'
import { readLists } from './read-lists.js'
import { Relay } from './relay.js'
import { Upstream, type UpstreamStatus } from './upstream.js'
import { WatchedResources } from './watched-resources.js'

export class ServedUpstream {
  readonly upstream: Upstream
  readonly section: CatalogSection
  readonly #relay: Relay
  readonly #watched: WatchedResources
  #changes: EventStream<ListName> | null = null
  #reading: Promise<void> | null = null
  #isReadAgain = false

  constructor(
    name: string,
    options: ReadUpstreamOptions,
    catalog: Catalog,
    private readonly log: McpServer['log'],
    private readonly onChange: () => void,
  ) {
    this.upstream = new Upstream(name, options, log)
    this.section = new CatalogSection(catalog)
    this.#relay = new Relay(this.upstream)
    this.#watched = new WatchedResources(this.upstream)
    this.upstream.onUp = async (client) => {
      // The subscription comes first: a change after the lists were read is then not lost.
      await this.#watch(client)
      await this.#read()
    }
  }

  get status(): UpstreamStatus {
    const { name, state, reason, protocolVersion } = this.upstream
    return {
      name,
      state,
      reason: state === 'up' ? null : reason,
      protocolVersion,
      features: this.section.features.length,
      leftOut: this.section.leftOut.map(({ origin, reason: why }) => `${origin}: ${why}`),
      questions: this.#relay.questions,
    }
  }

  start(): Promise<void> {
    return this.upstream.start()
  }

  /** Starts to notify the clients of this server of changed resources. */
  serve({ changes }: McpServer): void {
    this.#watched.serve(changes)
  }

  async close(): Promise<void> {
    await this.#changes?.close()
    await this.#watched.close()
    await this.#relay.close()
    await this.upstream.close()
  }

  /** Reads the lists of the upstream again. A list that changes during a read is read once more. */
  #read(): Promise<void> {
    if (this.#reading !== null) {
      this.#isReadAgain = true
      return this.#reading
    }
    this.#reading = this.#readOnce().finally(() => {
      this.#reading = null
      if (!this.#isReadAgain) return
      this.#isReadAgain = false
      void this.#read().catch((error: unknown) => this.#keepLists(error))
    })
    return this.#reading
  }

  async #readOnce(): Promise<void> {
    const { upstream } = this
    const client = upstream.own
    const lists = await readLists(client, upstream.options.maxFeatures)
    if (upstream.isClosed) return
    await this.section.replace(buildFeatures(lists, upstream, this.#relay))
    this.#watched.follow(client, lists.resources)
    this.onChange()
  }

  async #watch(client: McpClient): Promise<void> {
    const { tools, prompts, resources } = client.capabilities
    const announces = [tools, prompts, resources].some((capability) => capability?.listChanged === true)
    if (this.#changes !== null || !announces) return
    const { name, options } = this.upstream
    try {
      this.#changes = await client.changes({ timeoutMs: options.connectTimeoutMs })
      void this.#follow(this.#changes)
    } catch (error) {
      this.log.warn({ err: error, upstream: name }, 'the upstream does not report changes of its lists')
    }
  }

  async #follow(changes: EventStream<ListName>): Promise<void> {
    try {
      for await (const _ of changes) {
        if (this.upstream.isClosed) return
        await this.#read().catch((error: unknown) => this.#keepLists(error))
      }
    } catch (error) {
      // Also reports an upstream that no call has noticed to be down.
      this.upstream.failed(error)
    } finally {
      this.#changes = null
    }
  }

  #keepLists(error: unknown): void {
    this.upstream.failed(error)
    const { name } = this.upstream
    this.log.warn(
      { err: error, upstream: name },
      'the changed lists of the upstream could not be read: the old lists stay',
    )
  }
}
