import { type Bus, InProcessBus, publishTo } from '../bus.js'
import { ownedHere } from '../copies/copies.js'
import type { ErrorLog } from '../errors/log-failure.js'
import type { Audience } from './audience.js'

/** Something that clients can ask to be told of. Plain data, so that it can travel between processes. */
export type Change =
  | {
      readonly kind: 'tools' | 'prompts' | 'resources'
      /** Whose list it is that changed; left out: everybody's. */
      readonly audiences?: readonly Audience[]
    }
  | {
      readonly kind: 'resource'
      readonly uri: string
      /** Who might read it when it changed; left out: everybody. */
      readonly audience?: Audience
    }

/**
 * Carries changes from where they happen to every client that asked. One of another process can stand in for it. What
 * `publish` throws or rejects with is logged, and those clients are not told.
 */
export interface ChangeBus extends Bus<Change> {}

/** The embedded default: for clients of this process. */
export class InProcessChangeBus extends InProcessBus<Change> implements ChangeBus {}

/** Who may read a resource now; `null`: everybody. */
type AudienceOf = (uri: string) => Audience | null

/** For the server, which has the rules. */
export let decideAudience: (changes: Changes, audienceOf: AudienceOf) => void

/**
 * Tells clients of changes that only the application knows of, such as new content of a resource. The catalog tells of
 * its own changes. Several changes of one kind in one tick are told once.
 */
export class Changes {
  readonly #pending = new Map<string, Change>()
  #audienceOf: AudienceOf = () => null

  static {
    decideAudience = (changes, audienceOf) => {
      changes.#audienceOf = audienceOf
    }
  }

  constructor(
    private readonly bus: ChangeBus,
    private readonly log: ErrorLog,
  ) {}

  /** Tells subscribers that the content of this resource has changed. */
  resourceUpdated(uri: string): void {
    const key = `resource ${uri}`
    const pending = this.#pending.get(key) as Extract<Change, { kind: 'resource' }> | undefined
    // Now, while there is a rule to ask: it may be removed before anybody is told.
    const audience = pending?.audience ?? this.#audienceOf(uri)
    this.#tell(key, audience === null ? { kind: 'resource', uri } : { kind: 'resource', uri, audience })
  }

  /** Tells clients to list tools again, for a reason that the catalog does not know of. */
  toolsChanged(): void {
    this.#tell('tools', { kind: 'tools' })
  }

  /** Tells clients to list prompts again, as above. */
  promptsChanged(): void {
    this.#tell('prompts', { kind: 'prompts' })
  }

  /** Tells clients to list resources and templates again, as above. */
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
    for (const change of changes) void publishTo(this.bus, change, this.log, { change: change.kind })
  }
}
ownedHere(Changes)
