import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  closeApps,
  legacyMessage,
  listen,
  messagesOf,
  openApp,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'

afterEach(closeApps)

it('the server closes as soon as the last event stream has ended, despite its keep-alive connection', async () => {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const handler = async function* (): AsyncGenerator<object, string> {
    yield { progress: 1 }
    await released
    return 'done'
  }
  const app = await openApp({ tools: [{ name: 'slow', handler }] })
  const port = await listen(app)
  const agent = new Agent({ keepAlive: true })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const sent = request({ port, agent, host: '127.0.0.1', path: '/mcp', method: 'POST', headers })
  sent.end(JSON.stringify(legacyMessage('tools/call', { ...toolCall('slow'), _meta: { progressToken: 1 } })))

  // The head of the stream has arrived, with a keep-alive connection.
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const closed = app.close()
  // The server closes now, and listens as long as the call runs: new requests get 503.
  await delay(100)
  expect(app.server.listening).toBe(true)
  release()

  expect(messagesOf(await text(response))).toHaveLength(2)
  await closed
  agent.destroy()
})
