/**
 * Tests on the wire, without a client library: they compare statuses, headers and whole messages.
 *
 * @example
 * import { closeApps, connectTo, openApp, openSession } from '../../../../test/support/client/index.js'
 *
 * afterEach(closeApps)
 *
 * it('adds', async () => {
 *   const app = await openApp({ tools: [add] })
 *   const client = connectTo(app)                              // modern; { era: 'legacy' } for the other era
 *   const reply = await client.call('add', { a: 1, b: 2 })     // or client.request('tools/list')
 *   expect(reply.json.result.content[0].text).toBe('3')
 * })
 *
 * it('reports progress', async () => {
 *   const session = await openSession(await openApp({ tools: [slow] }))
 *   const stream = await session.stream(session.message('tools/call', toolCall('slow'), { meta: { progressToken: 1 } }))
 *   expect((await stream.message()).method).toBe('notifications/progress')
 * })
 */

export type { Reply, RequestOptions, SessionOptions, TestClient } from './client.js'
export { type ClientOptions, connectTo, type HeaderValues, joinSession, openSession } from './client.js'
export { EventReader, messagesIn, messagesOf, type SentEvent } from './events.js'
export {
  headersOf,
  initializeMessage,
  legacyMessage,
  legacyVersions,
  type Message,
  metaKeys,
  modernMessage,
  modernVersion,
  notification,
  toolCall,
} from './messages.js'
export { type AppOptions, closeApps, listen, openApp, serverMeta, type TestTool } from './open-app.js'
