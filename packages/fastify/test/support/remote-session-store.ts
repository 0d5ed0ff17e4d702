import { setImmediate as travel } from 'node:timers/promises'
import { InMemorySessionStore, type SessionNode, type SessionRecord, type SessionStore } from '@toolwright/sessions'

export type Failure = 'throws' | 'rejects' | 'hangs' | 'torn' | 'wrong type'

/** A session store like one behind a network: it responds with a delay, stores copies, and can fail in every way. */
export class RemoteSessionStore implements SessionStore {
  readonly kept = new InMemorySessionStore({ maxSessions: 10_000 })
  /** The failure of the store, while there is one. */
  failure: Failure | null = null
  calls = 0

  async create(record: SessionRecord, idleMs: number): Promise<boolean> {
    return this.#answer(() => this.kept.create(copy(record), idleMs))
  }

  // Not `async`: it may throw synchronously.
  get(sessionId: string): Promise<SessionRecord | undefined> {
    if (this.failure === 'throws') throw new Error('the store threw')
    return this.#answer(() => copy(this.kept.get(sessionId)))
  }

  async update(
    sessionId: string,
    change: (record: SessionRecord) => SessionRecord,
  ): Promise<SessionRecord | undefined> {
    return this.#answer(() => copy(this.kept.update(sessionId, change)))
  }

  async touch(sessionId: string, idleMs: number): Promise<void> {
    return this.#answer(() => this.kept.touch(sessionId, idleMs))
  }

  async delete(sessionId: string): Promise<void> {
    return this.#answer(() => this.kept.delete(sessionId))
  }

  async forward(sessionId: string, message: string): Promise<void> {
    return this.#answer(() => this.kept.forward(sessionId, message))
  }

  attach(node: SessionNode): () => void {
    // A remote store cannot ask a node synchronously for its sessions in use.
    return this.kept.attach({
      isInUse: () => false,
      ended: (sessionId) => node.ended(sessionId),
      received: (sessionId, message) => node.received(sessionId, message),
    })
  }

  async #answer<Answer>(run: () => Answer): Promise<Answer> {
    this.calls++
    const { failure } = this
    await travel()
    if (failure === null) return run()
    if (failure === 'hangs') return new Promise(() => undefined)
    if (failure === 'torn') return { sessionId: 'half of a' } as Answer
    if (failure === 'wrong type') return 'WRONGTYPE' as Answer
    throw new Error('the store rejected')
  }
}

function copy<Value>(value: Value): Value {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value)
}
