// #region example
import {
  closeApps,
  connectTo,
  metaKeys,
  openApp,
  openSession,
  type TestTool,
} from './index.js'

const add: TestTool = {
  name: 'add',
  inputSchema: { type: 'object' },
  handler: ({ a, b }) => a + b,
}

afterEach(closeApps)

test('a tool adds two numbers', async () => {
  const client = connectTo(await openApp({ tools: [add] }))
  const { status, json } = await client.call('add', { a: 1, b: 2 })
  expect([status, json.result.content]).toStrictEqual([
    200,
    [{ type: 'text', text: '3' }],
  ])
})
// #endregion

const report: TestTool = {
  name: 'report',
  handler: (_args, context) => {
    context.progress(1, 2)
    return 'done'
  },
}

const show: TestTool = {
  name: 'show',
  handler: (_args, { requestId, meta, headers }) =>
    JSON.stringify([
      requestId,
      meta,
      headers?.['mcp-protocol-version'],
      headers?.['mcp-method'],
      headers?.['mcp-name'],
    ]),
}

test('a request has what its era requires, and nothing else', async () => {
  const app = await openApp({ tools: [show] })
  const clients = [connectTo(app), connectTo(app, { era: 'legacy' })]

  const replies = await Promise.all(
    clients.map((client) => client.call('show', {}, { id: 7, meta: { b: 2 } })),
  )

  const required = {
    [metaKeys.version]: '2026-07-28',
    [metaKeys.capabilities]: {},
  }
  expect(
    replies.map(({ json }) => JSON.parse(json.result.content[0].text)),
  ).toStrictEqual([
    [7, { ...required, b: 2 }, '2026-07-28', 'tools/call', 'show'],
    [7, { b: 2 }, null, null, null],
  ])
})

test('events of a session are read one by one', async () => {
  const session = await openSession(await openApp({ tools: [report] }))
  const message = session.message(
    'tools/call',
    { name: 'report' },
    { meta: { progressToken: 't' } },
  )

  const stream = await session.stream(message)

  expect(await stream.message()).toMatchObject({
    method: 'notifications/progress',
    params: { progress: 1, total: 2 },
  })
  expect((await stream.message()).result.content).toStrictEqual([
    { type: 'text', text: 'done' },
  ])
  expect((await session.end()).status).toBe(200)
  expect((await session.request('ping')).status).toBe(404)
  session.close()
})

test('a session that the server rejects is an error of the test', async () => {
  const app = await openApp({ sessions: false })
  await expect(openSession(app)).rejects.toThrow(
    'the server opened no session: 200',
  )
})
