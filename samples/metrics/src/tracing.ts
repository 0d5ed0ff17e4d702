import {
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node'

/** One line for each span. An application sends them to a collector instead, with `@opentelemetry/exporter-trace-otlp-http`. */
const exporter: SpanExporter = {
  export: (spans, done) => {
    for (const span of spans) process.stderr.write(`${describe(span)}\n`)
    // Of success. The enum is in a package that nothing else here needs.
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

/** Makes every span a line on stderr: stdout belongs to the protocol when the server speaks stdio. */
export function traceToStderr(): void {
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
}
