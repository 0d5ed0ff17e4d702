import { acceptOtherCopies } from '../copies/copies.js'
import { ToolError } from './call-errors.js'
import { ProtocolError } from './protocol-error.js'

/**
 * Thrown by what asks the client, for something that this client did not say it can do. Catch it to go on without the
 * answer. Uncaught it is JSON-RPC error -32021, or in revisions without that one the text of the call's error.
 */
export class MissingCapabilityError extends ProtocolError {
  override readonly name: string = 'MissingCapabilityError'

  /**
   * @param requiredCapabilities In the shape of a client's capabilities: `{ elicitation: { form: {} } }`.
   * @param kind What it is on the wire of the revision in force.
   */
  constructor(
    readonly requiredCapabilities: Readonly<Record<string, object>>,
    kind: 'missingClientCapability' | 'internalError' = 'missingClientCapability',
  ) {
    super(kind, `Missing required client capability: ${describe(requiredCapabilities)}`, { requiredCapabilities })
  }

  /** Whether the revision in force has an error code for it. */
  get hasCode(): boolean {
    return this.kind === 'missingClientCapability'
  }
}
acceptOtherCopies(MissingCapabilityError, 'MissingCapabilityError')

/** `sampling.tools` */
function describe(capabilities: Readonly<Record<string, object>>): string {
  return Object.entries(capabilities)
    .flatMap(([name, modes]) =>
      Object.keys(modes).length === 0 ? [name] : Object.keys(modes).map((mode) => `${name}.${mode}`),
    )
    .join(', ')
}

/**
 * Thrown by what asks the client, when no answer came that could be used: the client answered with an error, too late,
 * or cannot be reached. Uncaught it is the text of the call's error.
 */
export class ClientRequestError extends ToolError {
  override readonly name: string = 'ClientRequestError'

  /** @param code Of the client's error; `null` when it sent none. */
  constructor(
    message: string,
    readonly code: number | null = null,
  ) {
    super(message)
  }
}
acceptOtherCopies(ClientRequestError, 'ClientRequestError')
