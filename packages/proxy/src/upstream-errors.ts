import { ClientError, ConnectionError, CredentialsError, RequestTimeoutError, ServerError } from '@toolwright/client'
import { isJsonObject, MissingCapabilityError, ProtocolError, ResourceNotFoundError, ToolError } from '@toolwright/core'

/** The upstream cannot be used now. The message is for the caller. */
export class UpstreamDown extends ToolError {
  override readonly name = 'UpstreamDown'
}

/** The features of an upstream whose errors differ. */
export type RelayedMethod = 'tools/call' | 'prompts/get' | 'resources/read' | 'completion/complete'

/**
 * Converts an error of the client for the caller. The caller gets errors of the upstream server unchanged, but no addresses of this
 * network.
 */
export function toCallerError(error: unknown, upstream: string, method: RelayedMethod, uri?: string): unknown {
  if (!(error instanceof ClientError)) return error
  if (error instanceof ServerError) return toServerFailure(error, method, uri)
  return new ToolError(`The server '${upstream}' ${reasonOf(error)}`)
}

/** Describes an error without details of the connection. */
export function reasonOf(error: unknown): string {
  if (error instanceof RequestTimeoutError) return `did not answer within ${error.timeoutMs} ms.`
  if (error instanceof CredentialsError) return 'rejects the credentials of this server.'
  if (error instanceof ConnectionError) {
    return error.message.includes('may have processed')
      ? 'closed the connection before its answer. It may have run the request, so the request was not repeated.'
      : 'cannot be reached.'
  }
  if (error instanceof ClientError && error.code === 'too-large') return 'sent an answer that is too large.'
  return 'sent an answer that is not valid.'
}

function toServerFailure({ code, message, data }: ServerError, method: RelayedMethod, uri: string | undefined): Error {
  const details = isJsonObject(data) ? data : undefined
  if (method === 'resources/read' && uri !== undefined && isMissing(code, message))
    return new ResourceNotFoundError(uri)
  const needed = details?.['requiredCapabilities']
  if (code === -32021 && isJsonObject(needed)) return new MissingCapabilityError(needed as Record<string, object>)
  if (code === -32602) return new ProtocolError('invalidParams', message, details)
  if (method === 'tools/call') return new ToolError(message)
  return new ProtocolError('internalError', message, details)
}

/** Whether an upstream reports a missing resource. The code has changed in 2026-07-28. */
function isMissing(code: number, message: string): boolean {
  return code === -32002 || (code === -32602 && /not found/i.test(message))
}
