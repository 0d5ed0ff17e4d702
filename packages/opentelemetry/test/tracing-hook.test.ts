import type { AddressInfo } from 'node:net'
import { context, propagation, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node'
import {
  connectInMemory,
  type FeatureCall,
  McpContext,
  McpPrompt,
  McpResource,
  McpTool,
  ToolError,
  Type,
} from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { TracingHook } from '@toolwright/opentelemetry'
import { createServer } from '@toolwright/server'
import Fastify from 'fastify'
import { pino } from 'pino'
import { openSocket } from '../../fastify/test/support/web-socket-client.js'

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })

beforeAll(() => provider.register())
beforeEach(() => exporter.reset())
afterAll(async () => {
  await provider.shutdown()
  trace.disable()
  context.disable()
  propagation.disable()
})

const form = Type.Object({ name: Type.String() })

class TracedTools {
  @McpTool({ input: Type.Object({ a: Type.Number(), b: Type.Number() }) })
  async divide({ a, b }: { a: number; b: number }): Promise<number> {
    return trace.getTracer('test').startActiveSpan('inner', async (span) => {
      await new Promise(setImmediate)
      span.end()
      if (b === 0) throw new ToolError('secret: divisor')
      return a / b
    })
  }

  @McpTool()
  crash(): never {
    throw new Error('secret: disk')
  }

  @McpTool({ timeoutMs: 10 })
  hang(): Promise<void> {
    return new Promise(() => undefined)
  }

  @McpTool()
  baggage(): string {
    return propagation.getActiveBaggage()?.getEntry('tenant')?.value ?? 'none'
  }

  @McpTool()
  async greet(asking: McpContext): Promise<string> {
    const answer = await asking.elicit({ message: 'Who?', schema: form })
    return answer.action
  }

  @McpPrompt({ input: Type.Object({ name: Type.String() }) })
  welcome({ name }: { name: string }): string {
    return `Welcome ${name}.`
  }

  @McpResource('files://{+path}')
  file(): string | undefined {
    return undefined
  }

  @McpResource('opaque:{+path}')
  opaque(): string | undefined {
    return undefined
  }
}

const options = (hook = new TracingHook()) => ({
  name: 'test',
  version: '1',
  controllers: [TracedTools],
  hooks: [hook],
  logger: pino({ level: 'silent' }),
})

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

// oxlint-disable-next-line typescript/no-explicit-any
type Message = any

async function open(hook?: TracingHook) {
  const server = await createServer(options(hook))
  let lastId = 0
  return (method: string, params: object = {}, meta: object = {}): Promise<Message> =>
    new Promise((resolve) => {
      const client = connectInMemory(server, { onMessage: resolve })
      client.send({ jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta: { ...modern, ...meta } } })
    })
}

const divide = (a: unknown, b: unknown) => ({ name: 'divide', arguments: { a, b } })

/** The spans that ended, outer spans first. */
function spans(): readonly ReadableSpan[] {
  return exporter.getFinishedSpans().toSorted((a, b) => (a.name === 'inner' ? 1 : 0) - (b.name === 'inner' ? 1 : 0))
}

const only = (): ReadableSpan => {
  expect(exporter.getFinishedSpans()).toHaveLength(1)
  return exporter.getFinishedSpans()[0] as ReadableSpan
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${spanId}-01`

describe('a span', () => {
  it('has the name and attributes of the semantic conventions, and spans of the handler as children', async () => {
    const request = await open()
    await request('tools/call', divide(6, 2))
    const [span, inner] = spans()
    expect([span?.name, span?.kind, span?.status.code]).toEqual(['tools/call divide', SpanKind.SERVER, 0])
    expect(span?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2026-07-28',
      'jsonrpc.request.id': '1',
      'network.transport': 'pipe',
      'gen_ai.tool.name': 'divide',
      'gen_ai.operation.name': 'execute_tool',
    })
    expect(inner?.parentSpanContext?.spanId).toBe(span?.spanContext().spanId)
  })

  it('is recorded for prompts', async () => {
    const request = await open()
    await request('prompts/get', { name: 'welcome', arguments: { name: 'Ada' } })
    const { name, attributes } = only()
    expect([name, attributes['gen_ai.prompt.name']]).toEqual(['prompts/get welcome', 'welcome'])
  })

  it.each([
    ['files://user:pass@a?token=t', 'files://a'],
    ['files://user:p@ss@a/b@c', 'files://a/b@c'],
    ['opaque:user:pass@a', 'opaque:a'],
    ['files://a/b#token', 'files://a/b'],
  ])('is recorded for resources, without secrets of the URI: %s', async (uri, recorded) => {
    const request = await open()
    await request('resources/read', { uri })
    const { name, attributes } = only()
    expect([name, attributes]).toEqual([
      'resources/read',
      expect.objectContaining({
        'mcp.resource.uri': recorded,
        'error.type': '-32602',
        'rpc.response.status_code': '-32602',
      }),
    ])
  })

  const failures: readonly [string, object, object][] = [
    ['a tool error', divide(1, 0), { 'error.type': 'tool_error', 'toolwright.failure': 'tool-error' }],
    [
      'arguments that do not fit',
      divide('x', 0),
      { 'error.type': 'tool_error', 'toolwright.failure': 'invalid-arguments' },
    ],
    ['a time-out', { name: 'hang' }, { 'error.type': 'timeout' }],
    ['an unexpected failure', { name: 'crash' }, { 'error.type': 'tool_error', 'toolwright.failure': 'unexpected' }],
  ]

  it.each(failures)('contains the kind of %s, without its text', async (_what, params, attributes) => {
    const request = await open()
    await request('tools/call', params)
    const span = spans()[0]
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(span?.attributes).toMatchObject(attributes)
    expect(span?.events).toEqual([])
    expect(JSON.stringify([span?.attributes, span?.status])).not.toContain('secret')
  })

  it('of a call that was rejected for its arguments begins with the call', async () => {
    class Later extends TracingHook {
      override onFailed(call: FeatureCall, error: Error): void {
        super.onFailed(call, error, 60_000)
      }
    }
    const request = await open(new Later())
    await request('tools/call', divide('x', 0))
    const [seconds] = only().startTime
    expect(Date.now() / 1000 - seconds).toBeGreaterThan(50)
  })

  it('contains the error id that the client got', async () => {
    const request = await open()
    const { result } = await request('tools/call', { name: 'crash' })
    expect(result.content[0].text).toContain(`error ${String(only().attributes['toolwright.error.id'])})`)
  })
})

describe('the parent of a span', () => {
  it('is the span that the client sends in _meta, with its state and baggage', async () => {
    const request = await open()
    const meta = { traceparent, tracestate: 'rojo=1', baggage: 'tenant=acme' }
    const { result } = await request('tools/call', { name: 'baggage' }, meta)
    expect(result.content[0].text).toBe('acme')
    const { parentSpanContext } = only()
    expect([parentSpanContext?.traceId, parentSpanContext?.spanId, parentSpanContext?.isRemote]).toEqual([
      traceId,
      spanId,
      true,
    ])
    expect(parentSpanContext?.traceState?.serialize()).toBe('rojo=1')
  })

  it.each([
    ['nonsense'],
    [`00-${'0'.repeat(32)}-${spanId}-01`],
    [{ toString: () => traceparent }],
    [42],
    [[traceparent]],
  ])('is missing if _meta has %p', async (malformed) => {
    const request = await open()
    const { result } = await request('tools/call', { name: 'baggage' }, { traceparent: malformed, baggage: 7 })
    expect(result.content[0].text).toBe('none')
    expect(only().parentSpanContext).toBeUndefined()
  })

  it('is the active span if the client sends no span', async () => {
    const request = await open()
    await trace.getTracer('http').startActiveSpan('POST', async (http) => {
      await request('tools/call', divide(6, 2))
      expect(spans()[0]?.parentSpanContext?.spanId).toBe(http.spanContext().spanId)
      await request('tools/call', { name: 'baggage' }, { traceparent })
      const linked = exporter.getFinishedSpans().at(-1)
      expect(linked?.parentSpanContext?.spanId).toBe(spanId)
      expect(linked?.links.map((link) => link.context.spanId)).toEqual([http.spanContext().spanId])
      http.end()
    })
  })

  it.each(['/mcp', '/rpc'])('is read from the headers, if _meta has none: %s', async (url) => {
    const app = Fastify()
    await app.register(mcp, { ...options(), rpc: true })
    const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'baggage' } }
    const headers = { traceparent, accept: 'application/json, text/event-stream', host: 'localhost' }
    await app.inject({ method: 'POST', url, payload, headers })
    await app.close()
    expect(only().parentSpanContext?.spanId).toBe(spanId)
    expect(only().attributes).toMatchObject({ 'network.transport': 'tcp', 'network.protocol.name': 'http' })
  })

  it('is read from the upgrade headers of a WebSocket', async () => {
    const app = Fastify()
    await app.register(mcp, { ...options(), webSocket: true })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const client = await openSocket((app.server.address() as AddressInfo).port, '/ws', { headers: { traceparent } })
    await client.request({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'baggage' } })
    await app.close()
    expect(only().parentSpanContext?.spanId).toBe(spanId)
    expect(only().attributes).toMatchObject({ 'network.transport': 'tcp', 'network.protocol.name': 'websocket' })
  })
})

describe('a call with several rounds', () => {
  async function twoRounds(firstMeta: object, secondMeta: object) {
    const request = await open()
    const { result } = await request('tools/call', { name: 'greet' }, firstMeta)
    const [key = ''] = Object.keys(result.inputRequests)
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } }
    const { requestState } = result
    await request('tools/call', { name: 'greet', inputResponses, requestState }, secondMeta)
    const [first, second] = exporter.getFinishedSpans()
    return { first, second, linked: second?.links.map((link) => link.context.traceId) }
  }

  it('is one trace over all its rounds', async () => {
    const { first, second } = await twoRounds({}, {})
    expect(first?.attributes).toMatchObject({ 'toolwright.input_required': true })
    expect(first?.status.code).toBe(SpanStatusCode.UNSET)
    expect(second?.attributes).toMatchObject({ 'toolwright.round': 2 })
    expect(second?.spanContext().traceId).toBe(first?.spanContext().traceId)
    expect(second?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId)
  })

  it('keeps the state of its trace', async () => {
    const { second } = await twoRounds({ traceparent, tracestate: 'rojo=1' }, {})
    expect(second?.spanContext().traceId).toBe(traceId)
    expect(second?.parentSpanContext?.traceState?.serialize()).toBe('rojo=1')
  })

  it('uses the span of the client, if that is in the same trace', async () => {
    const { second, linked } = await twoRounds({ traceparent }, { traceparent: `00-${traceId}-1111111111111111-01` })
    expect([second?.spanContext().traceId, second?.parentSpanContext?.spanId]).toEqual([traceId, '1111111111111111'])
    expect(linked).toEqual([])
  })

  it('stays in its trace when the client begins another trace, and links to the new one', async () => {
    const other = '1'.repeat(32)
    const { first, second, linked } = await twoRounds({ traceparent }, { traceparent: `00-${other}-${spanId}-01` })
    expect(second?.spanContext().traceId).toBe(traceId)
    expect(second?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId)
    expect(linked).toEqual([other])
  })
})

describe('a tracing failure', () => {
  const answer = async (hook: TracingHook, params: object = divide(6, 2)): Promise<unknown> => {
    const request = await open(hook)
    const { result } = await request('tools/call', params)
    return result.content
  }
  const fine = [{ type: 'text', text: '3' }]

  it('does not affect a call: a tracer that throws', async () => {
    const broken = (): never => {
      throw new Error('no tracer')
    }
    expect(await answer(new TracingHook({ tracer: { startSpan: broken } as unknown as Tracer }))).toEqual(fine)
  })

  it('does not affect a call: spans that throw', async () => {
    const broken = new Proxy(
      {},
      {
        get: () => (): never => {
          throw new Error('no span')
        },
      },
    )
    const hook = new TracingHook({ tracer: { startSpan: () => broken } as unknown as Tracer })
    expect(await answer(hook, { name: 'baggage' })).toEqual([{ type: 'text', text: 'none' }])
  })

  it('does not affect a call: an exporter that throws, and one that never settles', async () => {
    const exporters: SpanExporter[] = [
      {
        export: () => {
          throw new Error('no exporter')
        },
        shutdown: () => Promise.resolve(),
      },
      { export: () => undefined, shutdown: () => Promise.resolve() },
    ]
    for (const failing of exporters) {
      const failingProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(failing)] })
      // oxlint-disable-next-line no-await-in-loop
      expect(await answer(new TracingHook({ tracer: failingProvider.getTracer('failing') }))).toEqual(fine)
    }
  })

  it('does not affect a call: no tracer is set up', async () => {
    context.disable()
    propagation.disable()
    trace.disable()
    expect(await answer(new TracingHook())).toEqual(fine)
    provider.register()
  })
})

it('TracingHook reports mistakes in its options when it is created', () => {
  expect(() => new TracingHook({ trace: {}, tracer: {} } as never)).toThrow(
    '  1. TracingHook: trace is not an option. Did you mean tracer? [bad-option]\n' +
      '  2. TracingHook: tracer has no startSpan. Give an object with the methods startSpan. [bad-option]',
  )
})
