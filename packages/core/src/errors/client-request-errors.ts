import { acceptOtherCopies } from '../copies/copies.js'
import { ToolError } from './call-errors.js'
import { ProtocolError } from './protocol-error.js'

/**
 * Thrown by requests to a client that did not declare the required capability. Catch this error to continue without the answer.
 * If this error is not caught, the call fails with JSON-RPC error -32021. In revisions without that code, the call fails with
 * this error's message.
 */
export class MissingCapabilityError extends ProtocolError {
  override readonly name: string = 'MissingCapabilityError'

  /**
   * @param requiredCapabilities The missing capabilities, in the format of client capabilities: `{ elicitation: { form: {} } }`.
   * @param kind `internalError` if the client's revision has no code for this error.
   */
  constructor(
    readonly requiredCapabilities: Readonly<Record<string, object>>,
    kind: 'missingClientCapability' | 'internalError' = 'missingClientCapability',
  ) {
    super(kind, `Missing required client capability: ${describe(requiredCapabilities)}`, { requiredCapabilities })
  }

  get hasCode(): boolean {
    return this.kind === 'missingClientCapability'
  }
}
acceptOtherCopies(MissingCapabilityError, 'MissingCapabilityError')

function describe(capabilities: Readonly<Record<string, object>>): string {
  return Object.entries(capabilities)
    .flatMap(([name, modes]) =>
      Object.keys(modes).length === 0 ? [name] : Object.keys(modes).map((mode) => `${name}.${mode}`),
    )
    .join(', ')
}

/**
 * Thrown when a request to the client has no usable answer: the client returned an error, timed out, or cannot be reached. If
 * this error is not caught, the call fails with its message.
 */
export class ClientRequestError extends ToolError {
  override readonly name: string = 'ClientRequestError'

  /** @param code JSON-RPC code of the client's error; `null` when the client sent no error. */
  constructor(
    message: string,
    readonly code: number | null = null,
  ) {
    super(message)
  }
}
acceptOtherCopies(ClientRequestError, 'ClientRequestError')
