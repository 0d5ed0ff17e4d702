import { call, closeApps, eventsOf, legacy, openApp, post } from '../support/wire.js'

afterEach(closeApps)

it('a result that is larger than the stream buffer is sent, also when progress waits before it', async () => {
  const handler = async function* (): AsyncGenerator<object, string> {
    for (let progress = 1; progress <= 300; progress++) yield { progress, message: 'x'.repeat(100) }
    return 'y'.repeat(200_000)
  }
  const app = await openApp({ tools: [{ name: 'burst', handler }], limits: { maxBufferedBytes: 100_000 } })

  const params = { ...call('burst'), _meta: { progressToken: 'burst' } }
  const { text } = await post(app, legacy('tools/call', params), { 'mcp-protocol-version': '2025-11-25' })

  const events = eventsOf(text)
  expect(events).toHaveLength(301)
  expect(events.at(-1)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'y'.repeat(200_000) }] },
  })
})
