import { ProtocolError } from '@toolwright/core'

/** What kinds of response the client takes. */
export interface Accepted {
  readonly json: boolean
  readonly events: boolean
}

const both: Accepted = Object.freeze({ json: true, events: true })

/** What the official clients send. */
const usual = 'application/json, text/event-stream'

const anyJson = new Set(['application/json', 'application/*', '*/*'])
const anyEvents = new Set(['text/event-stream', 'text/*', '*/*'])

/**
 * Reads the `Accept` header. The spec wants both kinds listed; a client that lists one gets that one, and a client that
 * lists neither can be told nothing.
 *
 * @throws ProtocolError (406)
 */
export function readAccept(header: string | undefined): Accepted {
  if (header === undefined || header === usual) return both
  const ranges = header.toLowerCase().split(',').filter(isWanted).map(typeOf)
  const json = ranges.some((range) => anyJson.has(range))
  const events = ranges.some((range) => anyEvents.has(range))
  if (json || events) return { json, events }
  throw new ProtocolError('notAcceptable', 'Not Acceptable: accept application/json and text/event-stream')
}

function typeOf(range: string): string {
  return (range.split(';', 1)[0] as string).trim()
}

/** `q=0` is how a client says what it does not take. */
function isWanted(range: string): boolean {
  return !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range)
}
