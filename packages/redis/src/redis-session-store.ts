import type { SessionNode, SessionRecord, SessionStore } from '@toolwright/core'
import { callerOf } from '@toolwright/core/internal'
import type { Connection } from './connection.js'
import { hashOf, type Keys } from './keys.js'
import { Script } from './script.js'
import { longestMs } from './script-parts.js'
import { create, remove, touch } from './session-scripts.js'
import { everybody, type Subscriptions } from './subscriptions.js'
import { takeTurns, tooLate } from './take-turns.js'
import { Turns } from './turns.js'

interface SessionBounds {
  /** At most so many at once, of all nodes together. */
  readonly maxSessions: number
}

/** Milliseconds in which a node says of each session that it uses that it does: a minute, or a third of the idle time. */
const saidWithinMs = 60_000

const replace = new Script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
return 1`)

/** Sessions that nodes share. Over the limit one makes room as `InMemorySessionStore` has it. */
export class RedisSessionStore implements SessionStore {
  /** What counts sessions. */
  readonly #counts: readonly string[]
  readonly #ended: string
  readonly #forwarded: string
  readonly #turns = new Turns()

  constructor(
    private readonly connection: Connection,
    private readonly subscriptions: Subscriptions,
    private readonly keys: Keys,
    private readonly bounds: SessionBounds,
  ) {
    this.#counts = ['unused', 'used', 'callers'].map((name) => keys.of('sessions', name))
    this.#ended = keys.of('sessions', 'ended')
    this.#forwarded = keys.of('sessions', 'forwarded')
  }

  async create(session: SessionRecord, idleMs: number): Promise<boolean> {
    const { sessionId } = session
    const keptMs = Math.min(idleMs, longestMs)
    // Half as long again, because whoever says so may be late.
    const inUseMs = Math.ceil(Math.min(saidWithinMs, keptMs / 3) * 1.5)
    const kept = await this.connection.script(
      create,
      [this.keys.session(sessionId), ...this.#counts],
      [
        sessionId,
        hashOf(callerOf(session)),
        JSON.stringify(session),
        keptMs,
        this.bounds.maxSessions,
        inUseMs,
        this.keys.session(''),
        this.#ended,
      ],
    )
    return kept === 1
  }

  async get(sessionId: string): Promise<SessionRecord | undefined> {
    const text = await this.#read(sessionId)
    return text === null ? undefined : (JSON.parse(text) as SessionRecord)
  }

  update(sessionId: string, change: (session: SessionRecord) => SessionRecord): Promise<SessionRecord | undefined> {
    return this.#turns.take(sessionId, () => takeTurns(() => this.#tryToUpdate(sessionId, change)))
  }

  async #tryToUpdate(
    sessionId: string,
    change: (session: SessionRecord) => SessionRecord,
  ): Promise<SessionRecord | undefined | typeof tooLate> {
    const text = await this.#read(sessionId)
    if (text === null) return undefined
    const session = JSON.parse(text) as SessionRecord
    const changed = change(session)
    if (changed === session) return session
    const texts = [text, JSON.stringify(changed)]
    const isReplaced = (await this.connection.script(replace, [this.keys.session(sessionId)], texts)) === 1
    return isReplaced ? changed : tooLate
  }

  async touch(sessionId: string, idleMs: number): Promise<void> {
    const keys = [this.keys.session(sessionId), ...this.#counts, this.keys.streams(sessionId)]
    await this.connection.script(touch, keys, [sessionId, Math.min(idleMs, longestMs)])
  }

  async delete(sessionId: string): Promise<void> {
    const keys = [this.keys.session(sessionId), ...this.#counts]
    await this.connection.script(remove, keys, [sessionId, this.#ended])
  }

  async forward(sessionId: string, message: string): Promise<void> {
    const text = `${everybody} ${sessionId} ${message}`
    await this.connection.run((client) => client.publish(this.#forwarded, text))
  }

  attach(node: SessionNode): () => void {
    const onForwarded = (text: string): void => {
      const end = text.indexOf(' ')
      node.received(text.slice(0, end), text.slice(end + 1))
    }
    const stops = [
      this.subscriptions.add(this.#ended, { onMessage: (sessionId) => node.ended(sessionId) }),
      this.subscriptions.add(this.#forwarded, { onMessage: onForwarded }),
    ]
    return () => stops.forEach((stop) => stop())
  }

  #read(sessionId: string): Promise<string | null> {
    return this.connection.run((client) => client.get(this.keys.session(sessionId)))
  }
}
