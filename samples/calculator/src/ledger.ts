import { singleton } from 'toolwright'

/** A finished calculation. */
export interface Entry {
  readonly at: string
  readonly calculation: string
  readonly result: number
}

const capacity = 100

/**
 * Stores the latest calculations of all clients. A singleton: each class that
 * injects it gets the same instance.
 */
@singleton()
export class Ledger {
  readonly #entries: Entry[] = []

  note(calculation: string, result: number): void {
    this.#entries.push({ at: new Date().toISOString(), calculation, result })
    if (this.#entries.length > capacity) this.#entries.shift()
  }

  /** Oldest first. */
  get entries(): readonly Entry[] {
    return this.#entries
  }
}
