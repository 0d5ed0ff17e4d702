// Each node stores the roots of a session, until the client announces a change at any node.
import type { McpContext } from '@toolwright/core'
import {
  closeApps,
  legacyMessage,
  openApp,
  openSession,
  type TestClient,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { createGate, type Gate } from '../../../../test/support/gate.js'
import { RemoteSessionStore } from '../support/remote-session-store.js'

afterEach(closeApps)

let gate: Gate
let roots: readonly object[]
let requests: number

const tools: TestTool[] = [
  { name: 'list', handler: (_args, context) => list(context) },
  {
    name: 'list_twice',
    handler: async (_args, context) => {
      const before = await list(context)
      context.sendNotification('notifications/message', { level: 'info', data: 'listed' })
      await gate.opened
      return `${before}, ${await list(context)}`
    },
  },
]

async function list(context: McpContext): Promise<string> {
  return (await context.listRoots()).map(({ uri }) => uri).join(' ')
}

async function open() {
  gate = createGate()
  roots = [{ uri: 'file:///one' }]
  requests = 0
  const options = { sessionStore: new RemoteSessionStore(), tools, streamAnswers: true }
  const [a, b] = await Promise.all([openApp(options), openApp(options)])
  const session = await openSession(a, { params: { capabilities: { roots: { listChanged: true } } } })
  return { session, other: session.at(b) }
}

/** Calls a tool, answers its requests for roots, and resolves with its text. */
async function call(client: TestClient, name: string, onMessage = (): unknown => undefined): Promise<string> {
  const stream = await client.stream(legacyMessage('tools/call', toolCall(name)))
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const { id, method, result } = await stream.message()
    if (result !== undefined) return result.content[0].text
    // oxlint-disable-next-line no-await-in-loop
    if (method !== 'roots/list') await onMessage()
    else {
      requests++
      // oxlint-disable-next-line no-await-in-loop
      await client.send({ jsonrpc: '2.0', id, result: { roots } })
    }
  }
}

async function change(client: TestClient, uri: string): Promise<void> {
  roots = [{ uri }]
  await client.notify('notifications/roots/list_changed')
}

it('each node requests the roots once, and again after a change that another node received', async () => {
  const { session, other } = await open()
  const clients = [session, other, session, other]
  const listed: string[] = []
  // oxlint-disable-next-line no-await-in-loop -- one call after the other
  for (const client of clients) listed.push(await call(client, 'list'))
  await change(session, 'file:///two')
  // oxlint-disable-next-line no-await-in-loop -- one call after the other
  for (const client of clients) listed.push(await call(client, 'list'))
  expect([...new Set(listed), requests]).toEqual(['file:///one', 'file:///two', 4])
})

it('a call in flight sees a change that another node received', async () => {
  const { session, other } = await open()
  const twice = await call(session, 'list_twice', async () => {
    await change(other, 'file:///two')
    gate.open()
  })
  expect(twice).toBe('file:///one, file:///two')
})
