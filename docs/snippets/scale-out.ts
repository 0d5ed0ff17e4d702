import type { SessionNode, SessionRecord, SessionStore } from 'toolwright'

/** Operations that most key-value databases have. */
interface Database {
  get(key: string): Promise<string | undefined>
  /**
   * `null` expects no value; a string expects that value, and keeps its expiry.
   * Resolves to whether the value was set.
   */
  replace(
    key: string,
    expected: string | null,
    value: string,
    ttlMs?: number,
  ): Promise<boolean>
  expire(key: string, ttlMs: number): Promise<void>
  delete(key: string): Promise<void>
  publish(channel: string, message: string): Promise<void>
  subscribe(channel: string, onMessage: (message: string) => void): () => void
}

// #region store
export class DatabaseSessionStore implements SessionStore {
  constructor(private readonly database: Database) {}

  create(session: SessionRecord, idleMs: number): Promise<boolean> {
    return this.database.replace(
      session.sessionId,
      null,
      JSON.stringify(session),
      idleMs,
    )
  }

  async get(sessionId: string): Promise<SessionRecord | undefined> {
    const text = await this.database.get(sessionId)
    return text === undefined ? undefined : JSON.parse(text)
  }

  async update(
    sessionId: string,
    change: (session: SessionRecord) => SessionRecord,
  ): Promise<SessionRecord | undefined> {
    for (let attempt = 0; attempt < 10; attempt++) {
      const text = await this.database.get(sessionId)
      if (text === undefined) return undefined
      const changed = change(JSON.parse(text))
      if (await this.database.replace(sessionId, text, JSON.stringify(changed)))
        return changed
    }
    throw new Error('Too many nodes changed one session at once')
  }

  touch(sessionId: string, idleMs: number): Promise<void> {
    return this.database.expire(sessionId, idleMs)
  }

  async delete(sessionId: string): Promise<void> {
    await this.database.delete(sessionId)
    await this.database.publish('sessions ended', sessionId)
  }

  forward(sessionId: string, message: string): Promise<void> {
    return this.database.publish(
      'messages of sessions',
      JSON.stringify([sessionId, message]),
    )
  }

  attach(node: SessionNode): () => void {
    const stops = [
      this.database.subscribe('sessions ended', (sessionId) =>
        node.ended(sessionId),
      ),
      this.database.subscribe('messages of sessions', (text) => {
        const [sessionId, message] = JSON.parse(text)
        node.received(sessionId, message)
      }),
    ]
    return () => stops.forEach((stop) => stop())
  }
}
// #endregion
