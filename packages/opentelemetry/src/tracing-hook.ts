import { type Context, context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { type CallHook, errorIdOfFailure, type FeatureCall, ProtocolError } from '@toolwright/core'
import { Diagnostics, type OptionsOf, readNamedOptions, withMethods } from '@toolwright/core/options'
import { attributesOf, errorAttributes, spanName } from './attributes.js'
import { findParent, rememberSpan } from './parents.js'

export const tracingOptions = {
  /** Tracer for the spans. Default: the tracer of the provider that the application registered. */
  tracer: withMethods<Tracer>('`Tracer`', ['startSpan']),
}

export interface TracingOptions extends OptionsOf<typeof tracingOptions> {}

/**
 * Hook that records a span for each round of a call, as the OpenTelemetry semantic conventions for MCP require. A modern
 * call with client requests has several rounds. The span is active while the handler runs, so that the handler's own
 * spans join the trace. A failure of tracing does not fail the call.
 */
export class TracingHook implements CallHook {
  readonly #tracer: Tracer
  readonly #contexts = new WeakMap<FeatureCall, Context>()

  /** @throws BootError that lists every mistake in the options. */
  constructor(options: TracingOptions = {}) {
    const diagnostics = new Diagnostics()
    const { tracer } = readNamedOptions(tracingOptions, options, { prefix: 'TracingHook: ' }, diagnostics)
    diagnostics.throwIfAny()
    this.#tracer = tracer ?? trace.getTracer('@toolwright/opentelemetry')
  }

  onInvoking(call: FeatureCall): void {
    safely(() => {
      const span = this.#start(call)
      rememberSpan(call, span.spanContext())
    })
  }

  around(call: FeatureCall, next: () => Promise<unknown>): Promise<unknown> {
    const own = this.#contexts.get(call)
    if (own === undefined) return next()
    let running: Promise<unknown> | null = null
    const run = (): Promise<unknown> => {
      running = next()
      return running
    }
    safely(() => void context.with(own, run))
    return running ?? next()
  }

  onCompleted(call: FeatureCall): void {
    safely(() => this.#spanOf(call)?.end())
  }

  onInputRequired(call: FeatureCall): void {
    safely(() => {
      const span = this.#spanOf(call)
      span?.setAttribute('toolwright.input_required', true)
      span?.end()
    })
  }

  onFailed(call: FeatureCall, error: Error, durationMs: number): void {
    safely(() => {
      // A call with invalid arguments was rejected before its span was started, so the span is started now.
      const span = this.#spanOf(call) ?? this.#start(call, Date.now() - durationMs)
      span.setAttributes(errorAttributes(error, call))
      const errorId = errorIdOfFailure(call, error)
      if (errorId !== null) span.setAttribute('toolwright.error.id', errorId)
      // Records only messages that the client also gets. Other messages belong only in the log.
      const message = error instanceof ProtocolError ? { message: error.message } : {}
      span.setStatus({ code: SpanStatusCode.ERROR, ...message })
      span.end()
    })
  }

  #spanOf(call: FeatureCall): Span | undefined {
    const own = this.#contexts.get(call)
    return own === undefined ? undefined : trace.getSpan(own)
  }

  #start(call: FeatureCall, startTime?: number): Span {
    const parent = findParent(call)
    const options = {
      kind: SpanKind.SERVER,
      attributes: attributesOf(call),
      links: parent.links,
      ...(startTime === undefined ? {} : { startTime }),
    }
    const span = this.#tracer.startSpan(spanName(call), options, parent.context)
    this.#contexts.set(call, trace.setSpan(parent.context, span))
    return span
  }
}

/** Runs a function of tracing. A failure of the tracer or the exporter must not fail the call. */
function safely(run: () => void): void {
  try {
    run()
  } catch {
    // The error is ignored, because OpenTelemetry reports its own errors.
  }
}
