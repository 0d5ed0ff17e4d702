import type { LoginStore } from '@toolwright/core'
import type { Keys } from './keys.js'
import { longestMs, Script } from './script.js'
import type { StoreConnection } from './store-connection.js'

const takeEntry = new Script(`
local value = redis.call('GET', KEYS[1])
redis.call('DEL', KEYS[1])
return value`)

/** Logins that nodes share. Each entry is one key that expires. Redis runs each method atomically. */
export class RedisLoginStore implements LoginStore {
  constructor(
    private readonly connection: StoreConnection,
    private readonly keys: Keys,
  ) {}

  get(key: string): Promise<string | null> {
    return this.connection.run((client) => client.get(this.#keyOf(key)))
  }

  async set(key: string, value: string, keptMs: number): Promise<void> {
    await this.connection.run((client) => client.set(this.#keyOf(key), value, { PX: lifeOf(keptMs) }))
  }

  async add(key: string, value: string, keptMs: number): Promise<boolean> {
    const options = { PX: lifeOf(keptMs), NX: true } as const
    return (await this.connection.run((client) => client.set(this.#keyOf(key), value, options))) !== null
  }

  async take(key: string): Promise<string | null> {
    return (await this.connection.script(takeEntry, [this.#keyOf(key)], [])) as string | null
  }

  #keyOf(key: string): string {
    return this.keys.of('login', key)
  }
}

function lifeOf(keptMs: number): number {
  return Math.max(1, Math.min(Math.ceil(keptMs), longestMs))
}
