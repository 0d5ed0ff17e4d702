import { NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-node'

/** One line for each span. An application sends them to a collector instead, with `@opentelemetry/exporter-trace-otlp-http`. */
const exporter: SpanExporter = {
  export: (spans, done) => {
    for (const span of spans) process.stderr.write(`${describe(span)}\n`)
    done({ code: 0 })
  },
  shutdown: () => Promise.resolve(),
}

function describe({ name, attributes, duration: [seconds, nanoseconds], ...span }: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext()
  const parent = span.parentSpanContext?.spanId ?? 'none'
  const ms = (seconds * 1000 + nanoseconds / 1e6).toFixed(1)
  const error = attributes['error.type'] === undefined ? '' : ` error=${String(attributes['error.type'])}`
  return `span ${name} trace=${traceId} span=${spanId} parent=${parent} ${ms} ms${error}`
}

/** Makes every span a line on stderr: stdout belongs to the protocol when the server speaks stdio. */
export function traceToStderr(): void {
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
}
