// Features that the official suite does not cover, on every lane and in each era that has them.
import { audio, McpContext, McpPrompt, McpResource, McpTool, resourceLink, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect, type Lane, lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { until } from '../../../../test/support/until.js'
import { legacyVersions } from '../protocol/client.js'

const Value = Type.Object({ value: Type.Integer() })

class Features {
  @McpTool()
  media(): object[] {
    return [audio('AAAA', 'audio/wav'), resourceLink('notes://today', 'today')]
  }

  @McpTool({ input: Value, output: Type.Array(Type.Integer()) })
  list({ value }: { value: number }): number[] {
    return [value]
  }

  @McpTool()
  trace({ meta }: McpContext): string {
    return JSON.stringify([meta['traceparent'], meta['tracestate'], meta['baggage']])
  }

  @McpTool({ input: Value })
  async ask(_args: { value: number }, context: McpContext): Promise<string> {
    // Stores a step result: without it, there is no request state.
    await context.step('before', () => 'done')
    const { action } = await context.elicit({
      key: 'sure',
      message: 'Sure?',
      schema: Type.Object({ ok: Type.Boolean() }),
    })
    return action
  }

  @McpPrompt()
  first(): string {
    return 'first'
  }

  @McpPrompt()
  second(): string {
    return 'second'
  }

  @McpResource('notes://today')
  today(): string {
    return 'today'
  }

  @McpResource('notes://tomorrow')
  tomorrow(): string {
    return 'tomorrow'
  }

  @McpResource('days://{day}')
  day({ day }: { day: string }): string {
    return day
  }

  @McpResource('weeks://{week}')
  week({ week }: { week: string }): string {
    return week
  }
}

const options = { name: 'test', version: '1', controllers: [Features] }
const modernLanes = lanes.filter(({ era }) => era === 'modern')
const legacyLanes = lanes.filter(({ era }) => era === 'legacy')
const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 30))

const inEachRevision = legacyLanes.flatMap((lane) => legacyVersions.map((version) => ({ ...lane, version })))

describe.each(inEachRevision)('$version over $lane', ({ version, ...lane }) => {
  const connectInVersion = () => connect(options, { ...lane, client: { supportedProtocolVersions: [version] } })

  it('is negotiated with a client that requests it', async () => {
    await using connection = await connectInVersion()
    expect(connection.client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await connection.client.listTools()).tools.map(({ name }) => name)).toEqual([
      'ask',
      'list',
      'media',
      'trace',
    ])
  })

  it('sends supported content, and a line of text for other content', async () => {
    await using connection = await connectInVersion()
    const { content } = await connection.client.callTool({ name: 'media' })
    expect((content as { type: string }[]).map(({ type }) => type)).toEqual([
      version === '2024-11-05' ? 'text' : 'audio',
      version < '2025-06-18' ? 'text' : 'resource_link',
    ])
  })

  it('sends no structured content that is not an object', async () => {
    await using connection = await connectInVersion()
    const { content, structuredContent } = await connection.client.callTool({ name: 'list', arguments: { value: 1 } })
    expect({ content, structuredContent }).toEqual({ content: [{ type: 'text', text: '[1]' }] })
  })
})

describe.each(lanes)('trace context over $lane, $era', (lane) => {
  it('reaches the handler unchanged', async () => {
    await using connection = await connect(options, lane)
    const values = ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'vendor=1', 'user=ada']
    const [traceparent, tracestate, baggage] = values
    const _meta = { traceparent, tracestate, baggage }
    expect(await connection.client.callTool({ name: 'trace', _meta })).toMatchObject({
      content: [{ type: 'text', text: JSON.stringify(values) }],
    })
  })
})

describe.each(modernLanes)('caching hints over $lane', (lane) => {
  it('are the same on every page of every list', async () => {
    const cache = { ttlMs: 7000, cacheScope: 'public' } as const
    await using connection = await connect({ ...options, pageSize: 1, cache }, lane)
    const { client } = connection
    const page = async (method: string, cursor?: string) => {
      const params = cursor === undefined ? {} : { cursor }
      return (await client.request({ method, params } as never)) as Record<string, unknown>
    }
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      // oxlint-disable-next-line no-await-in-loop
      const first = await page(method)
      // oxlint-disable-next-line no-await-in-loop
      const second = await page(method, String(first['nextCursor']))
      for (const { ttlMs, cacheScope } of [first, second]) {
        expect([method, ttlMs, cacheScope]).toEqual([method, 7000, 'public'])
      }
    }
  })
})

describe.each(modernLanes)('requestState over $lane', (lane) => {
  const capabilities = { elicitation: { form: {} } }

  it.each([
    ['belongs to other arguments', (state: string) => ({ requestState: state, arguments: { value: 2 } })],
    ['belongs to another tool', (state: string) => ({ requestState: state, name: 'trace', arguments: {} })],
    ['was changed', (state: string) => ({ requestState: `${state.slice(0, -4)}AAAA` })],
    ['is malformed', () => ({ requestState: 'x' })],
  ])('is rejected when it %s', async (_what, spoil) => {
    await using connection = await connect(options, {
      ...lane,
      client: { capabilities, inputRequired: { autoFulfill: false } },
    })
    const { client } = connection
    const ask = (params: object) =>
      client.request(
        { method: 'tools/call', params: { name: 'ask', arguments: { value: 1 }, ...params } } as never,
        {
          allowInputRequired: true,
        } as never,
      ) as Promise<Record<string, unknown>>
    const { requestState } = await ask({})
    expect(requestState).toEqual(expect.any(String))
    await expect(ask(spoil(String(requestState)))).rejects.toMatchObject({ code: -32602 })
  })
})

describe.each(lanes)('changes over $lane, $era', (lane) => {
  async function hear(served: Awaited<ReturnType<typeof createServer>>, to: Lane) {
    const connection = await connect(served, to)
    const heard: string[] = []
    const { client } = connection
    client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'))
    client.setNotificationHandler('notifications/resources/list_changed', () => void heard.push('resources'))
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
    return { connection, client, heard }
  }

  it('are sent to each client that subscribed to them', async () => {
    const server = await createServer({ ...options, logger: pino({ enabled: false }) as never })
    const clients = await Promise.all([hear(server, lane), hear(server, lane), hear(server, lane)])
    const [a, b, c] = clients
    const watch = (one: typeof a, uri: string) =>
      lane.era === 'modern'
        ? one.client.listen({ resourceSubscriptions: [uri] })
        : one.client.subscribeResource({ uri })
    // Two subscriptions of one client, one of another, none of the third.
    await watch(a, 'notes://today')
    await watch(a, 'notes://tomorrow')
    await watch(b, 'notes://tomorrow')
    if (lane.era === 'modern') await a.client.listen({ toolsListChanged: true, resourcesListChanged: true })
    // The stream of a session is opened in the background.
    await settled()

    server.changes.resourceUpdated('notes://today')
    server.changes.resourceUpdated('notes://tomorrow')
    server.catalog.addTool({ name: 'late', handler: () => '' })
    server.catalog.removeResource('weeks://{week}')
    await until(() => a.heard.length === 4 && b.heard.length >= 1)
    await settled()

    const lists = ['resources', 'tools']
    const unasked = lane.era === 'legacy' ? lists : []
    expect(a.heard.toSorted()).toEqual(['notes://today', 'notes://tomorrow', ...lists])
    expect(b.heard.toSorted()).toEqual(['notes://tomorrow', ...unasked])
    expect(c.heard.toSorted()).toEqual(unasked)
    await Promise.all(clients.map(({ connection }) => connection.close()))
    await server.close()
  })

  it('are not sent after the client has ended its subscription', async () => {
    const server = await createServer({ ...options, logger: pino({ enabled: false }) as never })
    const { connection, client, heard } = await hear(server, lane)
    const uri = 'notes://today'
    if (lane.era === 'modern') await (await client.listen({ resourceSubscriptions: [uri] })).close()
    else {
      await client.subscribeResource({ uri })
      await client.unsubscribeResource({ uri })
    }
    await settled()
    server.changes.resourceUpdated(uri)
    await settled()
    expect(heard).toEqual([])
    await connection.close()
    await server.close()
  })
})
