// Features that are enabled and disabled at run time, on one node and on several.
import {
  type Change,
  createServer,
  InProcessChangeBus,
  McpController,
  McpPrompt,
  McpResource,
  McpTool,
  type ServerOptions,
} from '@toolwright/core'
import { connect, type Lane, lanes } from '@toolwright/testing'
import { until } from '../../../../test/support/until.js'
import { openRawClient } from '../support/raw-client.js'

@McpController({ tags: ['admin'] })
class Admin {
  @McpTool({ description: 'Deletes' })
  deleteAll(): string {
    return 'deleted'
  }

  @McpTool({ description: 'Audits', tags: ['audit'] })
  audit(): string {
    return 'audited'
  }

  @McpPrompt()
  review(): string {
    return 'Review'
  }
}

class Basics {
  @McpTool({ description: 'Adds' })
  add(): string {
    return 'added'
  }

  @McpResource('notes://today')
  today(): string {
    return 'today'
  }

  @McpResource('notes:///{day}')
  day({ day }: { day: string }): string {
    return day
  }
}

const options: ServerOptions = { name: 'test', version: '1', controllers: [Admin, Basics] }

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function listening(lane: Lane, given: ServerOptions = options) {
  const connection = await connect(given, lane)
  const { client } = connection
  const heard: string[] = []
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    client.setNotificationHandler(`notifications/${kind}/list_changed`, () => void heard.push(kind))
  }
  if (lane.era === 'modern') {
    await client.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true })
  }
  return { connection, client, heard }
}

describe.each(lanes)('features that are disabled at run time, over $lane, $era', (lane) => {
  test('disappear for each client after one notification, and come back', async () => {
    const { connection, client, heard } = await listening(lane)
    await using _ = connection
    const { catalog } = connection.server
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name)

    catalog.disable({ tags: ['admin'] })
    catalog.disable('notes://today')
    catalog.removeTool('add')
    await until(() => heard.length >= 3)
    expect(await names()).toEqual([])
    await expect(client.callTool({ name: 'audit', arguments: {} })).rejects.toThrow('Unknown tool: audit')
    await expect(client.readResource({ uri: 'notes://today' })).rejects.toThrow('Resource not found')
    expect(heard.toSorted()).toEqual(['prompts', 'resources', 'tools'])

    catalog.enable({ tags: ['audit'] })
    await until(() => heard.length >= 4)
    expect(await names()).toEqual(['audit'])
    expect((await client.callTool({ name: 'audit', arguments: {} })).content).toEqual([
      { type: 'text', text: 'audited' },
    ])
    catalog.enable({ tags: ['admin'] })
    catalog.enable('notes://today')
    await until(() => heard.length >= 7)
    expect(await names()).toEqual(['audit', 'delete_all'])
    expect((await client.readResource({ uri: 'notes://today' })).contents).toHaveLength(1)
    expect(heard.toSorted()).toEqual(['prompts', 'prompts', 'resources', 'resources', 'tools', 'tools', 'tools'])
  })
})

test('a decision that changes nothing notifies no client', async () => {
  const { connection, heard } = await listening({ lane: 'in-memory', era: 'legacy' })
  await using _ = connection
  const { catalog } = connection.server
  catalog.enable('add')
  catalog.disable('add')
  catalog.enable('add')
  await turn()
  heard.length = 0
  catalog.enable({ tags: ['admin'] })
  catalog.disable('audit')
  catalog.disable('audit')
  await turn()
  expect(heard).toEqual(['tools'])
})

test('only callers who may see a feature are notified when it is disabled', async () => {
  const server = await createServer({ ...options, authorization: { default: 'anonymous' } })
  server.catalog.addTool({ name: 'secret', authorize: { roles: ['Admin'] }, handler: () => '' })
  await turn()
  await using client = openRawClient(server)
  await client.initialize('2025-11-25')
  server.catalog.disable('secret')
  await turn()
  server.catalog.disable('review')
  expect((await client.next()).method).toBe('notifications/prompts/list_changed')
  await server.close()
})

test('a disabled feature with a rule answers like an unknown one, also for callers without the role', async () => {
  const server = await createServer({ ...options, authorization: { default: 'anonymous' } })
  server.catalog.addTool({ name: 'secret', authorize: { roles: ['Admin'] }, handler: () => '' })
  await expect(server.callTool('secret')).rejects.toThrow('Unauthorized')
  server.catalog.disable('secret')
  await expect(server.callTool('secret')).rejects.toThrow('Unknown tool: secret')
  await server.close()
})

test('the latest decision applies, by name or by tag, also to features that are added later', async () => {
  const server = await createServer(options)
  const { catalog } = server
  const names = async (): Promise<string[]> => (await server.listTools()).map(({ name }) => name)
  catalog.disable({ tags: ['admin'] })
  catalog.enable('audit')
  catalog.addTool({ name: 'purge', tags: ['admin'], handler: () => '' })
  expect(await names()).toEqual(['add', 'audit'])
  catalog.replace({ remove: { tools: ['audit', 'purge'] }, add: { tools: [{ name: 'purge', handler: () => '' }] } })
  expect(await names()).toEqual(['add', 'purge'])
  catalog.disable('purge')
  catalog.replace({ remove: { tools: ['purge'] }, add: { tools: [{ name: 'purge', handler: () => '' }] } })
  expect(await names()).toEqual(['add'])
  await server.close()
})

test('clients are not notified of a feature that is added or removed while it is disabled', async () => {
  const { connection, heard } = await listening({ lane: 'in-memory', era: 'legacy' })
  await using _ = connection
  const { catalog } = connection.server
  catalog.addTool({ name: 'draft', enabled: false, handler: () => '' })
  catalog.removeTool('draft')
  catalog.removePrompt('review')
  await until(() => heard.length > 0)
  expect(heard).toEqual(['prompts'])
})

test('features of sources are disabled like others', async () => {
  const server = await createServer({
    ...options,
    sources: [
      {
        name: 'remote',
        prepare: ({ catalog }) => {
          catalog.addTool({ name: 'remote_one', tags: ['remote'], handler: () => '' })
          catalog.addTool({ name: 'remote_two', tags: ['remote'], enabled: () => false, handler: () => '' })
        },
      },
    ],
  })
  server.catalog.disable({ tags: ['remote', 'audit'] })
  expect((await server.listTools()).map(({ name }) => name)).toEqual(['add', 'delete_all'])
  server.catalog.enable({ tags: ['remote'] })
  expect((await server.listTools()).map(({ name }) => name)).toEqual(['add', 'delete_all', 'remote_one'])
  await server.close()
})

test('subscribers of a disabled resource get no notifications until it is enabled', async () => {
  const server = await createServer(options)
  await using client = openRawClient(server)
  await client.initialize('2025-11-25')
  await client.request('resources/subscribe', { uri: 'notes://today' })
  server.catalog.disable('notes://today')
  expect((await client.next()).method).toBe('notifications/resources/list_changed')
  server.changes.resourceUpdated('notes://today')
  await turn()
  server.catalog.enable('notes://today')
  expect((await client.next()).method).toBe('notifications/resources/list_changed')
  server.changes.resourceUpdated('notes://today')
  expect(await client.next()).toMatchObject({ params: { uri: 'notes://today' } })
  await server.close()
})

test('a disabled template is not bypassed by a template that matches the same URIs', async () => {
  const server = await createServer(options)
  server.catalog.addResource({ uri: 'notes:///{+path}', name: 'open', handler: () => 'open' })
  server.catalog.disable('notes:///{day}')
  await expect(server.readResource('notes:///monday')).rejects.toThrow('Resource not found')
  await server.close()
})

test('unknown names and tags are rejected with the nearest name', async () => {
  const server = await createServer(options)
  const { catalog } = server
  const messages = [
    () => catalog.disable('audits'),
    () => catalog.enable({ tags: ['admin', 'admn'] }),
    () => catalog.disable({ tags: [] }),
    () => catalog.disable({ tag: ['admin'] } as never),
    () => catalog.disable(['add'] as never),
  ].map((run) => {
    try {
      run()
      return null
    } catch (error) {
      return (error as { diagnostics: { message: string }[] }).diagnostics.map(({ message }) => message)
    }
  })
  const tags = 'Give an array of at least one string.'
  expect(messages).toEqual([
    ["catalog.disable: no feature has the name 'audits'. Did you mean audit?"],
    ["catalog.enable: no feature has the tag 'admn'. Did you mean admin?"],
    [`catalog.disable: tags is an array. ${tags}`],
    ['catalog.disable: tag is not an option. Did you mean tags?', `catalog.disable: tags is undefined. ${tags}`],
    ["catalog.disable was given an array. Give a name, or tags: { tags: ['beta'] }."],
  ])
  expect((await server.listTools()).map(({ name }) => name)).toEqual(['add', 'audit', 'delete_all'])
  await server.close()
})

/** Copies messages as a bus between processes does, and delivers them later. */
class RemoteBus extends InProcessChangeBus {
  readonly sent: Change[] = []

  override publish(change: Change): void {
    this.sent.push(change)
    const text = JSON.stringify(change)
    setImmediate(() => super.publish(JSON.parse(text) as Change))
  }
}

async function toolsOf(server: Awaited<ReturnType<typeof createServer>>): Promise<string[]> {
  return (await server.listTools()).map(({ name }) => name)
}

describe('nodes that share a bus', () => {
  test('disable the same features, and notify the clients of all nodes once', async () => {
    const changeBus = new RemoteBus()
    const [one, two] = await Promise.all([
      createServer({ ...options, changeBus }),
      createServer({ ...options, changeBus }),
    ])
    await using client = openRawClient(two)
    await client.initialize('2025-11-25')
    one.catalog.disable({ tags: ['admin'] })
    const told = new Set([(await client.next()).method, (await client.next()).method])
    expect(told).toEqual(new Set(['notifications/tools/list_changed', 'notifications/prompts/list_changed']))
    expect(await toolsOf(two)).toEqual(['add'])
    two.catalog.enable('audit')
    expect((await client.next()).method).toBe('notifications/tools/list_changed')
    await turn()
    two.catalog.disable('notes://today')
    expect((await client.next()).method).toBe('notifications/resources/list_changed')
    expect(await toolsOf(one)).toEqual(['add', 'audit'])
    await Promise.all([one.close(), two.close()])
  })

  test('agree after contrary decisions at the same time', async () => {
    const changeBus = new RemoteBus()
    const [one, two] = await Promise.all([
      createServer({ ...options, changeBus }),
      createServer({ ...options, changeBus }),
    ])
    one.catalog.disable('add')
    two.catalog.disable({ tags: ['audit'] })
    two.catalog.enable('add')
    one.catalog.enable({ tags: ['audit'] })
    await turn()
    await turn()
    expect(await toolsOf(one)).toEqual(await toolsOf(two))
    await Promise.all([one.close(), two.close()])
  })

  test('give their decisions to a node that starts later, whose own decisions at boot are older', async () => {
    const changeBus = new RemoteBus()
    const one = await createServer({ ...options, changeBus })
    await using client = openRawClient(one)
    await client.initialize('2025-11-25')
    one.catalog.disable('audit')
    expect((await client.next()).method).toBe('notifications/tools/list_changed')
    const two = await createServer({
      ...options,
      changeBus,
      onReady: ({ catalog }) => {
        catalog.enable('audit')
        catalog.disable('delete_all')
      },
    })
    await turn()
    await turn()
    expect(await toolsOf(two)).toEqual(['add'])
    expect(await toolsOf(one)).toEqual(['add', 'delete_all'])
    // The start of a node notifies no clients of other nodes.
    one.catalog.disable('review')
    expect((await client.next()).method).toBe('notifications/prompts/list_changed')
    await Promise.all([one.close(), two.close()])
  })

  test('repeat their decisions after messages could have been lost', async () => {
    const changeBus = new RemoteBus()
    const [one, two] = await Promise.all([
      createServer({ ...options, changeBus }),
      createServer({ ...options, changeBus }),
    ])
    await turn()
    const publish = changeBus.publish.bind(changeBus)
    changeBus.publish = () => undefined
    one.catalog.disable('audit')
    await turn()
    expect(await toolsOf(two)).toEqual(['add', 'audit', 'delete_all'])
    changeBus.publish = publish
    await using client = openRawClient(two)
    await client.initialize('2025-11-25')
    changeBus.gap()
    expect((await client.next()).method).toBe('notifications/tools/list_changed')
    expect(await toolsOf(two)).toEqual(['add', 'delete_all'])
    await Promise.all([one.close(), two.close()])
  })
})
