// Ids of clients with 64-bit counters were rejected, and progress tokens of that size were dropped.
import { McpResource } from '@toolwright/core'
import {
  closeApps,
  connectTo,
  headersOf,
  legacyMessage,
  modernMessage,
  openApp,
  openSession,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'

afterEach(closeApps)

const long = '1795596989106000001'

/** A message as a string, in which `ID` stands for the long number. */
const withLongIds = (message: object): string => JSON.stringify(message).replaceAll('"ID"', long)

let running = false
const tools: TestTool[] = [
  {
    name: 'report',
    handler: (_args, context) => {
      context.progress(1)
      return JSON.stringify([context.requestId, context.meta['progressToken']])
    },
  },
  {
    name: 'wait',
    handler: (_args, context) =>
      new Promise((_resolve, reject) => {
        running = true
        context.signal.addEventListener('abort', () => reject(new Error('aborted')))
      }),
  },
]

class Notes {
  @McpResource('note://one')
  read(): string {
    return 'one'
  }
}

it.each([
  ['long', long, long],
  ['negative', `-${long}`, `-${long}`],
  ['as long as allowed', '9'.repeat(256), '9'.repeat(256)],
  ['in exponential notation', '1.795596989106e18', '1795596989106000000'],
])('an id that is %s is returned as it was written', async (_what, id, answered) => {
  const client = connectTo(await openApp({ tools }), { era: 'legacy' })
  const reply = await client.send(`{"jsonrpc":"2.0","method":"ping","params":{"x":"${long}"},"id":${id}}`)
  expect([reply.status, reply.text]).toEqual([200, `{"jsonrpc":"2.0","id":${answered},"result":{}}`])
})

it('longer ids are rejected', async () => {
  const client = connectTo(await openApp({ tools }), { era: 'legacy' })
  const reply = await client.send(`{"jsonrpc":"2.0","method":"ping","id":${'9'.repeat(300)}}`)
  expect(reply.json.error.message).toContain('at most 256 characters')
})

it('ids of a batch and of errors are not mixed up', async () => {
  const client = connectTo(await openApp({ tools }), { era: 'legacy' })
  const [first, second] = ['1795596989106000001', '1795596989106000002']
  const batch = `[{"jsonrpc":"2.0","id":${first},"method":"ping"},{"jsonrpc":"2.0","id":${second},"method":"none"}]`
  const reply = await client.send(batch, { 'mcp-protocol-version': '2025-03-26' })
  expect(reply.text).toContain(`"id":${first},"result"`)
  expect(reply.text).toContain(`"id":${second},"error"`)
})

it.each(['legacy', 'modern'])('progress contains a long token as it was written: %s', async (era) => {
  const client = connectTo(await openApp({ tools }), { era: 'legacy' })
  const params = { ...toolCall('report'), _meta: { progressToken: 'ID' } }
  const message =
    era === 'legacy' ? legacyMessage('tools/call', params, 'ID') : { ...modernMessage('tools/call', params), id: 'ID' }
  const headers = era === 'legacy' ? { 'mcp-protocol-version': '2025-06-18' } : headersOf(message)
  const { text } = await client.send(withLongIds(message), headers)
  expect(text).toContain(`"params":{"progressToken":${long},"progress":1}`)
  expect(text).toContain(`"id":${long},"result"`)
  // For handlers, which may serialize them as JSON.
  expect(text).toContain(JSON.stringify(JSON.stringify([long, long])))
})

it('a call with a long id can be cancelled', async () => {
  const app = await openApp({ tools })
  const session = await openSession(app)
  running = false
  const calling = session.send(withLongIds(legacyMessage('tools/call', toolCall('wait'), 'ID')))
  await until(() => running)
  const other = '1795596989106000002'
  await session.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${other}}}`)
  await session.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${long}}}`)
  expect((await calling).text).toBe('')
})

it('notifications of a subscription with a long id contain that id', async () => {
  const client = connectTo(await openApp({ tools, controllers: [Notes], notifyChanges: false }), { era: 'legacy' })
  const message = { ...modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }), id: 'ID' }
  const { text } = await client.send(withLongIds(message), headersOf(message))
  expect(text.match(new RegExp(`"io.modelcontextprotocol/subscriptionId":${long}`, 'g'))).toHaveLength(2)
})
