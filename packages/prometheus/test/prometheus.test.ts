import type { AddressInfo } from 'node:net'
import {
  BootError,
  connectInMemory,
  type FeatureCall,
  type Gauge,
  type McpServer,
  McpTool,
  type Principal,
  ToolError,
  Type,
} from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { metricsRoute, PrometheusMetrics, serveMetrics } from '@toolwright/prometheus'
import { createServer, MetricsHook } from '@toolwright/server'
import Fastify from 'fastify'
import { pino } from 'pino'
import { until } from '../../../test/support/until.js'

const form = Type.Object({ name: Type.String() })

class MeasuredTools {
  @McpTool({ input: Type.Object({ a: Type.Number(), b: Type.Number() }) })
  divide({ a, b }: { a: number; b: number }): number {
    if (b === 0) throw new ToolError('no')
    return a / b
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
type Message = any

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

async function measured() {
  const metrics = new PrometheusMetrics()
  const logger = pino({ level: 'silent' })
  const server = await createServer({
    name: 'test',
    version: '1',
    controllers: [MeasuredTools],
    hooks: [metrics],
    logger,
  })
  return { metrics, server }
}

function call(server: McpServer, name: string, args: object = {}, principal?: Principal): Promise<Message> {
  return new Promise((resolve) => {
    const client = connectInMemory(server, { onMessage: resolve, ...(principal === undefined ? {} : { principal }) })
    const params = { name, arguments: args, _meta: meta }
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  })
}

const samples = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

test('calls are timed in seconds, with every outcome', async () => {
  const metrics = new PrometheusMetrics()
  const ended = { kind: 'tool', name: 'divide' } as FeatureCall
  metrics.onCompleted(ended, 3, 2000)
  metrics.onFailed(ended, new ToolError('no'), 2000)

  const lines = samples(await metrics.text())
  expect(lines).toContain('mcp_call_duration_seconds_sum{kind="tool",feature="divide"} 4')
  expect(lines).toContain('mcp_call_duration_seconds_bucket{le="2.5",kind="tool",feature="divide"} 2')
})

test('calls are counted by outcome, and timed', async () => {
  const { metrics, server } = await measured()
  for (const args of [{ a: 6, b: 2 }, { a: 6, b: 3 }, { a: 1, b: 0 }, { a: 'x' }]) {
    // oxlint-disable-next-line no-await-in-loop
    await call(server, 'divide', args)
  }
  const lines = samples(await metrics.text())
  expect(lines.filter((line) => line.startsWith('mcp_calls_total'))).toEqual([
    'mcp_calls_total{kind="tool",feature="divide",outcome="completed"} 2',
    'mcp_calls_total{kind="tool",feature="divide",outcome="tool-error"} 1',
    'mcp_calls_total{kind="tool",feature="divide",outcome="invalid-arguments"} 1',
  ])
  expect(lines).toContain('mcp_call_duration_seconds_count{kind="tool",feature="divide"} 4')
  expect(lines).toContain('mcp_call_duration_seconds_bucket{le="60",kind="tool",feature="divide"} 4')
})

test('calls that a rule rejects are counted separately', async () => {
  const { metrics, server } = await measured()
  server.catalog.addTool({ name: 'erase', handler: () => 'done', authorize: { roles: ['Admin'] } })
  await call(server, 'erase')
  await call(server, 'erase', {}, { subject: 'ada', roles: [], scopes: [], claims: {} })
  const counted = async () => samples(await metrics.text()).filter((line) => line.startsWith('mcp_calls_total'))
  // Hooks run after the response.
  await until(async () => (await counted()).length === 2)
  expect(await counted()).toEqual([
    'mcp_calls_total{kind="tool",feature="erase",outcome="unauthorized"} 1',
    'mcp_calls_total{kind="tool",feature="erase",outcome="forbidden"} 1',
  ])
})

test('text of clients never becomes a label', async () => {
  const { metrics, server } = await measured()
  await call(server, 'made-up"} 1\nforged{x="', { a: 'secret' })
  await call(server, 'divide', { a: 'secret', secret: 1 })
  expect(await metrics.text()).not.toMatch(/made-up|forged|secret/)
})

test('features whose names keep changing share a label eventually', async () => {
  const { metrics, server } = await measured()
  for (let index = 0; index < 1100; index++) {
    const name = `tool_${index}`
    server.catalog.addTool({ name, handler: () => index })
    // oxlint-disable-next-line no-await-in-loop
    await call(server, name)
    server.catalog.removeTool(name)
  }
  const lines = samples(await metrics.text()).filter((line) => line.startsWith('mcp_calls_total'))
  expect(lines).toHaveLength(1001)
  expect(lines.at(-1)).toBe('mcp_calls_total{kind="tool",feature="(others)",outcome="completed"} 100')
})

test('the gauges of the server are published, including those created later', async () => {
  const { metrics, server } = await measured()
  metrics.observe(server)
  expect(samples(await metrics.text())).toEqual([
    'mcp_requests_in_flight 0',
    'mcp_requests_in_flight_max 1000',
    'mcp_subscriptions_open 0',
    'mcp_subscriptions_open_max 1024',
    'mcp_subscribed_bytes 0',
    'mcp_subscribed_bytes_max 67108864',
    'mcp_rounds_stored 0',
    'mcp_rounds_stored_max 100000',
    'mcp_stored_round_bytes 0',
    'mcp_stored_round_bytes_max 134217728',
    'mcp_callers_tracked 0',
    'mcp_callers_tracked_max 100000',
    'mcp_rejections_observed 0',
    'mcp_rejections_observed_max 1000',
    'mcp_client_requests_pending 0',
    'mcp_requests_rejected_total 0',
    'mcp_requests_limited_total 0',
    'mcp_requests_of_shared_budget_total 0',
    'mcp_requests_unknown_total 0',
    'mcp_credentials_rejected_total 0',
    'mcp_credentials_unchecked_total 0',
    'mcp_requests_forbidden_total 0',
    'mcp_messages_oversized_total 0',
    'mcp_results_oversized_total 0',
    'mcp_streams_cut_total 0',
    'mcp_rejections_unobserved_total 0',
    'mcp_subscriptions_rejected_total 0',
    'mcp_rounds_repeated_total 0',
    'mcp_rounds_rejected_total 0',
    'mcp_client_requests_rejected_total 0',
    'mcp_store_failures_total 0',
    'mcp_sessions_open 0',
    'mcp_sessions_open_max 10000',
    'mcp_stored_event_bytes 0',
    'mcp_stored_event_bytes_max 134217728',
    'mcp_sessions_rejected_total 0',
    'mcp_sessions_displaced_total 0',
    'mcp_events_displaced_total 0',
    'mcp_tasks_running 0',
    'mcp_tasks_running_max 1000',
    'mcp_tasks_stored 0',
    'mcp_tasks_stored_max 1000',
    'mcp_stored_task_bytes 0',
    'mcp_stored_task_bytes_max 268435456',
    'mcp_tasks_rejected_total 0',
    'mcp_tasks_lost_total 0',
  ])
  let rejected = 3
  server.gauges.add({ name: 'rejected_total', help: 'Rejected', kind: 'counter', read: () => rejected })
  server.gauges.add({
    name: 'broken',
    help: 'Broken',
    read: () => {
      throw new Error('no figure')
    },
  })
  expect(await metrics.text()).toContain('# TYPE mcp_rejected_total counter\nmcp_rejected_total 3\n')
  rejected = 5
  expect(samples(await metrics.text())).toEqual(expect.arrayContaining(['mcp_rejected_total 5', 'mcp_broken 0']))
})

test('an infinite limit is not published as zero', async () => {
  const metrics = new PrometheusMetrics()
  const limits = { maxSessions: Infinity }
  const server = await createServer({ name: 'test', version: '1', controllers: [MeasuredTools], limits })
  metrics.observe(server)
  expect(samples(await metrics.text())).toContain('mcp_sessions_open_max +Inf')
})

test('values of several parts under one name are added, each once', async () => {
  const { metrics, server } = await measured()
  metrics.observe(server)
  const [one, two] = [1, 2].map((held) => ({ name: 'things_held', help: 'Things', read: () => held }))
  for (const gauge of [one, two, one]) server.gauges.share(gauge as Gauge)
  expect(samples(await metrics.text())).toContain('mcp_things_held 3')
  expect(() => server.gauges.share({ ...(one as Gauge), name: 'sessions_open' })).toThrow('there is a gauge')
})

test('if several parts share a gauge with limits, the fullest part is published with its limit', async () => {
  const { metrics, server } = await measured()
  metrics.observe(server)
  let held = 5
  const full: Gauge = { name: 'things_held', help: 'Things', max: 5, read: () => held }
  const large: Gauge = { ...full, max: 100, read: () => 20 }
  for (const gauge of [large, full]) server.gauges.share(gauge)
  expect(samples(await metrics.text())).toEqual(expect.arrayContaining(['mcp_things_held 5', 'mcp_things_held_max 5']))
  held = 0
  expect(samples(await metrics.text())).toEqual(
    expect.arrayContaining(['mcp_things_held 20', 'mcp_things_held_max 100']),
  )
})

test('a gauge has a unique name in snake_case', async () => {
  const { server } = await measured()
  const gauge = { name: 'sessions_open', help: '', read: () => 1 }
  expect(() => server.gauges.add(gauge)).toThrow("there is a gauge 'sessions_open' already")
  expect(() => server.gauges.add({ ...gauge, name: 'a b' })).toThrow("the gauge 'a b' needs a name in snake_case")
})

test('a gauge whose limit has the name of another gauge is rejected', async () => {
  const { server } = await measured()
  server.gauges.add({ name: 'things_max', help: '', read: () => 1 })
  const gauge = { name: 'things', help: '', max: 5, read: () => 1 }
  expect(() => server.gauges.add(gauge)).toThrow("there is a gauge 'things_max' already")
  expect(() => server.gauges.share(gauge)).toThrow("there is a gauge 'things_max' already")
  expect(server.gauges.all.map(({ name }) => name)).not.toContain('things')
})

test('a gauge with the name of another metric is omitted, which is logged', async () => {
  const { metrics, server } = await measured()
  const said = jest.spyOn(server.log, 'error')
  server.gauges.add({ name: 'calls_total', help: 'Taken', kind: 'counter', read: () => 1 })
  server.gauges.add({ name: 'later', help: 'Comes after it', read: () => 7 })
  metrics.observe(server)
  await call(server, 'divide', { a: 1, b: 1 })
  for (const text of [await metrics.text(), await metrics.text()]) {
    expect(samples(text)).toEqual(
      expect.arrayContaining(['mcp_calls_total{kind="tool",feature="divide",outcome="completed"} 1', 'mcp_later 7']),
    )
  }
  expect(said.mock.calls).toEqual([[{ gauge: 'calls_total' }, expect.stringContaining('a gauge is omitted')]])
})

test('metrics belong to a single server', async () => {
  const [{ metrics, server }, other] = [await measured(), await measured()]
  metrics.observe(server)
  metrics.observe(server)
  expect(() => metrics.observe(other.server)).toThrow('Create a PrometheusMetrics for each server.')
})

test('a route of the application returns the metrics', async () => {
  const metrics = new PrometheusMetrics({ prefix: 'shop_', processMetrics: true })
  const app = Fastify()
  await app.register(mcp, { name: 'test', version: '1', controllers: [MeasuredTools], hooks: [metrics] })
  await app.register(metricsRoute, { metrics, path: '/internal/metrics' })
  await call(app.mcp, 'divide', { a: 1, b: 1 })
  const { statusCode, headers, body } = await app.inject('/internal/metrics')
  await app.close()
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(samples(body)).toEqual(
    expect.arrayContaining([
      'shop_calls_total{kind="tool",feature="divide",outcome="completed"} 1',
      'shop_sessions_open 0',
      expect.stringMatching(/^process_cpu_seconds_total /),
    ]),
  )
})

test('a separate port for metrics serves no other route', async () => {
  const { metrics, server } = await measured()
  metrics.observe(server)
  const own = await serveMetrics({ metrics, port: 0 })
  const { address, port } = own.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const answers = await Promise.all(['/metrics', '/mcp'].map(async (path) => (await fetch(url + path)).status))
  await own.close()
  expect([address, ...answers]).toEqual(['127.0.0.1', 200, 404])
})

test('a round with input requests is counted separately', async () => {
  const { metrics, server } = await measured()
  server.catalog.addTool({
    name: 'asking',
    handler: (_args, context) => context.elicit({ message: 'Who?', schema: form }),
  })
  await call(server, 'asking')
  expect(samples(await metrics.text())).toEqual(['mcp_input_required_total{kind="tool",feature="asking"} 1'])
})

test('the registry can be reset, and exported as JSON', async () => {
  const { metrics, server } = await measured()
  await call(server, 'divide', { a: 6, b: 2 })
  const [durations] = (await metrics.registry.getMetricsAsJSON()).filter(({ name }) => name.endsWith('_seconds'))
  expect(durations).toMatchObject({ name: 'mcp_call_duration_seconds', type: 'histogram', aggregator: 'sum' })
  metrics.registry.resetMetrics()
  expect(samples(await metrics.text())).toEqual([])
  await call(server, 'divide', { a: 6, b: 3 })
  expect(samples(await metrics.text())).toContain('mcp_calls_total{kind="tool",feature="divide",outcome="completed"} 1')
})

test('buckets are cumulative, regardless of their order in the options', async () => {
  const metrics = new PrometheusMetrics({ buckets: [10, 1e-9, 10] })
  const server = await createServer({
    name: 'test',
    version: '1',
    controllers: [MeasuredTools],
    hooks: [metrics],
    logger: pino({ level: 'silent' }),
  })
  await call(server, 'divide', { a: 6, b: 2 })
  const buckets = samples(await metrics.text()).filter((line) => line.includes('_bucket'))
  expect(buckets).toEqual([
    'mcp_call_duration_seconds_bucket{le="1e-9",kind="tool",feature="divide"} 0',
    'mcp_call_duration_seconds_bucket{le="10",kind="tool",feature="divide"} 1',
    'mcp_call_duration_seconds_bucket{le="+Inf",kind="tool",feature="divide"} 1',
  ])
})

describe('mistakes in options', () => {
  async function messagesOf(make: () => unknown): Promise<readonly string[]> {
    const error: unknown = await Promise.resolve()
      .then(make)
      .catch((reason: unknown) => reason)
    return error instanceof BootError ? error.diagnostics.map(({ message }) => message) : [String(error)]
  }

  it('are reported when the hook is created', async () => {
    const options = { prefix: 'my-app_', buckets: [1, '5'], processMetrics: 'no', registry: {}, labels: [] } as object

    expect(await messagesOf(() => new PrometheusMetrics(options))).toEqual([
      'PrometheusMetrics: labels is not an option. Give one of buckets, prefix, processMetrics, registry.',
      'PrometheusMetrics: registry has no metrics, registerMetric. Give an object with the methods metrics, registerMetric.',
      "PrometheusMetrics: processMetrics is the string 'no'. Give true or false.",
      "PrometheusMetrics: prefix is the string 'my-app_'. Give letters, digits, '_' and ':', such as 'my_app_'.",
      'PrometheusMetrics: buckets is an array. Give an array of seconds.',
    ])
  })

  it('include an address that cannot be listened on, with a fix', async () => {
    const { metrics } = await measured()
    const first = await serveMetrics({ metrics, port: 0 })
    const { port } = first.server.address() as AddressInfo
    const messages = [
      await messagesOf(() => serveMetrics({ metrics, port })),
      await messagesOf(() => serveMetrics({ metrics, port, host: '198.51.100.1' })),
    ]
    await first.close()

    expect(messages).toEqual([
      [`serveMetrics: port ${port} of 127.0.0.1 is in use. Stop the program that uses it, or choose another port.`],
      ["serveMetrics: host is '198.51.100.1', which is not an address of this machine. Give one, such as 127.0.0.1."],
    ])
  })

  it('are reported before the metrics are served', async () => {
    const hook = 'Give the PrometheusMetrics instance of the option `hooks` of the server.'

    expect(await messagesOf(() => serveMetrics({ prt: 1, port: '9464', host: 5 } as never))).toEqual([
      'serveMetrics: prt is not an option. Did you mean port?',
      `serveMetrics: metrics is undefined. ${hook}`,
      "serveMetrics: port is the string '9464'. Give a whole number from 0 to 65535.",
      "serveMetrics: host is 5. Give a string, such as '127.0.0.1'.",
    ])
    expect(await messagesOf(async () => Fastify().register(metricsRoute, {} as never))).toEqual([
      `metricsRoute: metrics is undefined. ${hook}`,
    ])
    const wrong = { metrics: new MetricsHook(), path: 'metrics', prefix: '/own' } as never
    expect(await messagesOf(async () => Fastify().register(metricsRoute, wrong))).toEqual([
      `metricsRoute: metrics is an instance of MetricsHook. ${hook}`,
      "metricsRoute: path is the string 'metrics'. Give a path that begins with /.",
    ])
  })
})
