import { acceptOtherCopies } from '../copies/copies.js'

/** One mistake of the developer, found at boot. */
export interface BootDiagnostic {
  /** Stable name of the kind of mistake; see the errors reference. */
  readonly code: BootDiagnosticCode
  /** What is wrong, where, and how to fix it. */
  readonly message: string
  /** What was thrown, by a module that was loaded or by a constructor. */
  readonly cause?: unknown
}

/** Every kind of mistake that boot reports. A code is never reused. */
export const bootDiagnosticCodes = [
  'arguments-injected',
  'bad-authorization',
  'bad-controller',
  'bad-decorator-target',
  'bad-environment',
  'bad-header-parameter',
  'bad-hook',
  'bad-name',
  'bad-option',
  'bad-schema',
  'bad-skill',
  'bad-uri',
  'captive-dependency',
  'circular-dependency',
  'circular-import',
  'constructor-failed',
  'duplicate-name',
  'lost-metadata',
  'missing-schema',
  'module-failed',
  'no-features',
  'not-node',
  'open-bind',
  'scan-folder-missing',
  'shared-private-lists',
  'skill-folder-missing',
  'standard-decorators',
  'two-copies',
  'uncalled-decorator',
  'undecorated-class',
  'unguarded-destructive-tool',
  'unknown-app-page',
  'unknown-completion-target',
  'unresolvable-token',
] as const

/** One of {@link bootDiagnosticCodes}. */
export type BootDiagnosticCode = (typeof bootDiagnosticCodes)[number]

/**
 * Thrown at boot with every mistake at once: the server does not start until all are fixed. What is added to a running
 * server is checked in the same way, and left out.
 */
export class BootError extends Error {
  override readonly name = 'BootError'

  /** @param failed What cannot be done because of them. */
  constructor(
    readonly diagnostics: readonly BootDiagnostic[],
    failed = 'The server cannot start',
  ) {
    super(describe(diagnostics, failed), causeOf(diagnostics))
    // The mistakes are in the application's code: where boot found them out is of no use to anybody.
    this.stack = `${this.name}: ${this.message}`
    // Node prints below the message what can be enumerated, and this would say it all once more.
    Object.defineProperty(this, 'diagnostics', { enumerable: false })
  }
}
acceptOtherCopies(BootError, 'BootError')

/** Printed with its stack when nobody catches the error. */
function causeOf(diagnostics: readonly BootDiagnostic[]): ErrorOptions {
  const causes = diagnostics.map(({ cause }) => cause).filter((cause) => cause !== undefined)
  if (causes.length === 0) return {}
  return { cause: causes.length > 1 ? together(causes) : causes[0] }
}

function together(causes: readonly unknown[]): AggregateError {
  const error = new AggregateError(causes, 'several things were thrown at boot')
  // Theirs are what is wanted.
  error.stack = `${error.name}: ${error.message}`
  return error
}

function describe(diagnostics: readonly BootDiagnostic[], failed: string): string {
  const count = diagnostics.length === 1 ? '1 problem' : `${diagnostics.length} problems`
  const lines = diagnostics.map(
    ({ code, message }, index) => `  ${index + 1}. ${message.replaceAll('\n', '\n     ')} [${code}]`,
  )
  return `${failed}: ${count} found.\n${lines.join('\n')}`
}
