// Ids of clients with 64-bit counters were rejected, and progress tokens of that size were dropped.
import { McpResource } from '@toolwright/core'
import {
  call,
  closeApps,
  headersOf,
  initialize,
  legacy,
  modern,
  openApp,
  post,
  until,
  type WireTool,
} from '../support/wire.js'

afterEach(closeApps)

const long = '1795596989106000001'

/** A message as a string, in which `ID` stands for the long number. */
const withLongIds = (message: object): string => JSON.stringify(message).replaceAll('"ID"', long)

let running = false
const tools: WireTool[] = [
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
  const app = await openApp({ tools })
  const reply = await post(app, `{"jsonrpc":"2.0","method":"ping","params":{"x":"${long}"},"id":${id}}`)
  expect([reply.status, reply.text]).toEqual([200, `{"jsonrpc":"2.0","id":${answered},"result":{}}`])
})

it('longer ids are rejected', async () => {
  const app = await openApp({ tools })
  const reply = await post(app, `{"jsonrpc":"2.0","method":"ping","id":${'9'.repeat(300)}}`)
  expect(reply.json.error.message).toContain('at most 256 characters')
})

it('ids of a batch and of errors are not mixed up', async () => {
  const app = await openApp({ tools })
  const [first, second] = ['1795596989106000001', '1795596989106000002']
  const batch = `[{"jsonrpc":"2.0","id":${first},"method":"ping"},{"jsonrpc":"2.0","id":${second},"method":"none"}]`
  const reply = await post(app, batch, { 'mcp-protocol-version': '2025-03-26' })
  expect(reply.text).toContain(`"id":${first},"result"`)
  expect(reply.text).toContain(`"id":${second},"error"`)
})

it.each(['legacy', 'modern'])('progress contains a long token as it was written: %s', async (era) => {
  const app = await openApp({ tools })
  const params = { ...call('report'), _meta: { progressToken: 'ID' } }
  const message = era === 'legacy' ? legacy('tools/call', params, 'ID') : { ...modern('tools/call', params), id: 'ID' }
  const headers = era === 'legacy' ? { 'mcp-protocol-version': '2025-06-18' } : headersOf(message)
  const { text } = await post(app, withLongIds(message), headers)
  expect(text).toContain(`"params":{"progressToken":${long},"progress":1}`)
  expect(text).toContain(`"id":${long},"result"`)
  // For handlers, which may serialize them as JSON.
  expect(text).toContain(JSON.stringify(JSON.stringify([long, long])))
})

it('a call with a long id can be cancelled', async () => {
  const app = await openApp({ tools })
  const opened = await post(app, initialize('2025-11-25'))
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
  running = false
  const calling = post(app, withLongIds(legacy('tools/call', call('wait'), 'ID')), headers)
  await until(() => running)
  const other = '1795596989106000002'
  await post(app, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${other}}}`, headers)
  await post(app, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${long}}}`, headers)
  expect((await calling).text).toBe('')
})

it('a subscription with a long id is tagged with it', async () => {
  const app = await openApp({ tools, controllers: [Notes], notifyChanges: false })
  const message = { ...modern('subscriptions/listen', { notifications: { toolsListChanged: true } }), id: 'ID' }
  const { text } = await post(app, withLongIds(message), headersOf(message))
  expect(text.match(new RegExp(`"io.modelcontextprotocol/subscriptionId":${long}`, 'g'))).toHaveLength(2)
})
