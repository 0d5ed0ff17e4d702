import {
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node'

/**
 * Writes one line for each span. An application sends spans to a collector
 * instead, with `@opentelemetry/exporter-trace-otlp-http`.
 */
const exporter: SpanExporter = {
  export: (spans, done) => {
    for (const span of spans) process.stderr.write(`${describe(span)}\n`)
    // Success. The enum is in a package that this sample does not need
    // otherwise.
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
    done({ code: 0 })
  },
  shutdown: () => Promise.resolve(),
}

function describe(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext()
  const parent = span.parentSpanContext?.spanId ?? 'none'
  const [seconds, nanoseconds] = span.duration
  const ms = (seconds * 1000 + nanoseconds / 1e6).toFixed(1)
  const error = span.attributes['error.type']
  const end = error === undefined ? '' : ` error=${String(error)}`
  return `span ${span.name} trace=${traceId} span=${spanId} parent=${parent} ${ms} ms${end}`
}

/**
 * Writes every span to stderr, because stdout is for messages when the server
 * uses stdio.
 */
export function traceToStderr(): void {
  new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  }).register()
}
