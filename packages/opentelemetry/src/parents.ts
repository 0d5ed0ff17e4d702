import {
  type Context,
  context,
  createTraceState,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api'
import type { FeatureCall } from '@toolwright/core'

interface Parent {
  readonly context: Context
  readonly links: Link[]
}

/** Key of the note that contains the first span of a call, for its later rounds. */
const note = 'opentelemetry'

/**
 * Finds the parent of a call's span. As the conventions require, the client's `_meta` takes precedence, then the active
 * span (of an instrumented HTTP server), then the headers. From the second round on, the parent has to be in the trace
 * of the first round.
 */
export function findParent(call: FeatureCall): Parent {
  const ambient = trace.getSpanContext(context.active())
  const { meta, headers } = call.context
  const sent = trace.getSpanContext(extract(ROOT_CONTEXT, meta))
  // Includes the baggage that the client has sent.
  const own = extract(context.active(), meta)
  const first = call.round > 1 ? readNote(call.notes.get(note)) : null
  if (sent !== undefined && (first === null || first.traceId === sent.traceId)) {
    return { context: own, links: linksTo(ambient) }
  }
  if (first !== null) return { context: trace.setSpanContext(own, first), links: linksTo(sent, ambient) }
  return { context: ambient === undefined ? extract(own, headers ?? {}) : own, links: [] }
}

export function rememberSpan(call: FeatureCall, span: SpanContext): void {
  if (call.notes.get(note) !== undefined) return
  const { traceId, spanId, traceFlags, traceState } = span
  const state = traceState?.serialize()
  call.notes.set(
    note,
    JSON.stringify({ traceId, spanId, traceFlags, ...(state && state.length < 512 ? { state } : {}) }),
  )
}

function readNote(text: string | undefined): SpanContext | null {
  if (text === undefined) return null
  const { state, ...ids } = JSON.parse(text) as SpanContext & { readonly state?: string }
  return { ...ids, isRemote: true, ...(state === undefined ? {} : { traceState: createTraceState(state) }) }
}

function linksTo(...spans: readonly (SpanContext | undefined)[]): Link[] {
  return spans.filter((span) => span !== undefined).map((span) => ({ context: span }))
}

type Carrier = Readonly<Record<string, unknown>>

/** Returns strings only, because clients can send anything. */
const getter: TextMapGetter<Carrier> = {
  keys: (carrier) => Object.keys(carrier),
  get: (carrier, key) => {
    const value = Object.hasOwn(carrier, key) ? carrier[key] : undefined
    return typeof value === 'string' ? value : undefined
  },
}

/** Extracts with the application's propagators. The W3C propagators ignore malformed values. */
function extract(base: Context, carrier: Carrier): Context {
  return propagation.extract(base, carrier, getter)
}
