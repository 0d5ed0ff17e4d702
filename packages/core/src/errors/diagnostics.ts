import { type BootDiagnostic, type BootDiagnosticCode, BootError } from './boot-error.js'
import { describeValue } from './describe-value.js'

/** Collects boot problems, so that all of them are reported together. */
export class Diagnostics {
  readonly #found: BootDiagnostic[] = []

  get found(): readonly BootDiagnostic[] {
    return this.#found
  }

  /** @param cause What was thrown, for problems that are not found by looking. */
  add(code: BootDiagnosticCode, message: string, cause?: unknown): void {
    // A class that several features depend on would be reported once for each.
    if (this.#found.some((diagnostic) => diagnostic.message === message)) return
    this.#found.push(cause === undefined ? { code, message } : { code, message, cause })
  }

  /** An option that is not what it should be. @param fix What to give, as the last sentence of the message. */
  addBadOption(option: string, value: unknown, fix: string): void {
    this.add('bad-option', `${option} is ${describeValue(value)}. ${fix}`)
  }

  /** @param failed What cannot be done because of them. Default: the server cannot start. */
  throwIfAny(failed?: string): void {
    if (this.#found.length > 0) throw new BootError([...this.#found], failed)
  }

  get count(): number {
    return this.#found.length
  }
}

/** The message of an error, for problems that quote what was thrown. */
export function describeThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
