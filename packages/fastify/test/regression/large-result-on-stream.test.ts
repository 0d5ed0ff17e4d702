import { closeApps, connectTo, messagesOf, openApp, toolCall } from '../../../../test/support/client/index.js'

afterEach(closeApps)

it('a result that is larger than the stream buffer is sent, also when progress waits before it', async () => {
  const handler = async function* (): AsyncGenerator<object, string> {
    for (let progress = 1; progress <= 300; progress++) yield { progress, message: 'x'.repeat(100) }
    return 'y'.repeat(200_000)
  }
  const client = connectTo(
    await openApp({ tools: [{ name: 'burst', handler }], limits: { maxBufferedBytes: 100_000 } }),
    { era: 'legacy' },
  )

  const params = { ...toolCall('burst'), _meta: { progressToken: 'burst' } }
  const { text } = await client.request('tools/call', params, { headers: { 'mcp-protocol-version': '2025-11-25' } })

  const events = messagesOf(text)
  expect(events).toHaveLength(301)
  expect(events.at(-1)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'y'.repeat(200_000) }] },
  })
})
