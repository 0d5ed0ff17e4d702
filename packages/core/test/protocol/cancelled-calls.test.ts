import { closeClients, speak, versions, type WireTool } from './client.js'

afterEach(closeClients)

it.each(versions)('a cancelled call sends nothing, not even from abort listeners: %s', async (version) => {
  let aborted = 0
  const wait: WireTool = {
    name: 'wait',
    handler: (_args, context) => {
      context.progress(1)
      context.signal.addEventListener('abort', () => {
        aborted++
        context.progress(2)
        context.sendNotification('notifications/com.example/aborted')
      })
      return new Promise(() => undefined)
    },
  }
  const client = await speak(version, [wait])
  const before = client.received.length
  void client.call('wait', {}, { progressToken: 'token' })
  await client.request('tools/list')
  const requestId = client.received.at(-1).id - 1

  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
  await client.request('tools/list')

  expect(aborted).toBe(1)
  expect(client.received.slice(before).map(({ id, method }) => method ?? id)).toStrictEqual([
    'notifications/progress',
    requestId + 1,
    requestId + 2,
  ])
})
