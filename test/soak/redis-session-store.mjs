import { createClient } from '@redis/client'

/** Sets a value where the one that is expected is there: as one step, which only a script can do. */
const replace = `
local found = redis.call('GET', KEYS[1])
if (found or '') ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL') else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`

/** Sessions in Redis, as docs/how-to/scale-out.md has them in a database. */
export class RedisSessionStore {
  static async open(port) {
    // What cannot be sent now is refused now: a queue would grow for as long as the server is down.
    const options = { disableOfflineQueue: true, socket: { host: '127.0.0.1', port, reconnectStrategy: 200 } }
    const [client, subscriber] = [createClient(options), createClient(options)]
    // An outage is told of by what fails.
    for (const each of [client, subscriber]) each.on('error', () => undefined)
    await Promise.all([client.connect(), subscriber.connect()])
    return new RedisSessionStore(client, subscriber)
  }

  constructor(client, subscriber) {
    this.client = client
    this.subscriber = subscriber
  }

  create(session, idleMs) {
    return this.#replace(session.sessionId, '', JSON.stringify(session), String(idleMs))
  }

  async get(sessionId) {
    const text = await this.client.get(sessionId)
    return text === null ? undefined : JSON.parse(text)
  }

  async update(sessionId, change) {
    for (let attempt = 0; attempt < 10; attempt++) {
      const text = await this.client.get(sessionId)
      if (text === null) return undefined
      const changed = change(JSON.parse(text))
      if (await this.#replace(sessionId, text, JSON.stringify(changed), '')) return changed
    }
    throw new Error('Too many nodes changed one session at once')
  }

  async touch(sessionId, idleMs) {
    await this.client.pExpire(sessionId, idleMs)
  }

  async delete(sessionId) {
    await this.client.del(sessionId)
    await this.client.publish('sessions ended', sessionId)
  }

  attach(node) {
    const listener = (sessionId) => node.ended(sessionId)
    void this.subscriber.subscribe('sessions ended', listener).catch(() => undefined)
    return () => void this.subscriber.unsubscribe('sessions ended', listener).catch(() => undefined)
  }

  close() {
    for (const each of [this.client, this.subscriber]) each.destroy()
  }

  async #replace(sessionId, expected, value, ttlMs) {
    return (await this.client.eval(replace, { keys: [sessionId], arguments: [expected, value, ttlMs] })) === 1
  }
}
