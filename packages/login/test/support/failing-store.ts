import { InMemoryLoginStore } from '@toolwright/login'

/** A store that can be switched off. */
export class FailingStore extends InMemoryLoginStore {
  isDown = false

  override get(key: string): string | null {
    this.#check()
    return super.get(key)
  }

  override set(key: string, value: string, keptMs: number): void {
    this.#check()
    super.set(key, value, keptMs)
  }

  override take(key: string): string | null {
    this.#check()
    return super.take(key)
  }

  #check(): void {
    if (this.isDown) throw new Error('the store is down')
  }
}
