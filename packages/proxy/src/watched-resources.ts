import type { EventStream, McpClient } from '@toolwright/client'
import type { Changes, JsonObject } from '@toolwright/core'
import { textOf } from './json.js'
import type { Upstream } from './upstream.js'

/** Maximum number of resources of one upstream whose changes are followed. */
const maxWatched = 500

export class WatchedResources {
  #changes: Changes | null = null
  #client: McpClient | null = null
  #uris: readonly string[] = []
  #updates: EventStream<string> | null = null

  constructor(private readonly upstream: Upstream) {}

  serve(changes: Changes): void {
    this.#changes = changes
    this.#restart()
  }

  follow(client: McpClient, resources: readonly JsonObject[]): void {
    const uris = resources.flatMap(({ uri }) => textOf(uri) ?? []).slice(0, maxWatched)
    if (client === this.#client && this.#updates !== null && isSame(uris, this.#uris)) return
    this.#client = client
    this.#uris = uris
    this.#restart()
  }

  async close(): Promise<void> {
    this.#changes = null
    await this.#updates?.close()
  }

  #restart(): void {
    const { upstream } = this
    if (this.#changes === null || this.#client?.capabilities.resources?.subscribe !== true) return
    const old = this.#updates
    this.#updates = null
    void old?.close()
    if (this.#uris.length === 0 || upstream.isClosed) return
    void this.#read(this.#client, this.#uris)
  }

  async #read(client: McpClient, uris: readonly string[]): Promise<void> {
    try {
      const updates = await client.updates(uris)
      this.#updates = updates
      for await (const uri of updates) this.#changes?.resourceUpdated(this.upstream.uris.toFront(uri))
    } catch (error) {
      this.upstream.failed(error)
    }
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((uri, index) => uri === other[index])
}
