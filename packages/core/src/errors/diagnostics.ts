import type { MaybePromise } from '../timing/maybe-promise.js'
import { type BootDiagnostic, type BootDiagnosticCode, BootError } from './boot-error.js'
import { describeValue } from './describe-value.js'

/** Collects boot problems, so that all of them are reported together. */
export class Diagnostics {
  readonly #found: BootDiagnostic[] = []

  get found(): readonly BootDiagnostic[] {
    return this.#found
  }

  /** @param cause The original error, if code of the application threw it. */
  add(code: BootDiagnosticCode, message: string, cause?: unknown): void {
    // A problem of a class is found again for each feature that depends on the class.
    if (this.#found.some((diagnostic) => diagnostic.message === message)) return
    this.#found.push(cause === undefined ? { code, message } : { code, message, cause })
  }

  /** Adds a problem with the value of an option. @param fix The valid value, as the last sentence of the message. */
  addBadOption(option: string, value: unknown, fix: string): void {
    this.add('bad-option', `${option} is ${describeValue(value)}. ${fix}`)
  }

  /** @param failed Start of the message, such as `A tool cannot be added`. Default: the server cannot start. */
  throwIfAny(failed?: string): void {
    if (this.#found.length > 0) throw new BootError([...this.#found], failed)
  }

  get count(): number {
    return this.#found.length
  }
}

export function describeThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/**
 * Runs code of the application at boot. If the code throws, adds the problems of its `BootError`, or one problem for any other
 * error.
 */
export async function reportThrown(
  failed: string,
  diagnostics: Diagnostics,
  run: () => MaybePromise<void>,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (error instanceof BootError) addAll(error, diagnostics)
    else diagnostics.add('bad-option', `${failed}: ${describeThrown(error)}`, error)
  }
}

export function collectThrown(diagnostics: Diagnostics, run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    addAll(error, diagnostics)
  }
}

function addAll(error: BootError, diagnostics: Diagnostics): void {
  for (const { code, message, cause } of error.diagnostics) diagnostics.add(code, message, cause)
}

/**
 * Adds the problems that an object of the application reports about itself. The list of problems can be malformed.
 *
 * @param owner The option with the object: `authentication`.
 * @param reported The member `diagnostics` of the object; `undefined` or `null`: no problems.
 */
export function addReportedDiagnostics(owner: string, reported: unknown, diagnostics: Diagnostics): void {
  const option = `${owner}: diagnostics`
  const found = reported ?? []
  if (!Array.isArray(found)) {
    diagnostics.addBadOption(option, reported, 'Give an array of { code, message }, or leave it out.')
    return
  }
  for (const [index, problem] of (found as unknown[]).entries()) {
    const { code, message } = Object(problem) as { readonly code?: unknown; readonly message?: unknown }
    if (typeof code === 'string' && typeof message === 'string') diagnostics.add(code as BootDiagnosticCode, message)
    else diagnostics.addBadOption(`${option}[${index}]`, problem, 'Give { code, message }, both strings.')
  }
}
