import {
  type CompletionRequest,
  type EnabledFunction,
  McpCompletion,
  McpController,
  McpPrompt,
  McpResource,
  McpTool,
  type Principal,
  Type,
  type Viewer,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { type Caller, openCaller } from '../support/callers.js'
import { openRawClient } from '../support/raw-client.js'

const identity = { name: 'test', version: '1' }

function caller(plan: string): Principal {
  return { subject: plan, roles: [], scopes: [], claims: { plan } }
}

const TopicInput = Type.Object({ topic: Type.String() })

@McpController({ tags: ['beta'], enabled: ({ principal }) => principal?.claims['plan'] === 'pro' })
class Forecasts {
  @McpTool({ description: 'Forecasts the weather' })
  forecast(): string {
    return 'sun'
  }

  @McpTool({ description: 'Forecasts in detail', enabled: ({ principal }) => principal?.subject === 'nobody' })
  hourly(): string {
    return 'sun, then rain'
  }

  @McpPrompt({ input: TopicInput })
  outlook({ topic }: { topic: string }): string {
    return `Outlook on ${topic}`
  }

  @McpCompletion({ prompt: 'outlook', argument: 'topic' })
  topics({ value }: CompletionRequest): string[] {
    return [`${value}in`]
  }

  @McpResource('forecast://today')
  today(): string {
    return 'today'
  }

  @McpResource('forecast:///{day}')
  day({ day }: { day: string }): string {
    return day
  }
}

class Basics {
  @McpTool({ description: 'Adds' })
  add(): string {
    return 'added'
  }

  @McpPrompt({ input: TopicInput })
  greet({ topic }: { topic: string }): string {
    return `Hello ${topic}`
  }

  @McpCompletion({ prompt: 'greet', argument: 'topic' })
  greetings({ value }: CompletionRequest): string[] {
    return [value]
  }

  @McpResource('notes://shared')
  notes(): string {
    return 'notes'
  }

  @McpResource('web:///{page}')
  page({ page }: { page: string }): string {
    return page
  }
}

class Drafts {
  @McpTool({ description: 'Not ready', enabled: false, tags: ['draft'] })
  draft(): string {
    return 'draft'
  }
}

const controllers = [Forecasts, Basics, Drafts]

async function namesIn(client: Caller, method: string, member: string): Promise<string[]> {
  const { result } = await client.request(method)
  return result[member].map(({ name, uri, uriTemplate }: Record<string, string>) => uri ?? uriTemplate ?? name)
}

async function open(principal: Principal | undefined, lane: (typeof lanes)[number], options?: Partial<ServerOptions>) {
  const server = await createServer({ ...identity, controllers, ...options })
  const client = await openCaller(server, lane, principal)
  const close = async (): Promise<void> => {
    await client.close()
    await server.close()
  }
  return { server, client, [Symbol.asyncDispose]: close }
}

describe.each(lanes)('features with `enabled`, over $lane, $era', (lane) => {
  test('are listed for the callers that the functions of controller and feature accept', async () => {
    await using pro = await open(caller('pro'), lane)
    expect(await namesIn(pro.client, 'tools/list', 'tools')).toEqual(['add', 'forecast'])
    expect(await namesIn(pro.client, 'prompts/list', 'prompts')).toEqual(['greet', 'outlook'])
    expect(await namesIn(pro.client, 'resources/list', 'resources')).toEqual(['forecast://today', 'notes://shared'])
    expect(await namesIn(pro.client, 'resources/templates/list', 'resourceTemplates')).toEqual([
      'forecast:///{day}',
      'web:///{page}',
    ])
    await using free = await open(caller('free'), lane)
    expect(await namesIn(free.client, 'tools/list', 'tools')).toEqual(['add'])
    expect(await namesIn(free.client, 'prompts/list', 'prompts')).toEqual(['greet'])
    expect(await namesIn(free.client, 'resources/list', 'resources')).toEqual(['notes://shared'])
    expect(await namesIn(free.client, 'resources/templates/list', 'resourceTemplates')).toEqual(['web:///{page}'])
    const { result } = await free.client.request('tools/list/openai')
    expect(result.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(['add'])
  })

  test('answer other callers like a server without these features', async () => {
    await using opened = await open(caller('free'), lane)
    await using without = await open(caller('free'), lane, { controllers: [Basics] })
    const ref = { type: 'ref/prompt', name: 'outlook' }
    for (const [method, params] of [
      ['tools/call', { name: 'forecast' }],
      ['tools/call', { name: 'forecasts' }],
      ['tools/call', { name: 'draft' }],
      ['prompts/get', { name: 'outlook', arguments: { topic: 'a' } }],
      ['resources/read', { uri: 'forecast://today' }],
      ['resources/read', { uri: 'forecast://tod%61y' }],
      ['resources/read', { uri: 'forecast:///monday' }],
      ['completion/complete', { ref, argument: { name: 'topic', value: 'a' } }],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const [hidden, missing] = [
        await opened.client.request(method, params),
        await without.client.request(method, params),
      ]
      expect(hidden.error).toBeDefined()
      expect({ ...hidden, id: 0 }).toEqual({ ...missing, id: 0 })
    }
  })

  test('are served to the callers who see them', async () => {
    await using opened = await open(caller('pro'), lane)
    const { client } = opened
    const called = await client.request('tools/call', { name: 'forecast' })
    expect(called.result.content[0].text).toBe('sun')
    const got = await client.request('prompts/get', { name: 'outlook', arguments: { topic: 'rain' } })
    expect(got.result.messages[0].content.text).toBe('Outlook on rain')
    const read = await client.request('resources/read', { uri: 'forecast:///monday' })
    expect(read.result.contents[0].text).toBe('monday')
    const ref = { type: 'ref/prompt', name: 'outlook' }
    const completed = await client.request('completion/complete', { ref, argument: { name: 'topic', value: 'ra' } })
    expect(completed.result.completion.values).toEqual(['rain'])
  })

  test('get the caller, the transport, the headers and the _meta of the request', async () => {
    const viewers: Viewer[] = []
    await using opened = await open(caller('pro'), lane, {
      controllers: [],
      onReady: ({ catalog }) =>
        catalog.addTool({ name: 'team', enabled: (viewer) => viewers.push(viewer) > 0, handler: () => 'blue' }),
    })
    const { result } = await opened.client.request('tools/call', { name: 'team' })
    expect(result.content[0].text).toBe('blue')
    const version = 'io.modelcontextprotocol/protocolVersion'
    expect(viewers).toHaveLength(1)
    const { principal, transport, headers, meta } = viewers[0] as Viewer
    expect([principal?.subject, transport, headers?.['content-type'], meta[version]]).toEqual([
      'pro',
      lane.lane === 'in-memory' ? 'in-process' : lane.lane,
      lane.lane === 'http' ? 'application/json' : undefined,
      lane.era === 'modern' ? '2026-07-28' : undefined,
    ])
    expect(headers === null).toBe(lane.lane !== 'http')
    expect(Object.isFrozen(viewers[0])).toBe(true)
  })

  test('call each function once for a request, for any number of features', async () => {
    let calls = 0
    const enabled: EnabledFunction = () => {
      calls++
      return true
    }
    await using opened = await open(undefined, lane, {
      controllers: [],
      onReady: ({ catalog }) => {
        for (let index = 0; index < 50; index++) catalog.addTool({ name: `tool_${index}`, enabled, handler: () => '' })
      },
    })
    const { client } = opened
    calls = 0
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', { name: 'tool_7' }],
      ['tools/call', { name: 'tool_77' }],
      ['tools/list', {}],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      await client.request(method, params)
    }
    // The call of an unknown tool looks for similar names, so it calls the function, too.
    expect(calls).toBe(4)
  })

  test('are decided anew for each request of the same caller', async () => {
    let isOpen = false
    await using opened = await open(undefined, lane, {
      controllers: [],
      onReady: ({ catalog }) => catalog.addTool({ name: 'sale', enabled: () => isOpen, handler: () => 'sold' }),
    })
    const { client } = opened
    expect(await namesIn(client, 'tools/list', 'tools')).toEqual([])
    isOpen = true
    expect(await namesIn(client, 'tools/list', 'tools')).toEqual(['sale'])
    expect((await client.request('tools/call', { name: 'sale' })).result.content[0].text).toBe('sold')
    isOpen = false
    expect((await client.request('tools/call', { name: 'sale' })).error.message).toBe('Unknown tool: sale')
  })

  test('are hidden if their function fails, which is logged once', async () => {
    const lines: string[] = []
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
    const failing: [string, EnabledFunction, string][] = [
      [
        'throws',
        () => {
          throw new Error('no headers here')
        },
        'no headers here',
      ],
      ['promises', (() => Promise.reject(new Error('late'))) as never, 'The function returned a promise'],
      ['truthy', (() => 'yes') as never, "The function returned the string 'yes'. It has to return true or false"],
    ]
    await using opened = await open(undefined, lane, {
      controllers: [],
      logger,
      onReady: ({ catalog }) => {
        for (const [name, enabled] of failing) catalog.addTool({ name, enabled, handler: () => 'open' })
      },
    })
    const { client } = opened
    for (let round = 0; round < 2; round++) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await namesIn(client, 'tools/list', 'tools')).toEqual([])
      for (const [name] of failing) {
        // oxlint-disable-next-line no-await-in-loop
        const { error } = await client.request('tools/call', { name })
        expect(error.message).toBe(`Unknown tool: ${name}`)
        expect(JSON.stringify(error)).not.toContain('headers')
      }
    }
    expect(lines).toHaveLength(3)
    for (const [, , message] of failing) expect(lines.join('\n')).toContain(message)
  })
})

test('callers of one server get their own lists and pages, also at the same time', async () => {
  const server = await createServer({ ...identity, controllers, pageSize: 1 })
  const plans = ['pro', 'free', 'pro', 'free']
  const lists = await Promise.all(plans.map((plan) => server.listTools({ principal: caller(plan) })))
  const names = lists.map((tools) => tools.map(({ name }) => name))
  expect(names).toEqual([['add', 'forecast'], ['add'], ['add', 'forecast'], ['add']])
  await expect(server.callTool('forecast', {}, { principal: caller('free') })).rejects.toThrow('Unknown tool: forecast')
  const { content } = await server.callTool('forecast', {}, { principal: caller('pro') })
  expect(content).toEqual([{ type: 'text', text: 'sun' }])
  await server.close()
})

test('callers who see different lists get hints that keep shared caches from mixing them', async () => {
  await using opened = await open(caller('pro'), { lane: 'in-memory', era: 'modern' })
  const { client } = opened
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'server/discover', 'tools/list/openai']) {
    // oxlint-disable-next-line no-await-in-loop
    expect((await client.request(method)).result.cacheScope).toBe('private')
  }
})

test('a public cache scope is a boot problem if callers see different lists', async () => {
  const booting = createServer({ ...identity, controllers, cache: { cacheScope: 'public' } })
  await expect(booting).rejects.toMatchObject({ diagnostics: [{ code: 'shared-private-lists' }] })
})

test('a subscription of a hidden resource gets no notifications, and the answer for an unknown resource', async () => {
  const server = await createServer({ ...identity, controllers })
  await using client = openRawClient(server, caller('free'))
  await client.initialize('2025-11-25')
  expect((await client.request('resources/subscribe', { uri: 'forecast://today' })).result).toEqual({})
  expect((await client.request('resources/subscribe', { uri: 'notes://shared' })).result).toEqual({})
  server.changes.resourceUpdated('forecast://today')
  await Promise.resolve()
  server.changes.resourceUpdated('notes://shared')
  expect((await client.next()).params.uri).toBe('notes://shared')
  await server.close()
})

test('a hidden template is not bypassed by an open template that matches the same URIs', async () => {
  class Overlapping {
    @McpResource('docs:///{name}')
    open({ name }: { name: string }): string {
      return `open ${name}`
    }

    @McpResource('docs:///{page}', { enabled: () => false })
    hidden({ page }: { page: string }): string {
      return `hidden ${page}`
    }
  }
  const server = await createServer({ ...identity, controllers: [Overlapping] })
  await expect(server.readResource('docs:///a')).rejects.toThrow('Resource not found')
  expect(server.explain().overlaps).toEqual([
    "'docs:///{name}' is unreachable: 'docs:///{page}' matches the same URIs. Remove one",
  ])
  await server.close()
})

test('the capability of a kind is declared although all its features are hidden, so that clients learn of later changes', async () => {
  const server = await createServer({ ...identity, controllers: [Forecasts] })
  await using client = openRawClient(server, caller('free'))
  const { capabilities } = (await client.initialize('2025-11-25')).result
  expect(capabilities).toMatchObject({ prompts: { listChanged: true }, resources: { listChanged: true } })
  await server.close()
})

test('the authorization matrix shows disabled features, and the outcome of functions, as hidden', async () => {
  class Mixed {
    @McpTool({ enabled: ({ principal }) => principal !== null })
    known(): void {}

    @McpTool({ enabled: false })
    off(): void {}

    @McpTool()
    on(): void {}
  }
  const server = await createServer({ ...identity, controllers: [Mixed] })
  expect(server.authorizationMatrix().rows.map(({ name, access }) => ({ name, ...access }))).toEqual([
    { name: 'known', anonymous: 'hidden', authenticated: 'callable' },
    { name: 'off', anonymous: 'hidden', authenticated: 'hidden' },
    { name: 'on', anonymous: 'callable', authenticated: 'callable' },
  ])
  await server.close()
})

test('the report names the tags, and the reason why a feature is hidden', async () => {
  const server = await createServer({ ...identity, controllers })
  server.catalog.disable('add')
  const report = server.explain()
  expect(report.tools.map(({ name, tags, enabled }) => [name, tags, enabled])).toEqual([
    ['add', [], 'no (catalog.disable)'],
    ['draft', ['draft'], 'no (option)'],
    ['forecast', ['beta'], 'by caller'],
    ['hourly', ['beta'], 'by caller'],
  ])
  expect(String(report).split('\n').slice(1, 4)).toEqual([
    '  tool      method              parameters  input         output                   tags   enabled',
    '  add       Basics.add                      no arguments  text (no output schema)         no (catalog.disable)',
    '  draft     Drafts.draft                    no arguments  text (no output schema)  draft  no (option)',
  ])
  await server.close()
})

test('tags are in lists only with the option listTags', async () => {
  const plain = await createServer({ ...identity, controllers })
  expect(JSON.stringify(await plain.listTools({ principal: caller('pro') }))).not.toContain('beta')
  const listing = await createServer({ ...identity, controllers, listTags: true })
  const tools = await listing.listTools({ principal: caller('pro') })
  expect(tools.map(({ name, _meta: meta }) => [name, meta])).toEqual([
    ['add', undefined],
    ['forecast', { 'toolwright/tags': ['beta'] }],
  ])
  await plain.close()
  await listing.close()
})

test('tools that only apps may call are listed and served like other tools', async () => {
  const server = await createServer({
    ...identity,
    controllers: [],
    onReady: ({ catalog }) => {
      catalog.addResource({ uri: 'ui://page', name: 'page', handler: () => '<p>page</p>' })
      catalog.addTool({
        name: 'refresh',
        ui: { resourceUri: 'ui://page', visibility: ['app'] },
        enabled: () => true,
        handler: () => 'fresh',
      })
    },
  })
  const [tool] = await server.listTools()
  expect(tool).toMatchObject({ name: 'refresh', _meta: { ui: { visibility: ['app'] } } })
  expect((await server.callTool('refresh')).content).toEqual([{ type: 'text', text: 'fresh' }])
  await server.close()
})

describe('mistakes in `enabled` and `tags`', () => {
  test('are reported together at boot', async () => {
    @McpController({ tags: 'beta' as never, enabled: 'yes' as never })
    class Wrong {
      @McpTool({ enabled: (async () => true) as never })
      late(): void {}

      @McpPrompt({ enabled: undefined as never })
      forgotten(): string {
        return ''
      }

      @McpResource('notes://a', { enabled: 1 as never, tags: [1] as never })
      number(): string {
        return ''
      }

      @McpTool({ enable: false } as never)
      misspelt(): void {}
    }
    const booting = createServer({ ...identity, controllers: [Wrong] })
    const fix = 'Give true, false, or a function that takes the viewer.'
    await expect(booting).rejects.toMatchObject({
      diagnostics: [
        { message: "Wrong: tags is the string 'beta'. Give an array of strings." },
        { message: `Wrong: enabled is the string 'yes'. ${fix}` },
        {
          message:
            'Wrong.late: enabled is an async function, but each list would wait for it. Give a function that returns ' +
            'true or false at once, or use a policy.',
        },
        {
          message:
            'Wrong.forgotten: enabled is undefined when the class is defined. Give true, false or a function, or leave ' +
            'the option out.',
        },
        { message: 'Wrong.number: tags is an array. Give an array of strings.' },
        { message: `Wrong.number: enabled is 1. ${fix}` },
        { message: "Wrong.misspelt: @McpTool has no option 'enable'. Did you mean enabled?" },
      ],
    })
  })
})
