import { InvalidClientRequest } from './client-request.js'

/** Results by name, each in an object: a result can be `undefined`, which JSON cannot express. */
export type StepResults = Readonly<Record<string, { readonly value?: unknown }>>

export interface StepJournal {
  check(): Promise<void>
  store(name: string, result: string): Promise<void>
}

export class Steps {
  readonly #results: Map<string, { readonly value?: unknown }>
  #journal: StepJournal | null = null
  readonly #used = new Set<string>()
  readonly #running = new Set<Promise<unknown>>()

  constructor(earlier: StepResults = {}) {
    this.#results = new Map(Object.entries(earlier))
  }

  get results(): StepResults {
    return Object.fromEntries(this.#results)
  }

  get hasResults(): boolean {
    return this.#results.size > 0
  }

  continueFrom(earlier: StepResults, journal: StepJournal): void {
    for (const [name, result] of Object.entries(earlier)) this.#results.set(name, result)
    this.#journal = journal
  }

  async run<Result>(name: string, run: () => unknown): Promise<Result> {
    if (this.#used.has(name)) {
      throw new InvalidClientRequest(`The step '${name}' is used twice in one call. Give each step its own name.`)
    }
    this.#used.add(name)
    const earlier = this.#results.get(name)
    if (earlier !== undefined) return earlier.value as Result
    const running = this.#finish<Result>(name, run)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  /** Converts the result to plain JSON data, so that the first run gets the same value as later runs. */
  async #finish<Result>(name: string, run: () => unknown): Promise<Result> {
    if (this.#journal !== null) await this.#journal.check()
    const value: unknown = await run()
    const json = JSON.stringify({ value })
    const result = JSON.parse(json) as { value?: unknown }
    this.#results.set(name, result)
    if (this.#journal !== null) await this.#journal.store(name, json)
    return result.value as Result
  }
}
