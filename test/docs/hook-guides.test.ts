import { connect } from '@toolwright/testing'
import type { FastifyInstance } from 'fastify'
import { container } from 'toolwright'
import {
  createCounted,
  createTraced,
  createWithGauge,
  createWithGuardedRoute,
  createWithPort,
  createWithRoute,
} from '../../docs/snippets/measure.js'
import { AuditLog, BankTools, options, patience } from '../../docs/snippets/write-hooks.js'

// Runs the snippets of the guides to hooks and metrics, and checks their descriptions.

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'now' } }

async function callNow(host: FastifyInstance): Promise<number> {
  host.log.level = 'silent'
  const headers = { host: 'localhost', accept: 'application/json, text/event-stream' }
  return (await host.inject({ method: 'POST', url: '/mcp', payload: call, headers })).statusCode
}

afterEach(() => jest.useRealTimers())

test('the bank of the guide audits calls, caches results, and rejects calls outside of office hours', async () => {
  await using connection = await connect(options)
  const { client } = connection
  const rate = () => client.callTool({ name: 'exchange_rate', arguments: { currency: 'SEK' } })
  const [first, second] = [await rate(), await rate()]
  expect(first.content).toEqual(second.content)
  expect(container.resolve(AuditLog).lines).toEqual(['somebody used exchange_rate', 'somebody used exchange_rate'])
  const order = async (hour: number) => {
    jest.useFakeTimers({
      now: new Date(2026, 0, 5, hour),
      doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask'],
    })
    const { isError, content } = await client.callTool({ name: 'order', arguments: { article: 'tea' } })
    jest.useRealTimers()
    return { isError, content }
  }
  expect(await order(12)).toMatchObject({ content: [{ text: 'Ordered tea.' }] })
  expect(await order(20)).toMatchObject({
    isError: true,
    content: [{ text: 'The office is closed. Try again between 8 and 18 o’clock.' }],
  })
})

test('a cached result is not looked up again', async () => {
  const bank = new BankTools()
  const child = container.createChildContainer()
  child.registerInstance(BankTools, bank)
  await using connection = await connect({ ...options, container: child })
  const rate = () => connection.client.callTool({ name: 'exchange_rate', arguments: { currency: 'NOK' } })
  await rate()
  await rate()
  expect(bank.lookedUp).toBe(1)
})

test('the hook that notes the start of a call is valid', async () => {
  await using connection = await connect({ ...options, hooks: [patience] })
  const { content } = await connection.client.callTool({ name: 'exchange_rate', arguments: { currency: 'DKK' } })
  expect(content).toEqual([{ type: 'text', text: '1 EUR is 3 DKK' }])
})

test('a server with the tracing hook of the guide serves calls', async () => {
  const host = await createTraced()
  expect(await callNow(host)).toBe(200)
  await host.close()
})

test('server metrics are served on a route', async () => {
  const { host, metrics } = await createCounted()
  await callNow(host)
  expect((await host.inject('/figures')).json()).toMatchObject([{ kind: 'tool', name: 'now', invocations: 1 }])
  expect(String(metrics)).toContain('tool now')
  await host.close()
})

test('metrics are served on a route, with a gauge of the application', async () => {
  const plain = await createWithRoute()
  await callNow(plain)
  expect((await plain.inject('/metrics')).body).toContain('outcome="completed"} 1\n')
  await plain.close()
  const host = await createWithGauge()
  host.log.level = 'silent'
  expect((await host.inject('/metrics')).body).toContain('mcp_queue_length 0\n')
  await host.close()
})

test('metrics are served to callers with a role', async () => {
  const key = 'a-key-that-is-long-enough-to-be-one'
  const host = await createWithGuardedRoute(key)
  host.log.level = 'silent'
  const headers = { authorization: `Bearer ${key}` }
  expect((await host.inject('/metrics')).statusCode).toBe(401)
  expect((await host.inject({ url: '/metrics', headers })).statusCode).toBe(200)
  await host.close()
})

test('metrics have a separate port, which closes with the host', async () => {
  const { host, metricsServer } = await createWithPort(0)
  const url = `${metricsServer.listeningOrigin}/metrics`
  const text = await (await fetch(url)).text()
  expect(text).toContain('mcp_sessions_open 0\n')
  expect(text).toContain('process_cpu_seconds_total')
  await host.close()
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})
