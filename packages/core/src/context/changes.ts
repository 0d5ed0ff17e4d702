import type { Audience } from './audience.js'

/** Something that clients can ask to be told of. Plain data, so that it can travel between processes. */
export type Change =
  | {
      readonly kind: 'tools' | 'prompts' | 'resources'
      /** Whose list it is that changed; left out: everybody's. */
      readonly audiences?: readonly Audience[]
    }
  | { readonly kind: 'resource'; readonly uri: string }

/** Carries changes from where they happen to every client that asked. One of another process can stand in for it. */
export interface ChangeBus {
  publish(change: Change): void
  /** @returns Ends the subscription. */
  subscribe(listener: (change: Change) => void): () => void
}

/** The embedded default: for clients of this process. */
export class InProcessChangeBus implements ChangeBus {
  readonly #listeners = new Set<(change: Change) => void>()

  publish(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/**
 * Tells clients of changes. What happens to the catalog is told by itself; the rest only the application knows.
 * Changes of one kind in one tick are told once.
 */
export class Changes {
  readonly #pending = new Map<string, Change>()

  constructor(private readonly bus: ChangeBus) {}

  /** The resource with this URI has other content now. */
  resourceUpdated(uri: string): void {
    this.#tell(`resource ${uri}`, { kind: 'resource', uri })
  }

  /** The list of tools is another, for a reason that the catalog does not know. */
  toolsChanged(): void {
    this.#tell('tools', { kind: 'tools' })
  }

  promptsChanged(): void {
    this.#tell('prompts', { kind: 'prompts' })
  }

  resourcesChanged(): void {
    this.#tell('resources', { kind: 'resources' })
  }

  /** A feature with this audience came or went. `null`: everybody may know. For the server itself. */
  listChanged(kind: 'tools' | 'prompts' | 'resources', audience: Audience | null): void {
    const pending = this.#pending.get(kind) as Extract<Change, { kind: typeof kind }> | undefined
    const isForAll = audience === null || (pending !== undefined && pending.audiences === undefined)
    this.#tell(kind, isForAll ? { kind } : { kind, audiences: [...(pending?.audiences ?? []), audience] })
  }

  #tell(key: string, change: Change): void {
    if (this.#pending.size === 0) queueMicrotask(() => this.#publish())
    this.#pending.set(key, change)
  }

  #publish(): void {
    const changes = [...this.#pending.values()]
    this.#pending.clear()
    for (const change of changes) this.bus.publish(change)
  }
}
