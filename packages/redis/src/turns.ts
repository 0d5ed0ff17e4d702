/** Runs what concerns one thing one after the other, so that changes on one node do not compete with each other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  async take<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const running = before.then(run, run)
    this.#last.set(name, running)
    try {
      return await running
    } finally {
      if (this.#last.get(name) === running) this.#last.delete(name)
    }
  }
}
