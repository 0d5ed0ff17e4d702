// Legacy clients that announce changes of their roots are asked once, and again after each change.
import type { ServerOptions } from '@toolwright/server'
import { connect, type LaneName, type TestConnection } from '@toolwright/testing'

const options: ServerOptions = { name: 'test', version: '1.0.0', controllers: [] }
const laneNames: readonly LaneName[] = ['in-memory', 'stdio', 'http', 'websocket']
const announcing = { roots: { listChanged: true } }

/** A client with folders, and a tool that lists the folders. */
class Asking implements AsyncDisposable {
  requests = 0
  roots: unknown = [{ uri: 'file:///home/ada' }]

  private constructor(readonly connection: TestConnection) {
    connection.client.setRequestHandler('roots/list', () => {
      this.requests++
      return { roots: this.roots } as never
    })
  }

  static async open(...[lane, capabilities, era]: Parameters<typeof connectAsking>): Promise<Asking> {
    return new Asking(await connectAsking(lane, capabilities, era))
  }

  async list(): Promise<unknown> {
    const { content } = await this.connection.client.callTool({ name: 'folders' })
    return (content[0] as { text: string }).text
  }

  async change(...uris: readonly string[]): Promise<void> {
    this.roots = uris.map((uri) => ({ uri }))
    await this.connection.client.sendRootsListChanged()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close()
  }
}

async function connectAsking(
  lane: LaneName,
  capabilities: object = announcing,
  era: 'legacy' | 'modern' = 'legacy',
): Promise<TestConnection> {
  const connection = await connect(options, { lane, era, client: { capabilities } })
  connection.server.catalog.addTool({
    name: 'folders',
    handler: async (_args: unknown, context) => {
      const roots = await context.listRoots()
      const uris = roots.map(({ uri }) => uri).join(' ')
      // A handler that changes its result must not change the result of other calls.
      for (const root of roots) Object.assign(root, { uri: 'changed' })
      return uris
    },
  })
  return connection
}

describe.each(laneNames)('the roots of a legacy client over %s', (lane) => {
  it('are requested once for 20 calls', async () => {
    await using asking = await Asking.open(lane)
    const listed = new Set<unknown>()
    // oxlint-disable-next-line no-await-in-loop -- one call after the other
    for (let count = 0; count < 20; count++) listed.add(await asking.list())
    expect([...listed, asking.requests]).toEqual(['file:///home/ada', 1])
  })

  it('are requested again after each change', async () => {
    await using asking = await Asking.open(lane)
    expect(await asking.list()).toBe('file:///home/ada')
    await asking.change('file:///home/bob')
    expect([await asking.list(), await asking.list()]).toEqual(['file:///home/bob', 'file:///home/bob'])
    await asking.change()
    expect([await asking.list(), await asking.list(), asking.requests]).toEqual(['', '', 3])
  })

  it('are requested by each call if the client does not announce changes', async () => {
    await using asking = await Asking.open(lane, { roots: {} })
    await asking.list()
    asking.roots = [{ uri: 'file:///home/bob' }]
    expect([await asking.list(), asking.requests]).toEqual(['file:///home/bob', 2])
  })

  it('are requested again after an invalid answer', async () => {
    await using asking = await Asking.open(lane)
    asking.roots = 7
    expect(await asking.list()).toMatch(/^Tool 'folders' failed|roots/)
    asking.roots = [{ uri: 'file:///home/ada' }]
    expect([await asking.list(), asking.requests]).toEqual(['file:///home/ada', 2])
  })

  it('are requested by each call if the list is too long to keep', async () => {
    await using asking = await Asking.open(lane)
    asking.roots = Array.from({ length: 500 }, (_root, index) => ({ uri: `file:///home/ada/projects/number-${index}` }))
    await asking.list()
    await asking.list()
    expect(asking.requests).toBe(2)
  })
})

test('a modern client has no session, and is asked by each call', async () => {
  await using asking = await Asking.open('http', announcing, 'modern')
  expect([await asking.list(), await asking.list(), asking.requests]).toEqual([
    'file:///home/ada',
    'file:///home/ada',
    2,
  ])
})
