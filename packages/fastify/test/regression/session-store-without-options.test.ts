// Stores of the package that are created without options.

import { InMemoryTaskStore } from '@toolwright/server'
import { InMemorySessionStore } from '@toolwright/sessions'
import { closeApps, connectTo, legacyMessage, metaKeys, openApp } from '../../../../test/support/client/index.js'

afterEach(closeApps)

const clientInfo = { name: 'test', version: '1' }
const initialize = legacyMessage('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })

test.each([
  ['without options', () => new InMemorySessionStore()],
  ['with empty options', () => new InMemorySessionStore({})],
  ['with a limit', () => new InMemorySessionStore({ maxSessions: 1 })],
])('an InMemorySessionStore %s opens sessions', async (_how, create) => {
  const client = connectTo(await openApp({ sessionStore: create() }), { era: 'legacy' })
  const reply = await client.send(initialize)
  expect([reply.status, typeof reply.headers['mcp-session-id']]).toEqual([200, 'string'])
})

test('an InMemoryTaskStore without options stores tasks', async () => {
  const tools = [{ name: 'quick', task: 'required' as const, handler: () => 'done' }]
  const client = connectTo(await openApp({ tools, tasks: { store: new InMemoryTaskStore() } }))
  const _meta = { [metaKeys.capabilities]: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
  const { json } = await client.request('tools/call', { name: 'quick', _meta })
  expect(json.result.resultType).toBe('task')
})
