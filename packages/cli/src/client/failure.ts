import { ClientError, ConnectionError, CredentialsError, ServerError } from '@toolwright/client'
import { CommandError, exitCodes } from '../command-error.js'
import { safeText } from '../terminal.js'

export function describe(error: unknown): string {
  let innermost: unknown = error
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause
  const message = innermost instanceof Error ? innermost.message || innermost.name : String(innermost)
  return safeText(readHttpError(message) ?? message)
}

function readHttpError(message: string): string | null {
  const [json] = /\{.*"error".*\}$/s.exec(message) ?? []
  if (json === undefined) return null
  try {
    const { error } = JSON.parse(json) as { readonly error?: { readonly message?: unknown } }
    return typeof error?.message === 'string' ? error.message : null
  } catch {
    return null
  }
}

/** Explains the failure of a request to a connected server. Returns other errors unchanged: they are bugs of this program. */
export function explainFailure(error: unknown): unknown {
  if (error instanceof ServerError) return new CommandError(`The server returned an error: ${safeText(error.message)}`)
  if (error instanceof CredentialsError) {
    const required = error.scope === null ? 'other credentials' : `credentials with the scope ${safeText(error.scope)}`
    return new CommandError(`The server requires ${required}. Pass --bearer TOKEN or --login.`, exitCodes.unreachable)
  }
  if (error instanceof ConnectionError && error.status === 403) {
    return new CommandError(`The server rejected the request (403): ${describe(error)}`, exitCodes.unreachable)
  }
  return error instanceof ClientError
    ? new CommandError(`The request failed: ${describe(error)}`, exitCodes.unreachable)
    : error
}
