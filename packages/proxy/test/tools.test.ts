import { connect } from '@toolwright/testing'
import { until } from '../../../test/support/until.js'
import { combinations, connectThrough } from './support/serve.js'
import { waiting, weather } from './support/weather.js'

describe.each(combinations)('tools of a $upstream upstream for a $client client', (era) => {
  test('are listed with the prefix, and otherwise as the upstream lists them', async () => {
    await using chain = await connectThrough(weather, { era })
    await using direct = await connect(chain.upstream.server, { era: era.upstream })
    const { tools: own } = await direct.client.listTools()
    const { tools } = await chain.client.listTools()
    const expected = own.map((tool) => ({ ...tool, name: `up_${tool.name}` }))
    const shown = tools.map(({ _meta, ...tool }) =>
      tool.name === 'up_show' ? tool : { ...tool, ...(_meta && { _meta }) },
    )
    const wanted = expected.map(({ _meta, ...tool }) =>
      tool.name === 'up_show' ? tool : { ...tool, ...(_meta && { _meta }) },
    )
    expect(shown).toEqual(wanted)
    expect(tools.find(({ name }) => name === 'up_show')?._meta).toEqual({ ui: { resourceUri: 'ui://up/page' } })
  })

  test('return the result of the upstream', async () => {
    await using chain = await connectThrough(weather, { era })
    const { structuredContent, content } = await chain.client.callTool({
      name: 'up_forecast',
      arguments: { city: 'Lisbon' },
    })
    expect(structuredContent).toEqual({ city: 'Lisbon', celsius: 21 })
    expect(content).toEqual([{ type: 'text', text: '{"city":"Lisbon","celsius":21}' }])
  })

  test('return errors without checking them', async () => {
    await using chain = await connectThrough(weather, { era })
    const failed = await chain.client.callTool({ name: 'up_forecast', arguments: { city: 'Atlantis' } })
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'There is no weather in Atlantis.' }] })
    const picture = await chain.client.callTool({ name: 'up_broken_picture' })
    expect(picture).toMatchObject({ isError: true, content: [{ type: 'image', mimeType: 'image/png' }] })
    const invalid = await chain.client.callTool({ name: 'up_forecast' })
    expect(invalid).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("'city'") }] })
  })

  test('report progress', async () => {
    await using chain = await connectThrough(weather, { era })
    const seen: unknown[] = []
    const onprogress = ({
      progress,
      total,
      message,
    }: object & { progress: number; total?: number; message?: string }) => void seen.push([progress, total, message])
    await chain.client.callTool({ name: 'up_steps' }, { onprogress })
    expect(seen).toEqual([
      [1, 3, 'first'],
      [2, 3, 'second'],
    ])
  })

  test('are cancelled with the call', async () => {
    await using chain = await connectThrough(weather, { era })
    const stop = new AbortController()
    const call = chain.client.callTool({ name: 'up_wait' }, { signal: stop.signal })
    await Promise.all([
      expect(call).rejects.toThrow('abort'),
      until(() => waiting.count === 1).then(() => stop.abort()),
    ])
    await until(() => waiting.count === 0)
  })

  test('end at the time limit of the tool', async () => {
    await using chain = await connectThrough(weather, { era, tool: () => ({ timeoutMs: 50 }) })
    const late = await chain.client.callTool({ name: 'up_wait' })
    expect(late).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('0.05 seconds') }] })
    await until(() => waiting.count === 0)
  })

  test('end at the time limit of the upstream', async () => {
    await using chain = await connectThrough(weather, { era, timeoutMs: 50 })
    const late = await chain.client.callTool({ name: 'up_wait' })
    expect(late).toMatchObject({ content: [{ text: "The server 'up' did not answer within 50 ms." }] })
    await until(() => waiting.count === 0)
  })

  test('get the _meta of the caller, and return their own', async () => {
    await using chain = await connectThrough(weather, { era })
    const { content, _meta } = await chain.client.callTool({
      name: 'up_echo_meta',
      _meta: { traceparent: '00-1', progressToken: 7 },
    })
    const received = JSON.parse((content as { text: string }[])[0]?.text ?? '') as object
    expect(received).toMatchObject({ traceparent: '00-1', 'toolwright/hops': 1 })
    expect(_meta).toMatchObject({ 'example/back': 1 })
  })

  test('send log messages to the caller at the level of the caller', async () => {
    await using chain = await connectThrough(weather, { era })
    const seen: unknown[] = []
    chain.client.setNotificationHandler('notifications/message', ({ params }) => void seen.push(params))
    const _meta = era.client === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'info' } : {}
    await chain.client.callTool({ name: 'up_log', _meta })
    expect(seen).toEqual([{ level: 'warning', data: { wind: 'strong' }, logger: 'weather' }])
  })
})

test('tools of a proxy are listed again when the upstream changes', async () => {
  await using chain = await connectThrough(weather)
  chain.upstream.server.catalog.addTool({ name: 'new', description: 'New', handler: () => 'new' })
  chain.upstream.server.catalog.removeTool('steps')
  await until(() => chain.front.server.catalog.tools.get('up_new') !== undefined)
  await until(() => chain.front.server.catalog.tools.get('up_steps') === undefined)
  expect(await chain.client.callTool({ name: 'up_new' })).toMatchObject({ content: [{ text: 'new' }] })
})
