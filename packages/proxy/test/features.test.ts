import { connect } from '@toolwright/testing'
import { until } from '../../../test/support/until.js'
import { serveFake } from '../../client/test/support/fake-server.js'
import { combinations, connectThrough, quiet, serveFront, serveUpstream } from './support/serve.js'
import { notes, weather } from './support/weather.js'

describe.each(combinations)('a $upstream upstream behind a proxy, for a $client client,', (era) => {
  test('has its prompts, with their arguments', async () => {
    await using chain = await connectThrough(weather, { era })
    const { prompts } = await chain.client.listPrompts()
    expect(prompts).toEqual([
      {
        name: 'up_plan',
        title: 'Plan a trip',
        arguments: [
          { name: 'city', description: 'Where to', required: true },
          { name: 'days', required: false },
        ],
      },
    ])
    const got = await chain.client.getPrompt({ name: 'up_plan', arguments: { city: 'Rome', days: '2' } })
    expect(got.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Plan 2 days in Rome' } }])
  })

  test('has its resources under URIs with its name', async () => {
    await using chain = await connectThrough(weather, { era })
    const { resources } = await chain.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['notes:up/today', 'ui://up/page'])
    expect(resources[0]).toEqual({
      uri: 'notes:up/today',
      name: 'today',
      title: 'today (up)',
      description: 'The note of today',
      mimeType: 'text/plain',
      annotations: { priority: 0.5 },
    })
    const read = await chain.client.readResource({ uri: 'notes:up/today' })
    expect(read.contents).toEqual([{ uri: 'notes:up/today', mimeType: 'text/plain', text: 'bring an umbrella' }])
  })

  test('has its templates, also with paths and queries', async () => {
    await using chain = await connectThrough(weather, { era })
    const { resourceTemplates } = await chain.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'notes://up/{year}/{+path}',
      'search://up/notes{?q}',
    ])
    const read = async (uri: string) => (await chain.client.readResource({ uri })).contents
    expect(await read('notes://up/2026/a/b')).toEqual([
      { uri: 'notes://up/2026/a/b', mimeType: 'text/plain', text: '2026: a/b' },
    ])
    expect(await read('search://up/notes?q=sun%20shine')).toMatchObject([{ text: 'found sun shine' }])
  })

  test('has an error for a resource that does not exist', async () => {
    await using chain = await connectThrough(weather, { era })
    chain.upstream.server.catalog.addResource({ uri: 'gone://{id}', name: 'gone', handler: () => undefined })
    await until(() => chain.front.server.catalog.resourceTemplates.get('gone://up/{id}') !== undefined)
    const failed: unknown = await chain.client.readResource({ uri: 'gone://up/5' }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ message: 'Resource not found', data: { uri: 'gone://up/5' } })
  })

  test('has its completions', async () => {
    await using chain = await connectThrough(weather, { era })
    const complete = async (ref: Parameters<typeof chain.client.complete>[0]['ref'], name: string, value: string) =>
      (await chain.client.complete({ ref, argument: { name, value } })).completion.values
    expect(await complete({ type: 'ref/prompt', name: 'up_plan' }, 'city', 'Li')).toEqual(['Lisbon'])
    const ref = { type: 'ref/resource', uri: 'notes://up/{year}/{+path}' } as const
    expect(await complete(ref, 'year', '2026')).toEqual(['2026'])
  })

  test('has links and pages that this server can read', async () => {
    await using chain = await connectThrough(weather, { era })
    const { content } = await chain.client.callTool({ name: 'up_link' })
    expect(content).toEqual([
      { type: 'resource_link', uri: 'notes:up/today', name: 'today' },
      { type: 'resource', resource: { uri: 'notes://up/2026/1', text: 'sunny' } },
      { type: 'resource_link', uri: 'https://weather.example/today', name: 'page' },
    ])
    const { tools } = await chain.client.listTools()
    const shown = tools.find(({ name }) => name === 'up_show') as { _meta: { ui: { resourceUri: string } } } | undefined
    const page = String(shown?._meta.ui.resourceUri)
    const { contents } = await chain.client.readResource({ uri: page })
    expect(contents).toMatchObject([{ uri: page, mimeType: 'text/html;profile=mcp-app', text: '<p>forecast</p>' }])
  })
})

describe.each(['modern', 'legacy'] as const)('a changed resource of a %s upstream', (upstream) => {
  test('is reported to subscribers under the URI of this server', async () => {
    await using chain = await connectThrough(weather, { era: { client: 'legacy', upstream } })
    const seen: string[] = []
    chain.client.setNotificationHandler('notifications/resources/updated', ({ params }) => void seen.push(params.uri))
    await chain.client.subscribeResource({ uri: 'notes:up/today' })
    await until(() => {
      notes.changed()
      return seen.length > 0
    })
    expect(seen[0]).toBe('notes:up/today')
  })
})

test('resources say which upstream they come from, in their titles', async () => {
  await using upstream = await serveUpstream({
    onReady: ({ catalog }) => {
      catalog.addResource({ uri: 'notes:a', name: 'plain', handler: () => 'a' })
      catalog.addResource({ uri: 'notes:b', name: 'titled', title: 'My notes', handler: () => 'b' })
      catalog.addResource({ uri: 'notes://{day}', name: 'template', title: 'Notes of a day', handler: () => 'c' })
    },
  })
  await using front = await serveFront({ a: { url: upstream.url }, b: { url: upstream.url } })
  await using connection = await connect(front.server)
  const { resources } = await connection.client.listResources()
  const { resourceTemplates } = await connection.client.listResourceTemplates()
  expect([...resources, ...resourceTemplates].map(({ name, title }) => `${name}: ${title}`)).toEqual([
    'plain: plain (a)',
    'titled: My notes (a)',
    'plain: plain (b)',
    'titled: My notes (b)',
    'template: Notes of a day (a)',
    'template: Notes of a day (b)',
  ])
})

test('all contents of a resource are passed on, with their types and _meta', async () => {
  await using fake = await serveFake(({ method, params }) => {
    if (method === 'initialize')
      return {
        protocolVersion: '2025-11-25',
        capabilities: { resources: {} },
        serverInfo: { name: 'fake', version: '1.0.0' },
      }
    if (method === 'resources/list') return { resources: [{ uri: 'files:all', name: 'all' }] }
    if (method === 'resources/templates/list') return { resourceTemplates: [] }
    if (method !== 'resources/read') return undefined
    expect(params).toMatchObject({ uri: 'files:all' })
    return {
      contents: [
        { uri: 'files:1', mimeType: 'text/plain', text: 'one', _meta: { 'example/part': 1 } },
        { uri: 'files:2', mimeType: 'image/png', blob: 'AAAA' },
      ],
      _meta: { 'example/whole': true },
    }
  })
  await using front = await serveFront({ up: { url: fake.url } })
  await using connection = await connect(front.server)
  const { contents, _meta } = await connection.client.readResource({ uri: 'files:up/all' })
  expect(contents).toEqual([
    { uri: 'files:up/1', mimeType: 'text/plain', text: 'one', _meta: { 'example/part': 1 } },
    { uri: 'files:up/2', mimeType: 'image/png', blob: 'AAAA' },
  ])
  expect(_meta).toMatchObject({ 'example/whole': true })
})

test('capabilities of an upstream are not those of the server, and decide what is offered', async () => {
  const capabilities = {
    prompts: {},
    logging: {},
    experimental: { 'example/secret': {} },
    extensions: { 'example/extension': {} },
  }
  await using fake = await serveFake(({ method }) => {
    if (method === 'initialize')
      return { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'fake', version: '1.0.0' } }
    // The upstream does not complete arguments.
    if (method === 'prompts/list') return { prompts: [{ name: 'plan', arguments: [{ name: 'city' }] }] }
    return undefined
  })
  await using front = await serveFront({ up: { url: fake.url } })
  await using plain = await connect({ name: 'plain', controllers: [], ...quiet })
  await using connection = await connect(front.server)
  const own = connection.client.getServerCapabilities()
  expect(own?.experimental).toEqual(plain.client.getServerCapabilities()?.experimental)
  expect(own?.extensions).toEqual(plain.client.getServerCapabilities()?.extensions)
  expect((await connection.client.listPrompts()).prompts).toHaveLength(1)
  expect(own?.completions).toBeUndefined()
})

test('two upstreams with the same names and URIs answer for themselves', async () => {
  const serve = (answer: string) =>
    serveUpstream({
      onReady: ({ catalog }) => {
        catalog.addTool({ name: 'who', handler: () => answer })
        catalog.addResource({ uri: 'notes:all', name: 'notes', handler: () => answer })
      },
    })
  await using first = await serve('first')
  await using second = await serve('second')
  await using front = await serveFront({ a: { url: first.url }, b: { url: second.url } })
  await using connection = await connect(front.server)
  for (const [name, answer] of Object.entries({ a: 'first', b: 'second' })) {
    // oxlint-disable no-await-in-loop
    expect(await connection.client.callTool({ name: `${name}_who` })).toMatchObject({ content: [{ text: answer }] })
    const { contents } = await connection.client.readResource({ uri: `notes:${name}/all` })
    expect(contents).toMatchObject([{ text: answer }])
    // oxlint-enable no-await-in-loop
  }
})

describe('names that two upstreams share', () => {
  const serve = (name: string) =>
    serveUpstream({ onReady: ({ catalog }) => catalog.addTool({ name, handler: () => name }) })

  test('are a problem at boot', async () => {
    await using first = await serve('b_c')
    await using second = await serve('c')
    const upstreams = { a: { url: first.url, prefix: 'a_' }, ab: { url: second.url, prefix: 'a_b_' } }
    await expect(serveFront(upstreams)).rejects.toThrow(
      /ab: tool 'c': tool 'a_b_c' is already served\. Give one of the two another prefix/,
    )
  })

  test('leave the second one out at run time', async () => {
    await using first = await serve('b_c')
    await using second = await serve('d')
    const upstreams = { a: { url: first.url, prefix: 'a_' }, ab: { url: second.url, prefix: 'a_b_' } }
    await using front = await serveFront(upstreams)
    second.server.catalog.addTool({ name: 'c', handler: () => 'second' })
    await until(() => front.source.status()[1]?.leftOut.length === 1)
    expect(front.source.status()[1]?.leftOut).toEqual(["ab: tool 'c': tool 'a_b_c' is already served"])
    expect((await front.server.callTool('a_b_c')).content).toEqual([{ type: 'text', text: 'b_c' }])
  })
})

test('the report of a server has a section with what each upstream became', async () => {
  await using upstream = await serveUpstream(weather)
  await using front = await serveFront({
    up: { url: upstream.url, tool: ({ name }) => (name === 'wait' ? false : {}) },
  })
  const report = String(front.server.explain())
  expect(report).toContain("Source 'proxy: up', features")
  expect(report).toMatch(/up: tool 'forecast' +tool 'up_forecast'/)
  expect(report).toMatch(/up: tool 'wait' +the option tool returned false/)
})

test('long names of tools are reported in the log', async () => {
  const lines: object[] = []
  const logger = {
    ...console,
    level: 'warn',
    child: () => logger,
    warn: (line: object) => void lines.push(line),
    info: () => undefined,
    debug: () => undefined,
    trace: () => undefined,
    fatal: () => undefined,
    error: () => undefined,
  }
  const name = 'n'.repeat(70)
  await using upstream = await serveUpstream({ onReady: ({ catalog }) => catalog.addTool({ name, handler: () => '' }) })
  await using _ = await serveFront({ up: { url: upstream.url } }, { logger: logger as never })
  expect(lines).toContainEqual({ tools: [`up_${name}`] })
})
