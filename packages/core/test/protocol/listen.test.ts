import { type Caller, connectInMemory, McpPrompt, type McpServer, McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'

class Features {
  @McpTool()
  tool(): string {
    return ''
  }

  @McpPrompt()
  prompt(): string {
    return ''
  }
}

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

function open(server: McpServer, principal: Caller | null = null) {
  const received: unknown[] = []
  const client = connectInMemory(server, { principal, onMessage: (message) => void received.push(message) })
  const listen = (id: string | number, notifications: unknown): void => {
    client.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications, _meta } })
  }
  const cancel = (requestId: string | number): void => {
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, _meta } })
  }
  return { client, received, listen, cancel }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const tagged = (id: string | number) => ({ 'io.modelcontextprotocol/subscriptionId': id })
const acknowledged = (id: string | number, notifications: object) => ({
  jsonrpc: '2.0',
  method: 'notifications/subscriptions/acknowledged',
  params: { _meta: tagged(id), notifications },
})

async function createFeatures(limits = {}) {
  return createServer({ name: 'test', version: '1', controllers: [Features], limits })
}

describe('subscriptions/listen', () => {
  it('is acknowledged first, with the notifications that can occur', async () => {
    const { client, received, listen } = open(await createFeatures())
    listen(1, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['a:b'],
    })
    await settled()
    expect(received).toEqual([acknowledged(1, { toolsListChanged: true, promptsListChanged: true })])
    await client.close()
  })

  it('sends each subscription its notifications, under its own id', async () => {
    const server = await createFeatures()
    const { client, received, listen } = open(server)
    listen('both', { toolsListChanged: true, promptsListChanged: true })
    listen(1_795_000_000_000, { promptsListChanged: true })
    await settled()
    received.length = 0
    server.catalog.addTool({ name: 'late', handler: () => '' })
    server.catalog.addPrompt({ name: 'late', handler: () => '' })
    await settled()
    const told = (kind: string, id: string | number) => ({
      jsonrpc: '2.0',
      method: `notifications/${kind}/list_changed`,
      params: { _meta: tagged(id) },
    })
    expect(received).toEqual([told('tools', 'both'), told('prompts', 'both'), told('prompts', 1_795_000_000_000)])
    await client.close()
  })

  it('ends without a response when the client cancels it, and sends nothing more', async () => {
    const server = await createFeatures()
    const { client, received, listen, cancel } = open(server)
    listen(1, { toolsListChanged: true })
    await settled()
    cancel(1)
    await settled()
    server.catalog.removeTool('tool')
    await settled()
    expect(received).toEqual([acknowledged(1, { toolsListChanged: true })])
    await client.close()
  })

  it('is rejected beyond the limit, before the acknowledgement', async () => {
    const server = await createFeatures({ maxSubscriptions: 1 })
    const { client, received, listen, cancel } = open(server)
    listen(1, { toolsListChanged: true })
    await settled()
    listen(2, { toolsListChanged: true })
    await settled()
    expect(received).toEqual([
      acknowledged(1, { toolsListChanged: true }),
      {
        jsonrpc: '2.0',
        id: 2,
        error: {
          code: -32603,
          message: 'Too many subscriptions are open. Try again in 10 s',
          data: { retryAfterMs: 10_000 },
        },
      },
    ])
    cancel(1)
    await settled()
    listen(3, { toolsListChanged: true })
    await settled()
    expect(received.at(-1)).toEqual(acknowledged(3, { toolsListChanged: true }))
    expect(server.metrics()).toMatchObject({ subscriptions: { value: 1, max: 1 }, rejectedSubscriptions: 1 })
    await client.close()
  })

  it('is rejected for a caller at the limit only', async () => {
    const server = await createFeatures({ maxSubscriptionsPerPrincipal: 1 })
    const [first, second] = [open(server), open(server)]
    first.listen(1, { toolsListChanged: true })
    await settled()
    first.listen(2, { toolsListChanged: true })
    second.listen(3, { toolsListChanged: true })
    await settled()
    expect(first.received).toEqual([
      expect.objectContaining({ method: 'notifications/subscriptions/acknowledged' }),
      expect.objectContaining({
        error: {
          code: -32603,
          message: 'Too many subscriptions are open. Try again in 10 s',
          data: { retryAfterMs: 10_000 },
        },
      }),
    ])
    expect(second.received).toEqual([expect.objectContaining({ method: 'notifications/subscriptions/acknowledged' })])
    await Promise.all([first.client.close(), second.client.close()])
  })

  it('counts towards the limit of the user, also with other clients', async () => {
    const server = await createFeatures({ maxSubscriptionsPerPrincipal: 1 })
    const openAs = (subject: string, client_id: string) =>
      open(server, { subject, claims: { iss: 'https://login.example', client_id } })
    const clients = [openAs('ada', 'a'), openAs('ada', 'b'), openAs('bob', 'a')] as const
    for (const [id, { listen }] of clients.entries()) listen(id, { toolsListChanged: true })
    await settled()

    const acknowledgement = expect.objectContaining({ method: 'notifications/subscriptions/acknowledged' })
    const rejection = expect.objectContaining({ error: expect.anything() })
    expect(clients.map(({ received }) => received)).toEqual([[acknowledgement], [rejection], [acknowledgement]])
    await Promise.all(clients.map(({ client }) => client.close()))
  })

  it.each([
    undefined,
    null,
    'tools',
    [],
    { resourceSubscriptions: 'a:b' },
    { resourceSubscriptions: [1] },
    { resourceSubscriptions: Array.from({ length: 1001 }, String) },
    { resourceSubscriptions: ['a:'.padEnd(2049, 'b')] },
  ])('rejects the filter %j', async (notifications) => {
    const { client, received, listen } = open(await createFeatures())
    listen(1, notifications)
    await settled()
    expect(received).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32602, message: expect.any(String) } }])
    await client.close()
  })

  it('accepts as many URIs as resources/subscribe, and the same maximum length', async () => {
    const server = await createFeatures()
    server.catalog.addResource({ uri: 'a:b', name: 'resource', handler: () => '' })
    const { client, received, listen } = open(server)
    const uris = Array.from({ length: 32 }, (_, index) => `a:${index}/`.padEnd(2048, 'b'))
    listen(1, { resourceSubscriptions: uris })
    await settled()
    listen(2, { resourceSubscriptions: [...uris, 'a'] })
    await settled()
    expect(received).toEqual([
      acknowledged(1, { resourceSubscriptions: uris }),
      {
        jsonrpc: '2.0',
        id: 2,
        error: {
          code: -32602,
          message: 'Invalid params: the URIs of all subscriptions together must have at most 65536 characters',
        },
      },
    ])
    await client.close()
  })

  // The server stores each open subscription in full, and up to a hundred for one client.
  it.each([
    [
      'a long string in its _meta',
      (long: string) => ({ params: { notifications: { toolsListChanged: true }, _meta: { ..._meta, long } } }),
    ],
    ['a long string in its filter', (long: string) => ({ params: { notifications: { long }, _meta } })],
    [
      'a long string beside its params',
      (long: string) => ({ long, params: { notifications: { toolsListChanged: true }, _meta } }),
    ],
    ['a long key', (long: string) => ({ params: { notifications: { [long]: 1 }, _meta } })],
    ['many values', () => ({ params: { notifications: { many: Array.from({ length: 4096 }, () => 0) }, _meta } })],
    [
      'many empty objects',
      () => ({ params: { notifications: { many: Array.from({ length: 4096 }, () => ({})) }, _meta } }),
    ],
  ])('is rejected with %s, because it would take too much memory', async (_what, more) => {
    const server = await createFeatures()
    const { client, received } = open(server)
    client.send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', ...more('x'.repeat(128 * 1024)) })
    await settled()
    expect(received).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32602,
          message: 'Invalid params: the request of a subscription must have at most 128 KiB',
        },
      },
    ])
    expect(server.metrics().subscriptions).toMatchObject({ value: 0 })
    await client.close()
  })

  it('is unknown in the legacy era', async () => {
    const { client, received } = open(await createFeatures())
    client.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true } },
    })
    await settled()
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found: subscriptions/listen' } },
    ])
    await client.close()
  })
})
