import { ProtocolError } from '@toolwright/core/internal'

/** What kinds of response the client takes. */
export interface Accepted {
  readonly json: boolean
  readonly events: boolean
}

const both: Accepted = Object.freeze({ json: true, events: true })

/**
 * Reads the `Accept` header. The spec wants both kinds listed; a client that lists one gets that one, and a client that
 * lists neither can be told nothing.
 *
 * @throws ProtocolError (406)
 */
export function readAccept(header: string | undefined): Accepted {
  if (header === undefined) return both
  const value = header.toLowerCase()
  const json = value.includes('application/json') || value.includes('*/*') || value.includes('application/*')
  const events = value.includes('text/event-stream') || value.includes('*/*') || value.includes('text/*')
  if (json && events) return both
  if (json || events) return { json, events }
  throw new ProtocolError('notAcceptable', 'Not Acceptable: accept application/json and text/event-stream')
}
