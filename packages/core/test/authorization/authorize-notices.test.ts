import {
  AllowAnonymous,
  Authorize,
  McpPrompt,
  McpResource,
  type McpServer,
  McpTool,
  type Principal,
  Type,
} from '@toolwright/core'
import { Peer } from '@toolwright/core/host'
import { runningServer } from '@toolwright/core/transport'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { TestExchange } from '../../../../test/support/exchange.js'
import { openRawClient, type RawClient, type RawMessage } from '../support/raw-client.js'

const forbidden = { code: -32600, message: 'Forbidden: you are not allowed to use this' }
const unauthorized = { code: -32600, message: 'Unauthorized: authenticate first' }
const settled = () => new Promise((resolve) => setImmediate(resolve))

function who(subject: string, has: Partial<Principal> = {}): Principal {
  return { subject, roles: [], scopes: [], claims: {}, ...has }
}

function viewer(principal: Principal) {
  return { principal, transport: 'in-process', headers: null, meta: {} } as const
}

const callers: Record<string, Principal | undefined> = {
  anonymous: undefined,
  ada: who('ada'),
  root: who('root', { roles: ['Admin'] }),
  reader: who('rita', { scopes: ['read'] }),
}

class Files {
  @McpTool()
  @AllowAnonymous()
  open(): void {}

  @McpPrompt()
  @Authorize({ roles: ['Admin'] })
  prompt(): string {
    return 'hello'
  }

  @McpResource('files://open')
  @AllowAnonymous()
  openFile(): string {
    return 'open'
  }

  @McpResource('files://admin')
  @Authorize({ roles: ['Admin'] })
  adminFile(): string {
    return 'admin'
  }

  @McpResource('files://read')
  @Authorize({ scopes: ['read'] })
  readFile(): string {
    return 'read'
  }

  @McpResource('homes://{owner}')
  @Authorize({ policy: ({ principal, arguments: { owner } }) => principal?.subject === owner })
  home(_variables: { owner: string }): string {
    return 'home'
  }
}

async function serve(options: Partial<ServerOptions> = {}): Promise<McpServer> {
  return createServer({
    name: 'test',
    version: '1',
    logger: pino({ enabled: false }),
    controllers: [Files],
    ...options,
  })
}

/** Clients of both eras for each caller, subscribed to everything that the caller may use. */
async function openListeners(server: McpServer, uris: readonly string[]) {
  const heard: Record<string, string[]> = {}
  const clients: RawClient[] = []
  for (const [name, principal] of Object.entries(callers)) {
    for (const era of ['modern', 'legacy'] as const) {
      const client = openRawClient(server, principal)
      clients.push(client)
      // oxlint-disable-next-line no-await-in-loop
      if (era === 'modern') await listen(client, uris)
      // oxlint-disable-next-line no-await-in-loop
      else await subscribe(client, uris)
      const own: string[] = []
      heard[`${name}, ${era}`] = own
      void collect(client, own)
    }
  }
  return { heard, close: async () => Promise.all(clients.map(async (client) => client[Symbol.asyncDispose]())) }
}

async function collect(client: RawClient, heard: string[]): Promise<void> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const { method, params } = await client.next()
    heard.push(params.uri ?? method)
  }
}

async function listen(client: RawClient, uris: readonly string[]): Promise<RawMessage> {
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: uris,
  }
  void client.modern('subscriptions/listen', { notifications })
  return client.next()
}

async function subscribe(client: RawClient, uris: readonly string[]): Promise<void> {
  await client.initialize('2025-11-25')
  await Promise.all(uris.map(async (uri) => client.request('resources/subscribe', { uri })))
}

/** The callers who were notified, the same in both eras. */
function whoHeard(heard: Record<string, string[]>, what: string): string[] {
  const names = Object.keys(callers)
  const listeners = (era: string): string[] => names.filter((name) => heard[`${name}, ${era}`]?.includes(what))
  expect(listeners('modern')).toEqual(listeners('legacy'))
  return listeners('modern')
}

describe('list changes', () => {
  it.each([
    [{ allowAnonymous: true }, ['anonymous', 'ada', 'root', 'reader']],
    [{}, ['ada', 'root', 'reader']],
    [{ authorize: { roles: ['Admin'] } }, ['root']],
    [{ authorize: { scopes: ['read'] } }, ['ada', 'root', 'reader']],
    [{ authorize: { roles: ['Nobody'] } }, []],
  ])('notify only the callers whose list changed: %j', async (access, listeners) => {
    const server = await serve()
    const { heard, close } = await openListeners(server, [])
    server.catalog.addTool({ name: 'added', handler: () => 'done', ...access })
    await settled()
    expect(whoHeard(heard, 'notifications/tools/list_changed')).toEqual(listeners)
    for (const own of Object.values(heard)) own.length = 0
    server.catalog.removeTool('added')
    await settled()
    expect(whoHeard(heard, 'notifications/tools/list_changed')).toEqual(listeners)
    await close()
    await server.close()
  })

  it('with hideForbidden, do not notify callers who lack a scope', async () => {
    const server = await serve({ authorization: { hideForbidden: true } })
    const { heard, close } = await openListeners(server, [])
    server.catalog.addTool({ name: 'added', handler: () => 'done', authorize: { scopes: ['read'] } })
    await settled()
    expect(whoHeard(heard, 'notifications/tools/list_changed')).toEqual(['reader'])
    await close()
    await server.close()
  })

  it('that happen together notify each affected caller once', async () => {
    const server = await serve()
    const { heard, close } = await openListeners(server, [])
    const handler = () => 'done'
    server.catalog.addPrompt({ name: 'a', handler, authorize: { roles: ['Admin'] } })
    server.catalog.addPrompt({ name: 'b', handler, authorize: { roles: ['Admin'] } })
    server.catalog.addResource({ uri: 'x://a', name: 'a', handler, authorize: { roles: ['Admin'] } })
    server.catalog.addResource({ uri: 'x://{a}', name: 'a', handler, allowAnonymous: true })
    await settled()
    expect(whoHeard(heard, 'notifications/prompts/list_changed')).toEqual(['root'])
    expect(whoHeard(heard, 'notifications/resources/list_changed')).toEqual(Object.keys(callers))
    expect(heard['root, modern']).toHaveLength(2)
    server.changes.promptsChanged()
    await settled()
    // Only callers with prompts: the server declares no prompts to the others.
    expect(heard['root, legacy']).toHaveLength(3)
    await close()
    await server.close()
  })
})

describe('resource updates', () => {
  const uris = ['files://open', 'files://admin', 'files://read', 'homes://ada', 'files://nowhere']

  it('notify the callers who could read the resource when it changed, even if it is removed immediately afterwards', async () => {
    const server = await serve()
    const { heard, close } = await openListeners(server, ['files://late', 'files://free'])
    const handler = () => 'late'
    server.catalog.addResource({ uri: 'files://late', name: 'late', handler, authorize: { roles: ['Admin'] } })
    server.catalog.addResource({ uri: 'files://free', name: 'free', handler, allowAnonymous: true })
    for (const uri of ['files://late', 'files://free']) {
      server.changes.resourceUpdated(uri)
      server.catalog.removeResource(uri)
      server.changes.resourceUpdated(uri)
    }
    await settled()
    expect(whoHeard(heard, 'files://late')).toEqual(['root'])
    expect(whoHeard(heard, 'files://free')).toEqual(Object.keys(callers))
    await close()
    await server.close()
  })

  it('with hideForbidden, accept every subscription and notify only callers who may read the resource', async () => {
    const server = await serve({ authorization: { hideForbidden: true } })
    const { heard, close } = await openListeners(server, uris)
    for (const uri of uris) server.changes.resourceUpdated(uri)
    await settled()
    expect(uris.map((uri) => whoHeard(heard, uri))).toEqual([
      ['anonymous', 'ada', 'root', 'reader'],
      ['root'],
      ['reader'],
      ['ada'],
      ['anonymous', 'ada', 'root', 'reader'],
    ])
    await close()
    await server.close()
  })

  it('with hideForbidden, acknowledge hidden resources like unknown ones', async () => {
    const server = await serve({ authorization: { hideForbidden: true } })
    await using client = openRawClient(server)
    const { params } = await listen(client, ['files://admin', 'files://nowhere'])
    expect(params.notifications).toEqual({
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['files://admin', 'files://nowhere'],
    })
    await server.close()
  })

  it.each([
    ['anonymous', 'files://admin', unauthorized],
    ['ada', 'files://admin', forbidden],
    ['ada', 'files://read', { code: -32600, message: 'Forbidden: requires the scope read' }],
    ['root', 'homes://ada', forbidden],
  ])('reject a subscription in either era: %s, %s', async (name, uri, error) => {
    const server = await serve()
    await using client = openRawClient(server, callers[name])
    await client.initialize('2025-11-25')
    expect((await client.request('resources/subscribe', { uri })).error).toEqual(error)
    const notifications = { resourceSubscriptions: ['files://open', uri] }
    expect((await client.modern('subscriptions/listen', { notifications })).error).toEqual(error)
    await server.close()
  })
})

function uriIn(json: string): string {
  const { params }: RawMessage = JSON.parse(json)
  return params.uri
}

describe('hidden and unknown resources, for a client at its limit of subscriptions,', () => {
  /** Every response to a client that uses its last subscription for this URI, as it is on the wire. */
  async function answersFor(target: string, others: readonly string[], principal?: Principal): Promise<string[]> {
    const server = await serve({ authorization: { hideForbidden: true } })
    await using client = openRawClient(server, principal)
    await client.initialize('2025-11-25')
    const answers: string[] = []
    const send = async (method: string, uri: string): Promise<void> => {
      answers.push(JSON.stringify(await client.request(`resources/${method}`, { uri })))
    }
    for (const [method, uri] of [
      ...others.map((other) => ['subscribe', other] as const),
      ['subscribe', target],
      ['subscribe', 'files://over'],
      ['subscribe', target],
      ['unsubscribe', target],
      ['subscribe', 'files://overs'],
      ['subscribe', target],
      ['subscribe', 'files://overs'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      await send(method, uri)
    }
    await server.close()
    return answers
  }

  const lacksRole = who('ada')
  const lacksPolicy = who('eve', { roles: ['Admin'] })
  const many = Array.from({ length: 999 }, (_, index) => `x://${index}`)
  const long = Array.from({ length: 32 }, (_, index) => `x://${index}`.padEnd(index < 31 ? 2048 : 2035, '.'))

  it.each([
    ['files://admin', 'nobody', undefined, 'many other URIs', many],
    ['files://admin', 'a role', lacksRole, 'many other URIs', many],
    ['homes://adam!', 'a policy', lacksPolicy, 'many other URIs', many],
    ['files://admin', 'a role', lacksRole, 'long other URIs', long],
    ['homes://adam!', 'a policy', lacksPolicy, 'long other URIs', long],
  ])('get the same answers for %s, hidden by %s from %j, with %s', async (hidden, _by, caller, _bound, others) => {
    const answers = await answersFor(hidden, others, caller)
    expect(answers).toEqual(await answersFor('files://nobod', others, caller))
    const outcomes = answers.slice(others.length).map((json) => ('error' in JSON.parse(json) ? 'rejected' : 'taken'))
    expect(outcomes).toEqual(['taken', 'rejected', 'taken', 'taken', 'taken', 'rejected', 'taken'])
  })

  it('notify a caller who subscribes again after the resource has become visible', async () => {
    const server = await serve({ authorization: { hideForbidden: true } })
    const heard: string[] = []
    const peer = new Peer(
      { send: (json) => void heard.push(uriIn(json)) },
      runningServer(server).subscriptionQuota,
      'ada',
      'in-process',
    )
    const send = async (id: number, principal: Principal, method: string, params: object): Promise<unknown> => {
      const message = { jsonrpc: '2.0', id, method, params }
      const { log } = server
      return TestExchange.receive(server, { message, principal, headers: null, log, peer })
    }
    const update = async (): Promise<void> => {
      server.changes.resourceUpdated('files://admin')
      await settled()
    }
    const clientInfo = { name: 'test', version: '1.0.0' }
    await send(1, who('ada'), 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    peer.state = { ...peer.state, isInitialized: true }
    await send(2, who('ada'), 'resources/subscribe', { uri: 'files://admin' })
    const ada = who('ada', { roles: ['Admin'] })
    await send(3, ada, 'ping', {})
    await update()
    expect(heard).toEqual([])
    await send(4, ada, 'resources/subscribe', { uri: 'files://admin' })
    await update()
    expect(heard).toEqual(['files://admin'])
    await send(5, ada, 'resources/unsubscribe', { uri: 'files://admin' })
    await update()
    expect(heard).toHaveLength(1)
    peer.gone('the test is over')
    await server.close()
  })
})

describe('overlapping templates', () => {
  const admin = { roles: ['Admin'] }
  const numbered = Type.Object({ id: Type.Number() })

  /** The template that serves a URI, and the callers who are notified of its updates: those who may read it. */
  async function serveBoth(uris: readonly string[], add: (server: McpServer) => void) {
    const server = await serve({ authorization: { hideForbidden: true } })
    // A subscription to a resource that does not exist yet is resolved when an update is published.
    const { heard, close } = await openListeners(server, uris)
    add(server)
    for (const uri of uris) server.changes.resourceUpdated(uri)
    await settled()
    const hears = uris.map((uri) => whoHeard(heard, uri))
    const readers = await Promise.all(uris.map(async (uri) => whoReads(server, uri)))
    await close()
    await server.close()
    return { hears, readers }
  }

  async function whoReads(server: McpServer, uri: string): Promise<string[]> {
    const can = await Promise.all(
      Object.values(callers).map((principal) =>
        server.readResource(uri, { principal: principal ?? null }).then(
          () => true,
          () => false,
        ),
      ),
    )
    return Object.keys(callers).filter((_name, index) => can[index])
  }

  const everybody = Object.keys(callers)
  const handler = () => 'read'

  it.each([
    ['the first is open, and takes numbers only', { allowAnonymous: true }, { authorize: admin }, [['root'], ['root']]],
    [
      'the first is guarded, and takes numbers only',
      { authorize: admin },
      { allowAnonymous: true },
      [['root'], everybody],
    ],
  ])('notify the readers of the template that serves the URI: %s', async (_which, first, second, expected) => {
    const { hears, readers } = await serveBoth(['things://7', 'things://seven'], ({ catalog }) => {
      catalog.addResource({ uri: 'things://{id}', name: 'numbered', input: numbered, handler, ...first })
      catalog.addResource({ uri: 'things://{name}', name: 'named', handler, ...second })
    })
    expect(hears).toEqual(expected)
    expect(readers).toEqual(expected)
  })

  it.each([
    ['in order', ['things://a{id}', 'things://{name}']],
    ['out of order', ['things://{name}', 'things://a{id}']],
  ])('use the rule of the more specific template, also if the templates were added %s', async (_order, templates) => {
    const { hears, readers } = await serveBoth(['things://ab', 'things://b'], ({ catalog }) => {
      for (const uri of templates) {
        const access = uri === 'things://{name}' ? { allowAnonymous: true } : { authorize: admin }
        catalog.addResource({ uri, name: uri, handler, ...access })
      }
    })
    expect(hears).toEqual([['root'], everybody])
    expect(readers).toEqual([['root'], everybody])
  })
})

describe('changes after a subscription', () => {
  it('are sent to subscribers of a resource that was added later, if they may read it', async () => {
    const server = await serve()
    const { heard, close } = await openListeners(server, ['files://later'])
    server.catalog.addResource({
      uri: 'files://later',
      name: 'later',
      handler: () => 'x',
      authorize: { roles: ['Admin'] },
    })
    server.changes.resourceUpdated('files://later')
    await settled()
    expect(whoHeard(heard, 'files://later')).toEqual(['root'])
    await close()
    await server.close()
  })

  it("are not sent to a caller who has lost a role, from the caller's next request on", async () => {
    const server = await serve()
    const heard: string[] = []
    const peer = new Peer(
      { send: (json) => void heard.push(uriIn(json)) },
      runningServer(server).subscriptionQuota,
      'ada',
      'in-process',
    )
    let lastId = 0
    const send = async (principal: Principal, method: string, params: object = {}): Promise<unknown> => {
      const id = method.startsWith('notifications/') ? {} : { id: ++lastId }
      const message = { jsonrpc: '2.0', ...id, method, params }
      const { log } = server
      return TestExchange.receive(server, { message, principal, headers: null, log, peer })
    }
    const root = who('root', { roles: ['Admin'] })
    await send(root, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    })
    await send(root, 'notifications/initialized')
    await send(root, 'resources/subscribe', { uri: 'files://admin' })
    server.changes.resourceUpdated('files://admin')
    await settled()
    expect(heard).toEqual(['files://admin'])
    await send(who('root'), 'ping')
    server.changes.resourceUpdated('files://admin')
    await settled()
    expect(heard).toHaveLength(1)
    peer.gone('the test is over')
    await server.close()
  })
})

describe('cacheScope', () => {
  it('is private as soon as lists differ by caller, regardless of the option', async () => {
    class Open {
      @McpResource('files://open')
      file(): string {
        return 'open'
      }
    }
    const server = await serve({ controllers: [Open], cache: { cacheScope: 'public', ttlMs: 9 } })
    await using client = openRawClient(server, who('ada'))
    const scopes = async (): Promise<string[]> => {
      const answers = [
        await client.modern('resources/list', {}),
        await client.modern('resources/read', { uri: 'files://open' }),
        await client.modern('server/discover', {}),
        await client.modern('tools/list', {}),
      ]
      return answers.map(({ result }) => `${result.cacheScope} ${result.ttlMs}`)
    }
    expect(await scopes()).toEqual(['public 9', 'public 9', 'public 9', 'public 9'])
    server.catalog.addResource({ uri: 'x://{id}', name: 'x', handler: () => 'x', authorize: {} })
    server.catalog.addResource({ uri: 'x://y', name: 'x', handler: () => 'x', authorize: {} })
    expect(await scopes()).toEqual(['private 9', 'private 9', 'private 9', 'public 9'])
    server.catalog.removeResource('x://y')
    server.catalog.removeResource('x://{id}')
    expect(await scopes()).toEqual(['public 9', 'public 9', 'public 9', 'public 9'])
    await server.close()
  })
})

describe('tasks', () => {
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

  class Long {
    static runs = 0

    @McpTool({ task: 'optional' })
    @Authorize({ roles: ['Admin'] })
    byRole(): string {
      Long.runs++
      return 'done'
    }

    @McpTool({ task: 'required' })
    @Authorize({ policy: ({ principal }) => principal?.subject === 'ada' })
    byPolicy(): string {
      Long.runs++
      return 'done'
    }
  }

  it.each(['by_role', 'by_policy'])('are not created for a caller who may not use %s', async (name) => {
    const server = await serve({ controllers: [Long] })
    await using client = openRawClient(server, who('bob'))
    Long.runs = 0
    expect((await client.modern('tools/call', { name }, capabilities)).error).toEqual(forbidden)
    await settled()
    expect(Long.runs).toBe(0)
    await server.close()
  })

  it('belong to their creator: other callers get the error for unknown tasks', async () => {
    const server = await serve({ controllers: [Long] })
    await using ada = openRawClient(server, who('ada'))
    const { result } = await ada.modern('tools/call', { name: 'by_policy' }, capabilities)
    const { taskId } = result
    const unknown = { code: -32602, message: 'Unknown task: it has expired, or never existed' }
    await using bob = openRawClient(server, who('bob', { roles: ['Admin'] }))
    await using nobody = openRawClient(server)
    for (const method of ['tasks/get', 'tasks/cancel']) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await bob.modern(method, { taskId }, capabilities)).error).toEqual(unknown)
      // oxlint-disable-next-line no-await-in-loop
      expect((await nobody.modern(method, { taskId }, capabilities)).error).toEqual(unknown)
    }
    expect((await ada.modern('tasks/get', { taskId }, capabilities)).result.taskId).toBe(taskId)
    await server.close()
  })
})

describe('cached lists', () => {
  it('are shared by all callers who see the same features, and rebuilt when the catalog changes', async () => {
    const server = await serve()
    const { tools, prompts } = server.catalog
    expect(tools.visibleTo(viewer(who('a')))).toBe(tools.all)
    expect(prompts.visibleTo(viewer(who('a')))).toBe(prompts.visibleTo(viewer(who('b', { roles: ['Other'] }))))
    expect(prompts.visibleTo(viewer(who('a')))).not.toBe(prompts.visibleTo(viewer(who('c', { roles: ['Admin'] }))))
    const before = prompts.visibleTo(viewer(who('c', { roles: ['admin'] })))
    server.catalog.addPrompt({ name: 'another', handler: () => 'x' })
    expect(prompts.visibleTo(viewer(who('c', { roles: ['admin'] })))).not.toBe(before)
    await server.close()
  })

  it('are limited in number: the least recently used one is dropped first', async () => {
    const server = await serve({ controllers: [], authorization: {} })
    const { catalog } = server
    for (let index = 0; index < 100; index++) {
      catalog.addTool({ name: `tool_${index}`, handler: () => 'x', authorize: { roles: [`role-${index}`] } })
    }
    const view = (index: number) => catalog.tools.visibleTo(viewer(who('a', { roles: [`role-${index}`] })))
    const first = view(0)
    for (let index = 1; index < 64; index++) view(index)
    expect(view(0)).toBe(first)
    view(64)
    expect(view(0)).toBe(first)
    for (let index = 65; index < 100; index++) view(index)
    for (let index = 1; index < 65; index++) view(index)
    expect(view(0)).not.toBe(first)
    expect(view(0).map(({ name }) => name)).toEqual(['tool_0'])
    await server.close()
  })

  it('have full pages, even where features are hidden', async () => {
    const server = await serve({ controllers: [], authorization: {}, pageSize: 2, cache: { ttlMs: 5 } })
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      const authorize = 'bdf'.includes(name) ? { roles: ['Admin'] } : {}
      server.catalog.addTool({ name, handler: () => 'x', authorize })
    }
    await using client = openRawClient(server, who('ada'))
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      // oxlint-disable-next-line no-await-in-loop
      const { result } = await client.modern('tools/list', cursor === undefined ? {} : { cursor })
      pages.push(result.tools.map(({ name }: RawMessage) => name))
      cursor = result.nextCursor
    } while (cursor !== undefined)
    expect(pages).toEqual([
      ['a', 'c'],
      ['e', 'g'],
    ])
    await server.close()
  })
})

test('the authorization matrix shows the access of each caller to each feature', async () => {
  class Matrix {
    @McpTool()
    @Authorize({ roles: ['Admin'], scopes: ['write'] })
    remove(): void {}

    @McpTool()
    @Authorize({ policy: () => true })
    decide(): void {}
  }
  const server = await serve({ controllers: [Matrix, Files] })
  const matrix = server.authorizationMatrix({ roles: ['Admin'], scopes: ['read', 'write'] })
  expect(matrix.callers.map(({ name }) => name)).toEqual([
    'anonymous',
    'authenticated',
    'read',
    'write',
    'read + write',
    'Admin',
    'Admin + read',
    'Admin + write',
    'Admin + read + write',
  ])
  expect(matrix.rows.find(({ name }) => name === 'remove')?.access).toEqual({
    anonymous: 'hidden',
    authenticated: 'hidden',
    read: 'hidden',
    write: 'hidden',
    'read + write': 'hidden',
    Admin: 'needs step-up',
    'Admin + read': 'needs step-up',
    'Admin + write': 'callable',
    'Admin + read + write': 'callable',
  })
  expect(`\n${String(server.authorizationMatrix({ roles: [], scopes: ['read'] }))}\n`).toBe(`
  kind      feature          anonymous  authenticated  read
  tool      decide           hidden     listed         listed
  tool      open             callable   callable       callable
  tool      remove           hidden     hidden         hidden
  prompt    prompt           hidden     hidden         hidden
  resource  files://admin    hidden     hidden         hidden
  resource  files://open     callable   callable       callable
  resource  files://read     hidden     needs step-up  callable
  resource  homes://{owner}  hidden     listed         listed
`)
  await server.close()
})

test('the authorization matrix distinguishes all callers whose access differs, unless it is given a list of callers', async () => {
  class Named {
    @McpTool()
    @Authorize({ roles: ['Owner', 'Admin'], scopes: ['write'] })
    remove(): void {}

    @McpTool()
    @Authorize({ roles: ['admin'] })
    list(): void {}
  }
  const server = await serve({ controllers: [Named] })
  expect(`\n${String(server.authorizationMatrix())}\n`).toBe(`
  kind  feature  anonymous  authenticated  write   admin          admin + write  owner          owner + write
  tool  list     hidden     hidden         hidden  callable       callable       hidden         hidden
  tool  remove   hidden     hidden         hidden  needs step-up  callable       needs step-up  callable
`)
  await server.close()
})

test('the authorization matrix distinguishes a role, a scope of the same name, and its built-in labels', async () => {
  class Named {
    @McpTool()
    @Authorize({ roles: ['admin'] })
    forRole(): void {}

    @McpTool()
    @Authorize({ scopes: ['admin'] })
    forScope(): void {}
  }
  const server = await serve({ controllers: [Named] })
  expect(`\n${String(server.authorizationMatrix({ roles: ['admin', 'anonymous'], scopes: ['admin'] }))}\n`).toBe(`
  kind  feature    anonymous  authenticated  scope admin  role admin     role admin + scope admin  role anonymous  role anonymous + scope admin
  tool  for_role   hidden     hidden         hidden       callable       callable                  hidden          hidden
  tool  for_scope  hidden     needs step-up  callable     needs step-up  callable                  needs step-up   callable
`)
  await server.close()
})

test('authorization matrices of equal rules are equal and can be stored as data', async () => {
  class Same {
    @McpTool()
    @Authorize({ roles: ['Admin'] })
    call(): void {}
  }
  const servers = [await serve({ controllers: [Same] }), await serve({ controllers: [Same] })]
  const [one, other] = servers.map((server) => server.authorizationMatrix({ roles: ['Admin', 'Admin'] }))

  expect(one).toStrictEqual(other)
  expect(Object.keys(one ?? {})).toEqual(['callers', 'rows'])
  expect(one?.callers.map(({ name }) => name)).toEqual(['anonymous', 'authenticated', 'Admin'])
  await Promise.all(servers.map((server) => server.close()))
})
