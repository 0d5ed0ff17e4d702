import { metricsRoute, PrometheusMetrics } from '@toolwright/prometheus'
import { streams } from '@toolwright/streams'
import { createHost, defaultLimits, introspection } from 'toolwright'
import { metrics as serverMetrics } from '../../packages/core/src/server/metrics.js'
import { sessionMetrics } from '../../packages/sessions/src/session-metrics.js'
import { taskMetrics } from '../../packages/tasks/src/task-metrics.js'
import { readPage } from './markdown.js'

const page = readPage('docs/reference/metrics.md')

const rowsOf = (text: string): string[] => text.split('\n').filter((line) => /^\| [^-]/.test(line))

/** Names of metrics in backticks. */
const metricsIn = (text: string): string[] => [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = '']) => name)

/** Metrics of a server with all features that publish metrics. */
async function published(): Promise<string[]> {
  const metrics = new PrometheusMetrics()
  const authentication = introspection({
    issuer: 'https://login.example.com',
    clientId: 'mcp',
    clientSecret: 'secret',
    audience: 'https://mcp.example.com/mcp',
  })
  const fastify = { logger: false }
  const extensions = [streams()]
  const options = { hooks: [metrics], authentication, legacySse: true, webSocket: true, extensions, fastify }
  const host = await createHost({ name: 'figures', version: '1', controllers: [], ...options })
  await host.register(metricsRoute, { metrics })
  const text = await metrics.text()
  await host.close()
  return [...text.matchAll(/^mcp_(\w+) /gm)].map(([, name = '']) => name)
}

test('the page has each metric of a server, and no other', async () => {
  const documented = rowsOf(page).flatMap(metricsIn)
  const isLimit = (name: string): boolean => name.endsWith('_max')
  const names = (await published()).filter((name) => !isLimit(name))
  expect(documented.toSorted()).toEqual(names.toSorted())
})

test('the page lists each current value beside its limit', () => {
  const rows = rowsOf(page).filter((row) => metricsIn(row).some((name) => !name.endsWith('_total')))
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter((row) => /\| +\|$/.test(row))).toEqual([])
})

test.each(['docs/how-to/measure-and-trace.md', 'samples/metrics/alerts.yaml'])(
  '%s names only metrics that a server publishes',
  async (path) => {
    const ofCalls = ['calls_total', 'call_duration_seconds', 'input_required_total']
    const known = new Set([...(await published()), ...ofCalls, 'queue_length'])
    const named = [...readPage(path).matchAll(/\bmcp_(\w+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !known.has(name))).toEqual([])
    expect(named).toContain('credentials_unchecked_total')
  },
)

test('the rules of the sample use exactly the metrics that the guide recommends for alerts', () => {
  const guide = readPage('docs/how-to/measure-and-trace.md')
  const [, table = ''] = guide.split('\n## Alerts\n')
  const conditions = rowsOf(table).map((row) => row.split(/(?<!\\)\|/)[1] ?? '')
  const namesIn = (text: string): string[] => [...new Set(text.match(/\bmcp_\w+/g))].toSorted()
  expect(namesIn(readPage('samples/metrics/alerts.yaml'))).toEqual(namesIn(conditions.join('\n')))
})

test('the rules of the sample use existing metrics of the process', async () => {
  const rules = readPage('samples/metrics/alerts.yaml')
  const known = await new PrometheusMetrics({ processMetrics: true }).text()
  const named = [...rules.matchAll(/\b(?:nodejs|process)_\w+/g)].map(([name]) => name)
  expect(named.filter((name) => !known.includes(`\n${name} `))).toEqual([])
  expect(named).toHaveLength(3)
})

test('each numeric limit has a metric', () => {
  const limits = Object.keys(defaultLimits).filter((name) => name.startsWith('max'))
  expect(limits.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
test('the metrics page has a row for each metric of a server, and no other', () => {
  const rows = [...readPage('docs/reference/metrics.md').matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)]
  expect(Object.fromEntries(rows.map(([, member, name]) => [member, name]))).toEqual(
    Object.fromEntries(
      Object.entries({ ...serverMetrics, ...sessionMetrics, ...taskMetrics }).map(([member, { name }]) => [
        member,
        name,
      ]),
    ),
  )
})
