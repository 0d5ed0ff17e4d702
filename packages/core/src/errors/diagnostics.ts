import { type BootDiagnostic, type BootDiagnosticCode, BootError } from './boot-error.js'
import { describeValue } from './describe-value.js'

/** Collects boot problems, so that all of them are reported together. */
export class Diagnostics {
  readonly #found: BootDiagnostic[] = []

  get found(): readonly BootDiagnostic[] {
    return this.#found
  }

  /** @param cause The original error, if code of the application threw. */
  add(code: BootDiagnosticCode, message: string, cause?: unknown): void {
    // A class that several features depend on would be reported once for each.
    if (this.#found.some((diagnostic) => diagnostic.message === message)) return
    this.#found.push(cause === undefined ? { code, message } : { code, message, cause })
  }

  /** Adds a problem with the value of an option. @param fix The valid value, as the last sentence of the message. */
  addBadOption(option: string, value: unknown, fix: string): void {
    this.add('bad-option', `${option} is ${describeValue(value)}. ${fix}`)
  }

  /** @param failed The action that failed. Default: the server cannot start. */
  throwIfAny(failed?: string): void {
    if (this.#found.length > 0) throw new BootError([...this.#found], failed)
  }

  get count(): number {
    return this.#found.length
  }
}

/** Returns the message of a thrown value. */
export function describeThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
