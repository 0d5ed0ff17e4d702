import type { SessionNode, SessionRecord, SessionStore } from '@toolwright/core'
import { type Connection, Script } from './connection.js'
import type { Keys } from './keys.js'
import { clock, keepFor, longestMs } from './script-parts.js'
import { everybody, type Subscriptions } from './subscriptions.js'
import { takeTurns, tooLate } from './take-turns.js'
import { Turns } from './turns.js'

export interface SessionBounds {
  /** At most so many at once, of all nodes together. */
  readonly maxSessions: number
}

/** Milliseconds in which a node says of each session that it uses that it does: a minute, or a third of the idle time. */
const saidWithinMs = 60_000

/**
 * Each session is one text that expires. Two sorted sets hold their ids by the time of their expiry, one for those that
 * were opened and never used since: a flood of `initialize` drives out itself.
 */
const create = new Script(`${clock}${keepFor}
local session, unused, used = unpack(KEYS)
local id, record, idleMs, max, inUseMs, prefix, channel = unpack(ARGV)

local function idOfOldest()
  local oldest = redis.call('ZRANGE', unused, 0, 0)[1]
  if oldest then return oldest end
  local last = redis.call('ZRANGE', used, 0, 0, 'WITHSCORES')
  -- What was used so lately may be in use: nodes do not say so more often.
  if last[1] and tonumber(last[2]) - idleMs < now - inUseMs then return last[1] end
end

for _, shelf in ipairs({ unused, used }) do redis.call('ZREMRANGEBYSCORE', shelf, '-inf', now) end
while redis.call('ZCARD', unused) + redis.call('ZCARD', used) >= tonumber(max) do
  local oldest = idOfOldest()
  if not oldest then return 0 end
  redis.call('DEL', prefix .. oldest)
  for _, shelf in ipairs({ unused, used }) do redis.call('ZREM', shelf, oldest) end
  redis.call('PUBLISH', channel, '${everybody} ' .. oldest)
end
redis.call('SET', session, record, 'PX', idleMs)
redis.call('ZADD', unused, now + idleMs, id)
keepFor(unused, idleMs)
return 1`)

const touch = new Script(`${clock}${keepFor}
local session, unused, used, streams = unpack(KEYS)
local id, idleMs = unpack(ARGV)
if redis.call('PEXPIRE', session, idleMs) == 0 then return end
redis.call('ZREM', unused, id)
redis.call('ZADD', used, now + idleMs, id)
keepFor(used, idleMs)
-- Where its streams are lives as long as the session: a client that comes back counts on it.
keepFor(streams, idleMs)`)

const replace = new Script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
return 1`)

const remove = new Script(`
local session, unused, used = unpack(KEYS)
local id, channel = unpack(ARGV)
for _, shelf in ipairs({ unused, used }) do redis.call('ZREM', shelf, id) end
if redis.call('DEL', session) == 1 then redis.call('PUBLISH', channel, '${everybody} ' .. id) end`)

/** Sessions that nodes share. Over the limit one makes room as `InMemorySessionStore` has it. */
export class RedisSessionStore implements SessionStore {
  readonly #unused: string
  readonly #used: string
  readonly #ended: string
  readonly #forwarded: string
  readonly #turns = new Turns()

  constructor(
    private readonly connection: Connection,
    private readonly subscriptions: Subscriptions,
    private readonly keys: Keys,
    private readonly bounds: SessionBounds,
  ) {
    this.#unused = keys.of('sessions', 'unused')
    this.#used = keys.of('sessions', 'used')
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
      [this.keys.session(sessionId), this.#unused, this.#used],
      [
        sessionId,
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
    const keys = [this.keys.session(sessionId), this.#unused, this.#used, this.keys.streams(sessionId)]
    await this.connection.script(touch, keys, [sessionId, Math.min(idleMs, longestMs)])
  }

  async delete(sessionId: string): Promise<void> {
    const keys = [this.keys.session(sessionId), this.#unused, this.#used]
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
