import { type McpContext, ToolError } from '@toolwright/core'
import { Exchange } from './exchange.js'
import type { OpenApiOperation } from './operation.js'
import type { AuthFunction } from './options.js'
import { type Credentials, SendError, type Sender } from './send.js'

export async function credentialsFor(
  auth: AuthFunction | Exchange,
  context: McpContext,
  operation: OpenApiOperation,
  sender: Sender,
): Promise<Credentials> {
  if (!(auth instanceof Exchange)) return checked(await auth(context, operation))
  try {
    return await auth.credentialsOf(context, sender)
  } catch (error) {
    if (!(error instanceof SendError)) throw error
    context.log.warn({ failure: error.failure, reason: error.message }, 'the authorization server gave no answer')
    throw new ToolError('The authorization server cannot be reached. Try again later.')
  }
}

/** Checks the credentials here, because the errors of `fetch` contain the values. */
function checked(given: unknown): Credentials {
  const { headers, query } = Object(given) as Partial<Record<keyof Credentials, unknown>>
  const isFilled = typeof given === 'object' && given !== null
  if (!isFilled || ![headers, query].every(isTextRecord)) {
    throw new TypeError(
      'auth returned no credentials. Return { headers: { … } } or { query: { … } }, with strings as values.',
    )
  }
  for (const [name, value] of Object.entries((headers ?? {}) as Record<string, string>)) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue
    throw new TypeError(`auth returned the header '${name.slice(0, 64)}', whose name or value no header can have.`)
  }
  return { ...(headers === undefined ? {} : { headers }), ...(query === undefined ? {} : { query }) } as Credentials
}

function isTextRecord(value: unknown): boolean {
  if (value === undefined) return true
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((member) => typeof member === 'string')
  )
}
