import type { StoreOwner } from '@toolwright/core'
import { callerOf, type SessionNode, type SessionRecord, type SessionStore } from '@toolwright/sessions'
import { hashOf, type Keys } from './keys.js'
import { retryOnConflict, tooLate } from './retry-on-conflict.js'
import { longestMs, Script } from './script.js'
import { count, countAsUsed, remove, touch, uncount } from './session-scripts.js'
import type { StoreConnection } from './store-connection.js'
import type { StoresOwner } from './stores-owner.js'
import { noSender, type Subscriptions } from './subscriptions.js'
import { Turns } from './turns.js'

/**
 * Maximum interval in milliseconds at which a node marks the sessions that it uses. The interval is a third of the idle
 * time if that is shorter.
 */
const markIntervalMs = 60_000

const replace = new Script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
return 1`)

/** Sessions that nodes share. At the limit, sessions are displaced as in `InMemorySessionStore`. */
export class RedisSessionStore implements SessionStore {
  readonly #counts: readonly string[]
  readonly #ended: string
  readonly #forwarded: string
  readonly #turns = new Turns()

  constructor(
    private readonly connection: StoreConnection,
    private readonly subscriptions: Subscriptions,
    private readonly keys: Keys,
    private readonly owner: StoresOwner,
  ) {
    this.#counts = ['unused', 'used', 'callers'].map((name) => keys.in('sessions', name))
    this.#ended = keys.of('sessions', 'ended')
    this.#forwarded = keys.of('sessions', 'forwarded')
  }

  prepare(owner: StoreOwner): Promise<void> {
    return this.owner.prepare(owner)
  }

  async create(session: SessionRecord, idleMs: number): Promise<boolean> {
    const { sessionId } = session
    const keptMs = Math.min(idleMs, longestMs)
    // A session is in use for one and a half intervals, because a node may mark it late.
    const inUseMs = Math.ceil(Math.min(markIntervalMs, keptMs / 3) * 1.5)
    const args = [sessionId, hashOf(callerOf(session)), keptMs, this.owner.limits.maxSessions, inUseMs]
    const answer = (await this.connection.script(count, this.#counts, args)) as [number, ...string[]]
    const [hasRoom, ...displaced] = answer
    await Promise.all(displaced.map((each) => this.#end(each)))
    if (hasRoom === 0) return false
    const record = JSON.stringify(session)
    await this.connection.run((client) => client.set(this.keys.session(sessionId), record, { PX: keptMs }))
    return true
  }

  async get(sessionId: string): Promise<SessionRecord | undefined> {
    const text = await this.#read(sessionId)
    return text === null ? undefined : (JSON.parse(text) as SessionRecord)
  }

  update(sessionId: string, change: (session: SessionRecord) => SessionRecord): Promise<SessionRecord | undefined> {
    return this.#turns.take(sessionId, () => retryOnConflict(() => this.#tryToUpdate(sessionId, change)))
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
    const keptMs = Math.min(idleMs, longestMs)
    const keys = [this.keys.session(sessionId), this.keys.streams(sessionId)]
    if ((await this.connection.script(touch, keys, [keptMs])) === 0) return
    await this.connection.script(countAsUsed, this.#counts, [sessionId, keptMs])
  }

  async delete(sessionId: string): Promise<void> {
    await Promise.all([this.#end(sessionId), this.connection.script(uncount, this.#counts, [sessionId])])
  }

  #end(sessionId: string): Promise<unknown> {
    return this.connection.script(remove, [this.keys.session(sessionId)], [sessionId, this.#ended])
  }

  async forward(sessionId: string, message: string): Promise<void> {
    const text = `${noSender} ${sessionId} ${message}`
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
