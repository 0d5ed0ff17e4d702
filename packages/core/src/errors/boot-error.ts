import { acceptOtherCopies } from '../copies/copies.js'

export interface BootDiagnostic {
  /** Stable name of the kind of problem; see the errors reference. */
  readonly code: BootDiagnosticCode
  /** Message that names the location, the problem and the fix. */
  readonly message: string
  /** The original error that a module or a constructor threw. */
  readonly cause?: unknown
}

/** All kinds of problems that boot reports. A code is never reused. */
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
  'bad-source',
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

export type BootDiagnosticCode = (typeof bootDiagnosticCodes)[number]

/**
 * Thrown at boot with all problems: the server does not start until all problems are fixed. Also thrown when an invalid feature
 * is added to a running server. The feature is then not added.
 */
export class BootError extends Error {
  override readonly name = 'BootError'

  /** @param failed Beginning of the message: the action that failed. */
  constructor(
    readonly diagnostics: readonly BootDiagnostic[],
    failed = 'The server cannot start',
  ) {
    super(describe(diagnostics, failed), causeOf(diagnostics))
    // The problems are in the application's code: the stack of boot would only distract.
    this.stack = `${this.name}: ${this.message}`
    // Node prints enumerable properties below the message, which would repeat all problems.
    Object.defineProperty(this, 'diagnostics', { enumerable: false })
  }
}
acceptOtherCopies(BootError, 'BootError')

function causeOf(diagnostics: readonly BootDiagnostic[]): ErrorOptions {
  const causes = diagnostics.map(({ cause }) => cause).filter((cause) => cause !== undefined)
  if (causes.length === 0) return {}
  return { cause: causes.length > 1 ? together(causes) : causes[0] }
}

function together(causes: readonly unknown[]): AggregateError {
  const error = new AggregateError(causes, 'several errors were thrown at boot')
  // Only the stacks of the causes are useful.
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
