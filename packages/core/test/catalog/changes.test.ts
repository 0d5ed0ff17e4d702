import { connectInMemory, McpContext, McpPrompt, McpResource, McpTool, type Static, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect, type Lane, lanes } from '@toolwright/testing'
import { until } from '../../../../test/support/until.js'

const UriInput = Type.Object({ uri: Type.String() })

class Notes {
  @McpResource('notes://today')
  today(): string {
    return 'Write tests'
  }

  @McpResource('notes://{day}')
  day({ day }: { day: string }): string {
    return day
  }

  @McpPrompt()
  plan(): string {
    return 'Plan the day'
  }

  @McpTool({ input: UriInput })
  touch({ uri }: Static<typeof UriInput>, context: McpContext): void {
    context.changes.resourceUpdated(uri)
  }
}

const options = { name: 'test', version: '1', controllers: [Notes] }

interface Heard {
  readonly method: string
  readonly uri?: string
}

async function listening(lane: Lane) {
  const connection = await connect(options, lane)
  const { client } = connection
  const heard: Heard[] = []
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    client.setNotificationHandler(`notifications/${kind}/list_changed`, ({ method }) => void heard.push({ method }))
  }
  client.setNotificationHandler('notifications/resources/updated', ({ method, params }) => {
    heard.push({ method, uri: params.uri })
  })
  return { connection, client, heard }
}

describe.each(lanes)('notifications of changes: $lane, $era', (lane) => {
  it('to a list are sent once for many concurrent changes', async () => {
    const { connection, client, heard } = await listening(lane)
    await using _ = connection
    if (lane.era === 'modern') {
      await client.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true })
    }
    const { catalog } = connection.server
    catalog.addTool({ name: 'late_one', handler: () => '' })
    catalog.addTool({ name: 'late_two', handler: () => '' })
    catalog.addPrompt({ name: 'late', handler: () => '' })
    catalog.removeResource('notes://{day}')
    await until(() => heard.length >= 3)
    expect(heard.map(({ method }) => method).toSorted()).toEqual([
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/tools/list_changed',
    ])
  })

  it('of a resource are sent to subscribers of other spellings, with the URI of the subscription', async () => {
    const { connection, client, heard } = await listening(lane)
    await using _ = connection
    const uris = ['notes://a%2Fb', 'notes://caf%c3%A9', 'notes://new%20year', 'notes://new%20ye%61r']
    if (lane.era === 'modern') await client.listen({ resourceSubscriptions: uris })
    else for (const uri of uris) await client.subscribeResource({ uri })
    for (const uri of ['notes://café', 'notes://new year', 'notes://a/b', 'notes://%61%2fb']) {
      await client.callTool({ name: 'touch', arguments: { uri } })
    }
    await until(() => heard.length >= 4)
    expect(new Set(heard.map(({ uri }) => uri))).toEqual(new Set(uris))
    expect(heard).toHaveLength(4)
  })

  it('do not normalize the URIs of other subscriptions again', async () => {
    const { connection, client, heard } = await listening(lane)
    await using _ = connection
    const others = Array.from({ length: 50 }, (_unused, index) => `notes://%6f%74%68%65%72%2f${index}`)
    const uris = ['notes://a%2fb', ...others]
    if (lane.era === 'modern') await client.listen({ resourceSubscriptions: uris })
    else for (const uri of uris) await client.subscribeResource({ uri })
    // Normalizing a URI calls `replace`.
    const replace = jest.spyOn(String.prototype, 'replace')
    await client.callTool({ name: 'touch', arguments: { uri: 'notes://a%2Fb' } })
    await until(() => heard.length > 0)
    const looked = replace.mock.contexts.map(String)
    replace.mockRestore()
    expect(heard.map(({ uri }) => uri)).toEqual(['notes://a%2fb'])
    expect(looked).not.toContain(others[0])
  })

  it('to a resource are sent to its subscribers only', async () => {
    const { connection, client, heard } = await listening(lane)
    await using _ = connection
    if (lane.era === 'modern') await client.listen({ resourceSubscriptions: ['notes://today'] })
    else await client.subscribeResource({ uri: 'notes://today' })
    await client.callTool({ name: 'touch', arguments: { uri: 'notes://monday' } })
    await client.callTool({ name: 'touch', arguments: { uri: 'notes://today' } })
    await until(() => heard.length > 0)
    expect(heard).toEqual([{ method: 'notifications/resources/updated', uri: 'notes://today' }])
  })
})

describe.each(lanes.filter(({ era }) => era === 'legacy'))('a legacy subscription: $lane', (lane) => {
  it('ends when the client ends it', async () => {
    const { connection, client, heard } = await listening(lane)
    await using _ = connection
    await client.subscribeResource({ uri: 'notes://today' })
    await client.unsubscribeResource({ uri: 'notes://today' })
    await client.callTool({ name: 'touch', arguments: { uri: 'notes://today' } })
    await client.callTool({ name: 'touch', arguments: { uri: 'notes://today' } })
    expect(heard).toEqual([])
  })
})

test('a legacy client gets no notifications before the client has sent initialized', async () => {
  const server = await createServer(options)
  const heard: { readonly id?: number; readonly method?: string }[] = []
  const client = connectInMemory(server, { onMessage: (message) => void heard.push(message as object) })
  const clientInfo = { name: 'raw', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  await until(() => heard.length === 1)

  server.catalog.addTool({ name: 'early', handler: () => '' })
  client.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
  await until(() => heard.length >= 2)
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  client.send({ jsonrpc: '2.0', id: 3, method: 'ping' })
  await until(() => heard.some(({ id }) => id === 3))
  server.catalog.addTool({ name: 'late', handler: () => '' })
  await until(() => heard.some(({ method }) => method !== undefined))

  expect(heard.map(({ id, method }) => id ?? method)).toEqual([1, 2, 3, 'notifications/tools/list_changed'])
  await client.close()
  await server.close()
})
