import {
  type ConnectedSample,
  call,
  connectOlderClient,
  connectSample,
  programLanes,
} from '../../../test/support/sample.js'
import { until } from '../../../test/support/until.js'

const exhibit = (uri: string, title: string, year: number) => ({
  uri,
  mimeType: 'application/json',
  text: JSON.stringify({ title, year }),
})

const engine = exhibit('museum://exhibits/1', 'Difference Engine', 1832)

describe.each(programLanes)('resources over $lane, $era', (lane) => {
  let sample: ConnectedSample

  beforeAll(async () => {
    sample = await connectSample('resources', lane)
  })
  afterAll(() => sample.close())

  it('lists resources and templates', async () => {
    const { resources } = await sample.client.listResources()
    expect(resources).toEqual([
      {
        uri: 'museum://opening-hours',
        name: 'opening_hours',
        title: 'Opening hours',
        annotations: { audience: ['user'], priority: 0.8 },
      },
      {
        uri: 'museum://ticket',
        name: 'ticket',
        title: 'Ticket',
        mimeType: 'application/x-ticket',
        size: 10,
      },
      { uri: 'museum://tour', name: 'tour', title: 'A tour: all exhibits in one go' },
    ])
    const { resourceTemplates } = await sample.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'museum://exhibits/{number}',
      'museum://rooms/{room}/visitors{?language}',
    ])
  })

  it.each([
    ['museum://opening-hours', { mimeType: 'text/plain', text: 'Tuesday to Sunday, 10 to 18' }],
    ['museum://ticket', { mimeType: 'application/x-ticket', blob: Buffer.from('Admit one\n').toString('base64') }],
    ['museum://exhibits/1', engine],
    ['museum://rooms/looms/visitors?language=de', { mimeType: 'text/plain', text: '0 Besucher' }],
  ])('reads %s', async (uri, contents) => {
    expect((await sample.client.readResource({ uri })).contents).toEqual([{ uri, ...contents }])
  })

  it('returns several contents for one read', async () => {
    const { contents } = await sample.client.readResource({ uri: 'museum://tour' })
    expect(contents).toEqual([
      engine,
      exhibit('museum://exhibits/2', 'Analytical Engine', 1837),
      exhibit('museum://exhibits/12', 'Jacquard loom', 1804),
    ])
  })

  it.each(['museum://exhibits/3', 'museum://exhibits/0', 'museum://exhibits/first', 'museum://rooms/attic/visitors'])(
    'does not find %s',
    async (uri) => {
      // In the legacy era the code is -32002, which the client maps to the modern code.
      await expect(sample.client.readResource({ uri })).rejects.toMatchObject({ code: -32602, data: { uri } })
    },
  )

  it('completes the variables of a template', async () => {
    const { completion } = await sample.client.complete({
      ref: { type: 'ref/resource', uri: 'museum://exhibits/{number}' },
      argument: { name: 'number', value: '1' },
    })
    expect(completion).toEqual({ values: ['1', '12'], total: 2, hasMore: false })
  })

  it('notifies subscribers of a room about its visitors, and not about other rooms', async () => {
    const heard: string[] = []
    const { client } = sample
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
    const uri = 'museum://rooms/engines/visitors'
    if (lane.era === 'modern') await client.listen({ resourceSubscriptions: [uri] })
    else await client.subscribeResource({ uri })
    expect(await call(client, 'enter', { room: 'looms' })).toEqual({ content: [{ type: 'text', text: '1 in looms' }] })
    await call(client, 'enter', { room: 'engines' })
    await until(() => heard.length > 0)
    expect(heard).toEqual([uri])
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType: 'text/plain', text: '1 visitors' }])
  })

  it('adds and removes resources while it runs, and clients are notified', async () => {
    const { client, close } = await connectSample('resources', lane)
    const uri = 'museum://pictures/sunflowers'
    const has = async () => (await client.listResources()).resources.some((resource) => resource.uri === uri)
    let told = 0
    client.setNotificationHandler('notifications/resources/list_changed', () => void told++)
    if (lane.era === 'modern') await client.listen({ resourcesListChanged: true })
    expect(await has()).toBe(false)
    await call(client, 'hang', { name: 'sunflowers' })
    await until(() => told === 1)
    expect(await has()).toBe(true)
    expect((await client.readResource({ uri })).contents).toEqual([
      { uri, mimeType: 'text/plain', text: 'A picture called sunflowers' },
    ])
    expect(await call(client, 'hang', { name: 'sunflowers' })).toMatchObject({ isError: true })
    await call(client, 'take_down', { name: 'sunflowers' })
    await until(() => told === 2)
    expect(await has()).toBe(false)
    await close()
  })
})

it('resources serves the version 1 client, too', async () => {
  const { client, close } = await connectOlderClient('resources')
  expect((await client.listResources()).resources).toHaveLength(3)
  expect((await client.readResource({ uri: 'museum://exhibits/1' })).contents).toEqual([engine])
  await close()
})
