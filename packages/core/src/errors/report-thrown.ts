import type { MaybePromise } from '../timing/maybe-promise.js'
import { BootError } from './boot-error.js'
import { type Diagnostics, describeThrown } from './diagnostics.js'

/** Runs code of the application at boot, and reports its error: the problems of a `BootError`, or one problem. */
export async function reportThrown(
  failed: string,
  diagnostics: Diagnostics,
  run: () => MaybePromise<void>,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (error instanceof BootError) {
      for (const { code, message, cause } of error.diagnostics) diagnostics.add(code, message, cause)
    } else diagnostics.add('bad-option', `${failed}: ${describeThrown(error)}`, error)
  }
}
