import type { LoginStore } from '@toolwright/core'
import type { Secrets } from '../secrets.js'

/** Encrypts the values of a store. Each value is bound to its key. */
export class SealedStore {
  constructor(
    private readonly store: LoginStore,
    private readonly secrets: Secrets,
  ) {}

  /** Returns a value; `null` if it is absent, or was sealed with an unknown secret. */
  async get<Value>(key: string): Promise<Value | null> {
    return this.#open<Value>(key, await this.store.get(key))
  }

  async set(key: string, value: unknown, keptSeconds: number): Promise<void> {
    await this.store.set(key, this.secrets.seal(key, JSON.stringify(value)), keptSeconds * 1000)
  }

  /** Whether the key was free, atomically. */
  async add(key: string, value: unknown, keptSeconds: number): Promise<boolean> {
    return this.store.add(key, this.secrets.seal(key, JSON.stringify(value)), keptSeconds * 1000)
  }

  async take<Value>(key: string): Promise<Value | null> {
    return this.#open<Value>(key, await this.store.take(key))
  }

  #open<Value>(key: string, sealed: string | null): Value | null {
    const opened = sealed === null ? null : this.secrets.open(key, sealed)
    return opened === null ? null : (JSON.parse(opened) as Value)
  }
}
