import type { Client } from '@modelcontextprotocol/client'
import { type Extension, type Principal } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { until } from '../../../../test/support/until.js'
import { openRawClient } from '../support/raw-client.js'

const prices: Extension = { id: 'com.acme/prices', notifications: ['notifications/acme/price'] }
const method = 'notifications/acme/price'

const options = {
  name: 'test',
  version: '1',
  controllers: [],
  onReady: ({ catalog }) =>
    catalog.addTool({
      name: 'session',
      handler: (_args, { sessionId }) => ({ sessionId }),
      allowAnonymous: true,
    }),
} satisfies ServerOptions

function receivedBy(client: Client): unknown[] {
  const received: unknown[] = []
  client.fallbackNotificationHandler = async ({ method: name, params }) => void received.push([name, params])
  return received
}

async function sessionOf(client: Client): Promise<string | null> {
  const { content } = await client.callTool({ name: 'session', arguments: {} })
  const [block] = content as { text: string }[]
  return (JSON.parse(block?.text ?? '') as { sessionId: string | null }).sessionId
}

describe.each(lanes.filter(({ era }) => era === 'legacy'))('custom notifications, over $lane, $era', (lane) => {
  test('reach the official client, in order', async () => {
    await using connection = await connect(options, lane)
    const received = receivedBy(connection.client)
    const { changes } = connection.server
    await sessionOf(connection.client)
    for (const price of [1, 2, 2]) changes.notify(method, { price })
    changes.notify('notifications/acme/closed')
    await until(() => received.length === 4)
    expect(received).toEqual([
      [method, { price: 1 }],
      [method, { price: 2 }],
      [method, { price: 2 }],
      ['notifications/acme/closed', {}],
    ])
  })

  test('reach only the session that they are sent to', async () => {
    const server = await createServer(options)
    await using one = await connect(server, lane)
    await using other = await connect(server, lane)
    const [received, elsewhere] = [receivedBy(one.client), receivedBy(other.client)]
    const [id, otherId] = [await sessionOf(one.client), await sessionOf(other.client)]
    expect(id).not.toBe(otherId)
    // Over HTTP, the id of the session is the id in the header.
    expect(one.client.transport?.sessionId ?? id).toBe(id)
    server.changes.notify(method, { for: 'one' }, { sessionId: id as string })
    server.changes.notify(method, { for: 'all' })
    await until(() => received.length === 2 && elsewhere.length === 1)
    expect(received).toEqual([
      [method, { for: 'one' }],
      [method, { for: 'all' }],
    ])
    expect(elsewhere).toEqual([[method, { for: 'all' }]])
    await server.close()
  })
})

describe.each(lanes.filter(({ era }) => era === 'modern'))('custom notifications, over $lane, $era', (lane) => {
  test('cannot be sent to a session, because the client has no session', async () => {
    await using connection = await connect(options, lane)
    const id = await sessionOf(connection.client)
    expect(id).toBeNull()
    expect(() => connection.server.changes.notify(method, {}, { sessionId: id as never })).toThrow(
      'notify: sessionId is null. Give the sessionId of a context. If it is null, the client has no session: ' +
        'use context.sendNotification.',
    )
  })
})

describe('custom notifications of an extension', () => {
  const declared = { extensions: { [prices.id]: {} } }

  test('reach modern clients that subscribe to it', async () => {
    const server = await createServer({ ...options, extensions: [prices] })
    await using client = openRawClient(server)
    void client.modern('subscriptions/listen', { notifications: { [prices.id]: true } }, declared)
    const acknowledged = await client.next()
    const subscription = { 'io.modelcontextprotocol/subscriptionId': 1 }
    expect(acknowledged.params).toEqual({ _meta: subscription, notifications: { [prices.id]: true } })
    server.changes.notify('notifications/acme/other', {})
    server.changes.notify(method, { price: 1, _meta: { 'com.acme/source': 'x' } })
    expect(await client.next()).toEqual({
      jsonrpc: '2.0',
      method,
      params: { price: 1, _meta: { 'com.acme/source': 'x', ...subscription } },
    })
    await server.close()
  })

  test('are rejected for a request that does not declare it', async () => {
    const server = await createServer({ ...options, extensions: [prices] })
    await using client = openRawClient(server)
    const { error } = await client.modern('subscriptions/listen', { notifications: { [prices.id]: true } })
    expect([error.code, error.data]).toEqual([-32021, { requiredCapabilities: declared }])
    await server.close()
  })

  test('do not reach clients that subscribe to something else', async () => {
    const server = await createServer({ ...options, extensions: [prices] })
    await using client = openRawClient(server)
    void client.modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, declared)
    await client.next()
    server.changes.notify(method, { price: 1 })
    server.changes.toolsChanged()
    expect((await client.next()).method).toBe('notifications/tools/list_changed')
    await server.close()
  })

  test('cannot have names of the protocol', async () => {
    const wrong = { id: 'com.acme/prices', notifications: ['notifications/progress', 'price'] }
    await expect(createServer({ ...options, extensions: [wrong] })).rejects.toMatchObject({
      diagnostics: [
        {
          message:
            "extension 'com.acme/prices': the notification 'notifications/progress' belongs to the protocol. Give a name " +
            "such as 'notifications/acme/price'.",
        },
        {
          message:
            "extension 'com.acme/prices': the notification 'price' is not a valid name. Give a name such as " +
            "'notifications/acme/price'.",
        },
      ],
    })
  })
})

describe('custom notifications on a server with rules', () => {
  const ada: Principal = { subject: 'ada', roles: ['Trader'], scopes: ['prices:read'], claims: {} }
  const bob: Principal = { subject: 'bob', roles: ['Trader'], scopes: [], claims: {} }

  test.each([
    ['no rule', {}, ['ada', 'bob']],
    ['a role', { roles: ['trader'] }, ['ada', 'bob']],
    ['another role', { roles: ['Admin'] }, []],
    ['a scope', { roles: ['Trader'], scopes: ['prices:read'] }, ['ada']],
    ['all callers', { allowAnonymous: true }, ['ada', 'anonymous', 'bob']],
  ])('reach the callers with %s', async (_what, rule, expected) => {
    const server = await createServer({ ...options, authorization: {} })
    const callers = { ada, anonymous: undefined, bob }
    const clients = Object.entries(callers).map(([name, principal]) => ({
      name,
      client: openRawClient(server, principal),
    }))
    for (const { client } of clients) {
      // oxlint-disable-next-line no-await-in-loop
      await client.initialize('2025-06-18')
    }
    server.changes.notify(method, { price: 1 }, rule)
    server.changes.notify('notifications/acme/end', {}, { allowAnonymous: true })
    const first = await Promise.all(clients.map(async ({ name, client }) => [name, (await client.next()).method]))
    expect(first.filter(([, name]) => name === method).map(([name]) => name)).toEqual(expected)
    for (const { client } of clients) {
      // oxlint-disable-next-line no-await-in-loop
      await client[Symbol.asyncDispose]()
    }
    await server.close()
  })
})

describe('a custom notification is rejected', () => {
  test.each([
    [
      'of the protocol',
      ['notifications/message', {}],
      "The method 'notifications/message' belongs to the protocol. Give a name such as 'notifications/acme/price'.",
    ],
    ['without the prefix', ['acme/price', {}], "The method 'acme/price' is not a valid name."],
    [
      'with params that are a list',
      [method, []],
      'The params are not a JSON object: they are an array. Give a JSON object.',
    ],
    ['with params that JSON cannot express', [method, { price: 1n }], 'The params are not a JSON object: '],
    ['with too many bytes', [method, { text: 'x'.repeat(2000) }], 'as JSON. Give at most 1000.'],
    [
      'with a misspelt option',
      [method, {}, { session: 'a' }],
      'notify: session is not an option. Did you mean sessionId?',
    ],
    ['for a lost session', [method, {}, { sessionId: undefined }], 'notify: sessionId is '],
    [
      'with contradicting options',
      [method, {}, { roles: ['A'], allowAnonymous: true }],
      'notify: allowAnonymous contradicts roles and scopes. Leave out allowAnonymous, or both roles and scopes.',
    ],
    [
      'with roles that are no list',
      [method, {}, { roles: 'Admin' }],
      "notify: roles is the string 'Admin'. Give an array of strings.",
    ],
  ] as const)('%s', async (_what, args, message) => {
    const server = await createServer({ ...options, limits: { maxResultBytes: 1000 } })
    const [name, params, rule] = args as readonly unknown[] as [string, object, object]
    expect(() => server.changes.notify(name, params as never, rule)).toThrow(message)
    await server.close()
  })

  test.each([
    [
      'by a server of the newest revision',
      { revisions: ['2026-07-28'] },
      {},
      'Clients of 2026-07-28 only accept notifications of the protocol and of extensions. Declare the method in `notifications` of an extension.',
    ],
    [
      'for a session of the newest revision',
      { revisions: ['2026-07-28'] },
      { sessionId: 'a' },
      'Clients of 2026-07-28 have no sessions. Use context.sendNotification during a call.',
    ],
    ['by a server without notifications', { notifyChanges: false }, {}, 'The option notifyChanges is false'],
  ])('%s', async (_what, more, rule, message) => {
    const server = await createServer({ ...options, ...more })
    expect(() => server.changes.notify(method, {}, rule)).toThrow(message)
    await server.close()
  })
})
