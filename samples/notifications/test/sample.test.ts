import { ProgressNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import {
  type ConnectedSample,
  call,
  connectOlderClient,
  connectSample,
  programLanes,
  progressIn,
} from '../../../test/support/sample.js'
import { until } from '../../../test/support/until.js'

const loaf = (text: string) => ({ content: [{ type: 'text', text }] })
const minutes = [1, 2, 3].map((minute) => ({ progress: minute, total: 3, message: `minute ${minute}` }))

/** The log messages since the last call. */
function logIn(sample: ConnectedSample, since: number): readonly object[] {
  return sample.received
    .slice(since)
    .flatMap((message) =>
      'method' in message && message.method === 'notifications/message' ? [message.params ?? {}] : [],
    )
}

describe.each(programLanes)('notifications over $lane, $era', (lane) => {
  let sample: ConnectedSample

  beforeAll(async () => {
    sample = await connectSample('notifications', lane)
  })
  afterAll(() => sample.close())

  /** Bakes with the log level of its era: of the connection, or of the request. */
  async function bake(level: 'debug' | 'warning' | 'error') {
    const { client, received } = sample
    const since = received.length
    if (lane.era === 'legacy') await client.setLoggingLevel(level)
    const _meta = lane.era === 'modern' ? { 'io.modelcontextprotocol/logLevel': level } : {}
    const result = await client.callTool({ name: 'bake', arguments: { minutes: 3 }, _meta })
    return { result, log: logIn(sample, since) }
  }

  const cold = { level: 'warning', logger: 'oven', data: { degrees: 20, problem: 'The oven is too cold' } }

  it('sends the log messages of the requested level and above', async () => {
    const { result, log } = await bake('warning')
    expect(result).toMatchObject(loaf('A pale loaf'))
    expect(log).toEqual([cold])
    expect((await bake('error')).log).toEqual([])
    expect((await bake('debug')).log).toEqual([
      cold,
      ...[1, 2, 3].map((minute) => ({ level: 'debug', logger: 'oven', data: { minute } })),
    ])
  })

  it('reports progress, which only increases', async () => {
    const since = sample.received.length
    const params = { name: 'bake', arguments: { minutes: 3 } }
    await sample.client.callTool(params, { onprogress: () => undefined })
    expect(progressIn(sample.received.slice(since))).toEqual(
      minutes.map((update) => expect.objectContaining(update) as object),
    )
  })

  it('notifies subscribers of the oven when it is heated, once for each change', async () => {
    const { client } = sample
    const heard: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
    const uri = 'bakery://oven'
    if (lane.era === 'modern') await client.listen({ resourceSubscriptions: [uri] })
    else await client.subscribeResource({ uri })
    await call(client, 'heat', { degrees: 220 })
    await until(() => heard.length === 1)
    await call(client, 'heat', { degrees: 200 })
    await until(() => heard.length === 2)
    expect(heard).toEqual([uri, uri])
    expect((await client.readResource({ uri })).contents).toEqual([
      { uri, mimeType: 'text/plain', text: '200 degrees' },
    ])
    expect(await call(client, 'bake', { minutes: 1 })).toEqual(loaf('A brown loaf'))
  })

  it('notifies subscribers of a changed tool list, and of no other list', async () => {
    const { client, received, close } = await connectSample('notifications', lane)
    const names = async () => (await client.listTools()).tools.map(({ name }) => name)
    let told = 0
    client.setNotificationHandler('notifications/tools/list_changed', () => void told++)
    const subscription = lane.era === 'modern' ? await client.listen({ toolsListChanged: true }) : null
    await call(client, 'begin_december')
    await until(() => told === 1)
    expect(await names()).toContain('bake_stollen')
    await call(client, 'end_december')
    await until(() => told === 2)
    expect(await names()).not.toContain('bake_stollen')
    await subscription?.close()
    expect(received.filter((message) => 'method' in message && message.method.endsWith('/updated'))).toEqual([])
    await close()
  })
})

it('notifications serves the version 1 client, too', async () => {
  const { client, close } = await connectOlderClient('notifications')
  const updates: object[] = []
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => void updates.push(params))
  const params = { name: 'bake', arguments: { minutes: 3 }, _meta: { progressToken: 'loaf' } }
  expect(await client.callTool(params)).toEqual(loaf('A pale loaf'))
  await until(() => updates.length === 3)
  expect(updates).toEqual(minutes.map((update) => ({ progressToken: 'loaf', ...update })))
  await close()
})
