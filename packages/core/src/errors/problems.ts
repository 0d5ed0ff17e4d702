import { BootError, type BootProblem, type BootProblemCode } from './boot-error.js'

/** Collects boot problems, so that all of them are reported together. */
export class Problems {
  readonly #found: BootProblem[] = []

  add(code: BootProblemCode, message: string): void {
    // A class that several features depend on would be reported once for each.
    if (!this.#found.some((problem) => problem.message === message)) this.#found.push({ code, message })
  }

  throwIfAny(): void {
    if (this.#found.length > 0) throw new BootError([...this.#found])
  }

  get count(): number {
    return this.#found.length
  }
}
