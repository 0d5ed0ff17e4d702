// Rejected calls of hidden features, in the metrics.
import { Authorize, connectInMemory, McpTool, type Principal } from '@toolwright/core'
import { PrometheusMetrics } from '@toolwright/prometheus'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { until } from '../../../../test/support/until.js'

class Secrets {
  @McpTool()
  @Authorize({ roles: ['admin'] })
  launch(): string {
    return 'launched'
  }
}

const admin: Principal = { subject: 'root', roles: ['admin'], scopes: [], claims: {} }
const ada: Principal = { subject: 'ada', roles: [], scopes: [], claims: {} }

async function serve(hideForbidden: boolean) {
  const metrics = new PrometheusMetrics()
  const server = await createServer({
    name: 'test',
    version: '1',
    controllers: [Secrets],
    hooks: [metrics],
    authorization: { hideForbidden },
    logger: pino({ enabled: false }),
  })
  const call = (principal: Principal | null): Promise<unknown> =>
    new Promise((resolve) => {
      const client = connectInMemory(server, { principal, onMessage: resolve })
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'launch', arguments: {}, _meta } })
    })
  return { metrics, server, call }
}

test('rejected calls of hidden features share one label', async () => {
  const { metrics, server, call } = await serve(true)
  await call(ada)
  await call(null)
  await until(async () => (await metrics.text()).includes('outcome="unauthorized"'))
  const text = await metrics.text()
  expect(text).toContain('mcp_calls_total{kind="tool",feature="(hidden)",outcome="forbidden"} 1')
  expect(text).not.toContain('launch')
  await server.close()
})

test('successful calls of hidden features have their name as label', async () => {
  const { metrics, server, call } = await serve(true)
  await call(admin)
  await until(async () => (await metrics.text()).includes('outcome="completed"'))
  expect(await metrics.text()).toContain('mcp_calls_total{kind="tool",feature="launch",outcome="completed"} 1')
  await server.close()
})

test('rejected calls of visible features have their name as label', async () => {
  const { metrics, server, call } = await serve(false)
  await call(ada)
  await until(async () => (await metrics.text()).includes('outcome="forbidden"'))
  expect(await metrics.text()).toContain('mcp_calls_total{kind="tool",feature="launch",outcome="forbidden"} 1')
  await server.close()
})
