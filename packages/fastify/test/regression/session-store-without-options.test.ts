// Stores of the package that are created without options.
import { InMemorySessionStore, InMemoryTaskStore } from '@toolwright/core'
import { closeApps, legacy, metaKeys, modern, openApp, post, postModern } from '../support/wire.js'

afterEach(closeApps)

const clientInfo = { name: 'test', version: '1' }
const initialize = legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })

test.each([
  ['without options', () => new InMemorySessionStore()],
  ['with empty options', () => new InMemorySessionStore({})],
  ['with a limit', () => new InMemorySessionStore({ maxSessions: 1 })],
])('an InMemorySessionStore %s opens sessions', async (_how, create) => {
  const app = await openApp({ sessionStore: create() })
  const reply = await post(app, initialize)
  expect([reply.status, typeof reply.headers['mcp-session-id']]).toEqual([200, 'string'])
})

test('an InMemoryTaskStore without options stores tasks', async () => {
  const tools = [{ name: 'quick', task: 'required' as const, handler: () => 'done' }]
  const app = await openApp({ tools, tasks: { store: new InMemoryTaskStore() } })
  const _meta = { [metaKeys.capabilities]: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
  const { json } = await postModern(app, modern('tools/call', { name: 'quick', _meta }))
  expect(json.result.resultType).toBe('task')
})
