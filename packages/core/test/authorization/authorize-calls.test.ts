import { Writable } from 'node:stream'
import {
  AllowAnonymous,
  type AuthorizationPolicy,
  type AuthorizationRequest,
  Authorize,
  connectInMemory,
  injectable,
  McpCompletion,
  McpController,
  McpPrompt,
  McpResource,
  type McpServer,
  McpTool,
  type Principal,
  singleton,
  Type,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { openCaller } from '../support/callers.js'
import { openRawClient } from '../support/raw-client.js'

const silent = pino({ enabled: false })
const forbidden = { code: -32600, message: 'Forbidden: you are not allowed to use this' }
const unauthorized = { code: -32600, message: 'Unauthorized: authenticate first' }

type Controllers = NonNullable<ServerOptions['controllers']>

async function serve(controllers: Controllers, options: Partial<ServerOptions> = {}) {
  return createServer({ name: 'test', version: '1', logger: silent, controllers, ...options })
}

function who(subject: string, has: Partial<Principal> = {}): Principal {
  return { subject, roles: [], scopes: [], claims: {}, ...has }
}

/** The result of each tool for a caller: its text, or the error. */
async function callAll(controllers: Controllers, principal?: Principal, options: Partial<ServerOptions> = {}) {
  const server = await serve(controllers, options)
  await using client = openRawClient(server, principal)
  const names = server.catalog.tools.all.map(({ name }) => name)
  const answers = await Promise.all(
    names.map(async (name) => {
      const { result, error } = await client.modern('tools/call', { name })
      return [name, error ?? result.content[0].text]
    }),
  )
  await server.close()
  return Object.fromEntries(answers)
}

describe('combined rules', () => {
  @Authorize({ roles: ['Member'] })
  class Shared {
    @McpTool()
    plain(): string {
      return 'plain'
    }

    @McpTool()
    @Authorize({ roles: ['Editor'] })
    @Authorize({ scopes: ['write'] })
    strict(): string {
      return 'strict'
    }

    @AllowAnonymous()
    @McpTool()
    lifted(): string {
      return 'lifted'
    }
  }

  class Derived extends Shared {
    override strict(): string {
      return 'overridden'
    }

    @McpTool()
    override plain(): string {
      return 'plain'
    }

    @McpTool()
    added(): string {
      return 'added'
    }
  }

  @AllowAnonymous()
  class Opened extends Shared {}

  it('are all required: the rules of the method, its class and each decorator', async () => {
    expect(await callAll([Shared])).toEqual({ lifted: 'lifted', plain: unauthorized, strict: unauthorized })
    expect(await callAll([Shared], who('a', { roles: ['member'] }))).toEqual({
      lifted: 'lifted',
      plain: 'plain',
      strict: forbidden,
    })
    expect(await callAll([Shared], who('a', { roles: ['Editor'], scopes: ['write'] }))).toMatchObject({
      strict: forbidden,
    })
    expect(await callAll([Shared], who('a', { roles: ['Editor', 'Member'], scopes: ['write'] }))).toMatchObject({
      strict: 'strict',
    })
  })

  it('are inherited by subclasses, also for overridden methods', async () => {
    expect(await callAll([Derived])).toEqual({
      added: unauthorized,
      lifted: 'lifted',
      plain: unauthorized,
      strict: unauthorized,
    })
    expect(await callAll([Derived], who('a', { roles: ['Member'], scopes: ['write'] }))).toMatchObject({
      added: 'added',
      strict: forbidden,
    })
  })

  it('are removed by @AllowAnonymous on a class, except for the rules of its methods', async () => {
    expect(await callAll([Opened])).toEqual({ lifted: 'lifted', plain: 'plain', strict: unauthorized })
  })

  it('require authentication for features without a rule as soon as any class has a rule', async () => {
    class Forgotten {
      @McpTool()
      forgotten(): string {
        return 'forgotten'
      }
    }
    expect(await callAll([Forgotten])).toEqual({ forgotten: 'forgotten' })
    expect(await callAll([Forgotten], undefined, { authorization: {} })).toEqual({ forgotten: unauthorized })
    expect(await callAll([Forgotten, Shared])).toMatchObject({ forgotten: unauthorized })
    expect(await callAll([Forgotten, Shared], who('ada'))).toMatchObject({ forgotten: 'forgotten' })
    const open = { authorization: { default: 'anonymous' } } as const
    expect(await callAll([Forgotten, Shared], undefined, open)).toMatchObject({
      forgotten: 'forgotten',
      plain: unauthorized,
    })
  })

  it('accept a scope that implies the required one, over any number of steps', async () => {
    class Files {
      @McpTool()
      @Authorize({ scopes: ['read', 'list'] })
      read(): string {
        return 'read'
      }
    }
    const impliedScopes = { admin: ['write'], write: ['read', 'list'], loop: ['admin', 'loop'] }
    const scopes = async (...granted: string[]) =>
      callAll([Files], who('a', { scopes: granted }), { authorization: { impliedScopes } })
    expect(await scopes('loop')).toEqual({ read: 'read' })
    expect(await scopes('write')).toEqual({ read: 'read' })
    expect(await scopes('list')).toEqual({ read: { code: -32600, message: 'Forbidden: requires the scope read' } })
  })
})

describe('policies', () => {
  @singleton()
  class Owners {
    owns(subject: string | undefined, project: string): boolean {
      return `${subject}/` === project.slice(0, project.indexOf('/') + 1)
    }
  }

  @injectable()
  class ProjectPolicy implements AuthorizationPolicy {
    static seen: AuthorizationRequest[] = []

    constructor(private readonly owners: Owners) {}

    async allows(request: AuthorizationRequest): Promise<boolean> {
      ProjectPolicy.seen.push(request)
      return Promise.resolve(this.owners.owns(request.principal?.subject, String(request.arguments.project)))
    }
  }

  const Project = Type.Object({ project: Type.String({ minLength: 3 }), depth: Type.Integer({ default: 1 }) })

  @McpController()
  @Authorize({ policy: ProjectPolicy })
  class Projects {
    @McpTool({ input: Project })
    build({ project }: { project: string }): string {
      return `built ${project}`
    }

    @McpPrompt({ input: Type.Object({ project: Type.String() }) })
    describe({ project }: { project: string }): string {
      return `described ${project}`
    }

    @McpResource('projects://{+project}')
    read({ project }: { project: string }): string {
      return `read ${project}`
    }

    @McpCompletion({ prompt: 'describe', argument: 'project' })
    complete(): string[] {
      return ['ada/secret']
    }
  }

  beforeEach(() => {
    ProjectPolicy.seen = []
  })

  const uses: [string, string, (project: string) => object][] = [
    ['a tool', 'tools/call', (project) => ({ name: 'build', arguments: { project } })],
    ['a prompt', 'prompts/get', (project) => ({ name: 'describe', arguments: { project } })],
    ['a resource', 'resources/read', (project) => ({ uri: `projects://${project}` })],
    [
      'a completion',
      'completion/complete',
      (project) => ({ ref: { type: 'ref/prompt', name: 'describe' }, argument: { name: 'project', value: project } }),
    ],
  ]

  it.each(uses)('decide on each use of %s by the arguments', async (_what, method, params) => {
    const server = await serve([Projects])
    await using client = openRawClient(server, who('ada'))
    expect((await client.modern(method, params('bob/lab'))).error).toEqual(forbidden)
    expect((await client.modern(method, params('ada/lab'))).error).toBeUndefined()
    expect(ProjectPolicy.seen.every(({ principal, context }) => principal === context.principal)).toBe(true)
    await server.close()
  })

  it('get validated arguments and the feature, and are skipped for invalid arguments', async () => {
    const server = await serve([Projects])
    await using client = openRawClient(server, who('ada'))
    const { result } = await client.modern('tools/call', { name: 'build', arguments: { project: 'a' } })
    expect(result.isError).toBe(true)
    expect(ProjectPolicy.seen).toEqual([])
    await client.modern('tools/call', { name: 'build', arguments: { project: 'ada/lab' } })
    await client.modern('resources/read', { uri: 'projects://ada/x' })
    expect(ProjectPolicy.seen.map(({ feature, arguments: args }) => [feature, args])).toEqual([
      [
        { kind: 'tool', name: 'build' },
        { project: 'ada/lab', depth: 1 },
      ],
      [{ kind: 'resource', name: 'projects://ada/x' }, { project: 'ada/x' }],
    ])
    await server.close()
  })

  it('are skipped for callers whose role or scope is missing', async () => {
    const asked: unknown[] = []
    class Guarded {
      @McpTool()
      @Authorize({ scopes: ['write'], policy: (request) => asked.push(request) > 0 })
      call(): string {
        return 'called'
      }
    }
    await callAll([Guarded], who('ada'))
    await callAll([Guarded])
    expect(asked).toEqual([])
    expect(await callAll([Guarded], who('ada', { scopes: ['write'] }))).toEqual({ call: 'called' })
  })

  it.each<[string, (request: AuthorizationRequest) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('secret'))],
    [
      'throws null',
      () => {
        throw null
      },
    ],
    ['answers with something that is not a boolean', () => 'yes'],
    ['answers with undefined', () => undefined],
    ['never settles', () => new Promise(() => undefined)],
  ])('reject the call if one of them %s', async (what, policy) => {
    const lines: string[] = []
    const logger = pino(
      { level: 'error' },
      new Writable({ write: (chunk, _encoding, done) => done(lines.push(String(chunk)) > 0 ? null : undefined) }),
    )
    class Guarded {
      @McpTool()
      @Authorize({ policy: policy as () => boolean })
      call(): string {
        throw new Error('it ran')
      }
    }
    const options = { logger, authorization: { policyTimeoutMs: 20 } }
    expect(await callAll([Guarded], who('ada'), options)).toEqual({ call: forbidden })
    const isFailure = !what.startsWith('answers')
    const logged = lines.map((line) => JSON.parse(line) as { msg: string; feature: unknown })
    expect(logged.map(({ msg, feature }) => [msg, feature])).toEqual(
      isFailure ? [['a policy failed: the call is rejected', { kind: 'tool', name: 'call' }]] : [],
    )
  })

  it('reject the call when they fail with an error that cannot be logged', async () => {
    const unreadable = Object.defineProperty(new Error('secret'), 'detail', {
      enumerable: true,
      get: () => {
        throw new Error('nobody is to see this')
      },
    })
    class Guarded {
      @McpTool()
      @Authorize({ policy: () => Promise.reject(unreadable) })
      call(): string {
        throw new Error('it ran')
      }
    }
    const logger = pino({ level: 'error' }, new Writable({ write: (_chunk, _encoding, done) => done() }))
    expect(await callAll([Guarded], who('ada'), { logger })).toEqual({ call: forbidden })
  })

  it('reject the call unless all of them agree', async () => {
    class Guarded {
      @McpTool()
      @Authorize({ policy: () => true })
      @Authorize({ policy: ({ principal }) => principal?.subject === 'ada' })
      call(): string {
        return 'called'
      }
    }
    expect(await callAll([Guarded], who('ada'))).toEqual({ call: 'called' })
    expect(await callAll([Guarded], who('bob'))).toEqual({ call: forbidden })
  })

  it('prevent the handler from starting if the call is cancelled while they run', async () => {
    let ran = false
    let decide = (): void => undefined
    class Guarded {
      @McpTool()
      @Authorize({
        policy: () =>
          new Promise((resolve) => {
            decide = () => resolve(true)
          }),
      })
      call(): void {
        ran = true
      }
    }
    const server = await serve([Guarded])
    await using client = openRawClient(server, who('ada'))
    void client.request('tools/call', { name: 'call' })
    await new Promise(setImmediate)
    client.notify('notifications/cancelled', { requestId: 1 })
    decide()
    await client.request('ping')
    await new Promise(setImmediate)
    expect(ran).toBe(false)
    await server.close()
  })

  it('stop after the first one when the call is cancelled', async () => {
    const asked: string[] = []
    let decide = (): void => undefined
    class Guarded {
      @McpTool()
      // Decorators apply from the last to the first.
      @Authorize({ policy: () => asked.push('second') > 0 })
      @Authorize({
        policy: () => {
          asked.push('first')
          return new Promise((resolve) => {
            decide = () => resolve(true)
          })
        },
      })
      call(): void {
        asked.push('handler')
      }
    }
    const server = await serve([Guarded], { authorization: { policyTimeoutMs: 60_000 } })
    const gaveUp = new Error('gave up')
    const giveUp = new AbortController()
    const call = server.callTool('call', {}, { principal: who('ada'), signal: giveUp.signal })
    await new Promise(setImmediate)
    giveUp.abort(gaveUp)
    await expect(call).rejects.toBe(gaveUp)
    decide()
    await new Promise(setImmediate)
    expect(asked).toEqual(['first'])
    await server.close()
  })
})

describe('completions', () => {
  class Prompts {
    static asked: unknown[] = []

    @McpPrompt({ input: Type.Object({ city: Type.String(), street: Type.String() }) })
    @Authorize({
      scopes: ['plan'],
      policy: ({ feature, arguments: args }) => Prompts.asked.push([feature, args]) > 0 && args.city === 'Oslo',
    })
    plan(): string {
      return 'planned'
    }

    @McpCompletion({ prompt: 'plan', argument: 'street' })
    street(): string[] {
      return ['Storgata']
    }

    @McpCompletion({ prompt: 'plan', argument: 'city' })
    @Authorize({ roles: ['Admin'] })
    city(): string[] {
      return ['Oslo']
    }
  }

  const complete = async (name: 'city' | 'street', city: string, principal?: Principal, options = {}) => {
    const server = await serve([Prompts], options)
    await using client = openRawClient(server, principal)
    const { result, error } = await client.modern('completion/complete', {
      ref: { type: 'ref/prompt', name: 'plan' },
      argument: { name, value: name === 'city' ? city : 'S' },
      context: { arguments: { city } },
    })
    const discovered = await client.modern('server/discover', {})
    await server.close()
    expect('completions' in discovered.result.capabilities).toBe(principal !== undefined)
    return error ?? result.completion.values
  }

  const lacking = { code: -32600, message: 'Forbidden: requires the scope plan' }
  const unknown = { code: -32602, message: 'Unknown prompt: plan' }
  const planner = who('ada', { scopes: ['plan'] })
  const admin = who('root', { scopes: ['plan'], roles: ['Admin'] })

  it('follow the rule of the prompt or template that they complete', async () => {
    expect(await complete('street', 'Oslo')).toEqual(unknown)
    expect(await complete('street', 'Oslo', who('ada'))).toEqual(lacking)
    expect(await complete('street', 'Rome', planner)).toEqual(forbidden)
    Prompts.asked = []
    expect(await complete('street', 'Oslo', planner)).toEqual(['Storgata'])
    expect(Prompts.asked).toEqual([
      [
        { kind: 'completion', name: 'prompt plan: street' },
        { city: 'Oslo', street: 'S' },
      ],
    ])
  })

  it('follow their own rule, too', async () => {
    expect(await complete('city', 'Oslo', planner)).toEqual(forbidden)
    expect(await complete('city', 'Oslo', admin)).toEqual(['Oslo'])
    expect(await complete('city', 'Oslo', who('root', { roles: ['Admin'] }))).toEqual(lacking)
  })

  it('with hideForbidden, are empty if the caller may use the prompt, but not its completion', async () => {
    const options = { authorization: { hideForbidden: true } }
    expect(await complete('city', 'Oslo', planner, options)).toEqual([])
    expect(await complete('street', 'Rome', planner, options)).toEqual([])
    expect(await complete('street', 'Oslo', undefined, options)).toEqual(unknown)
  })

  it('are not declared to callers who may use none of them', async () => {
    class Strict {
      @McpPrompt({ input: Type.Object({ city: Type.String() }) })
      @AllowAnonymous()
      open(): string {
        return 'open'
      }

      @McpCompletion({ prompt: 'open', argument: 'city' })
      @Authorize({ roles: ['Admin'] })
      city(): string[] {
        return ['Oslo']
      }
    }
    const server = await serve([Strict])
    await using nobody = openRawClient(server)
    await using root = openRawClient(server, who('root', { roles: ['Admin'] }))
    const declared = await Promise.all(
      [nobody, root].map(async (client) => {
        const { result } = await client.modern('server/discover', {})
        return 'completions' in result.capabilities
      }),
    )
    expect(declared).toEqual([false, true])
    await server.close()
  })
})

describe('authorization', () => {
  class Mixed {
    @McpTool()
    @AllowAnonymous()
    open(): string {
      return 'open'
    }

    @McpTool({
      input: Type.Object({ region: Type.String({ 'x-mcp-header': 'Region' }) }),
    })
    @Authorize({ roles: ['Admin'] })
    secretTool(): string {
      return 'secret'
    }
  }

  it('rejects members of a batch one by one', async () => {
    const server = await serve([Mixed])
    const received: unknown[] = []
    const client = connectInMemory(server, { onMessage: (message) => received.push(message), principal: who('ada') })
    client.send({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    })
    await new Promise(setImmediate)
    client.send(
      ['open', 'secret_tool'].map((name, index) => ({
        jsonrpc: '2.0',
        id: index + 1,
        method: 'tools/call',
        params: { name },
      })),
    )
    await new Promise(setImmediate)
    expect(received[1]).toEqual([
      { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'open' }] } },
      { jsonrpc: '2.0', id: 2, error: forbidden },
    ])
    await client.close()
    await server.close()
  })

  it('does not reveal argument errors to callers who may not call the tool', async () => {
    const server = await serve([Mixed])
    await using client = openRawClient(server, who('ada'))
    const { error } = await client.modern('tools/call', { name: 'secret_tool', arguments: { region: 5 } })
    expect(error).toEqual(forbidden)
    await server.close()
  })

  it('does not reveal the headers of a tool to callers who may not call it', async () => {
    const server = await serve([Mixed])
    const lane = { lane: 'http', era: 'modern' } as const
    const params = { name: 'secret_tool', arguments: { region: 'eu' } }
    const stranger = await openCaller(server, lane, who('ada'))
    expect(await stranger.request('tools/call', params)).toMatchObject({ status: 403, error: forbidden })
    const nobody = await openCaller(server, lane, undefined)
    expect(await nobody.request('tools/call', params)).toMatchObject({ status: 401, error: unauthorized })
    const admin = await openCaller(server, lane, who('root', { roles: ['Admin'] }))
    expect((await admin.request('tools/call', params)).error.code).toBe(-32020)
    await Promise.all([stranger, nobody, admin].map(async (client) => client.close()))
    await server.close()
  })

  it('restricts the capabilities in server/discover and initialize to the features that the caller may use', async () => {
    class Prompts {
      @McpPrompt({ input: Type.Object({ who: Type.String() }) })
      @Authorize({ roles: ['Admin'] })
      greet(): string {
        return 'hello'
      }

      @McpCompletion({ prompt: 'greet', argument: 'who' })
      complete(): string[] {
        return ['Ada']
      }

      @McpResource('files://{id}')
      @Authorize({ scopes: ['read'] })
      file(_variables: { id: string }): string {
        return 'file'
      }

      @McpTool({ task: 'optional' })
      @Authorize({ roles: ['Admin'] })
      long(): string {
        return 'done'
      }
    }
    const server = await serve([Prompts])
    const declared = async (principal?: Principal): Promise<object> => {
      await using client = openRawClient(server, principal)
      const { result } = await client.modern('server/discover', {})
      const legacy = await client.initialize('2025-11-25')
      expect(Object.keys(legacy.result.capabilities)).toEqual(
        Object.keys(result.capabilities).filter((name) => name !== 'extensions'),
      )
      expect(result.cacheScope).toBe('private')
      return Object.keys(result.capabilities)
    }
    expect(await declared()).toEqual(['tools', 'logging'])
    expect(await declared(who('ada'))).toEqual(['tools', 'logging', 'resources'])
    expect(await declared(who('root', { roles: ['Admin'] }))).toEqual([
      'tools',
      'logging',
      'prompts',
      'resources',
      'completions',
      'extensions',
    ])
    await server.close()
  })
})

describe('a hidden feature', () => {
  const admins = { authorize: { roles: ['Admin'] } }
  const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const requests: [string, object][] = [
    ['prompts/list', {}],
    ['prompts/get', { name: 'prompt' }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'files://one' }],
    ['tasks/get', { taskId: 'x' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'prompt' }, argument: { name: 'who', value: '' } }],
  ]

  async function serveHidden(hideForbidden: boolean) {
    const server = await serve([], { authorization: { hideForbidden } })
    server.catalog.addTool({ name: 'open', handler: () => '', allowAnonymous: true })
    return server
  }

  function addAll({ catalog }: McpServer): void {
    const handler = () => 'hidden'
    catalog.addPrompt({ name: 'prompt', input: Type.Object({ who: Type.String() }), handler, ...admins })
    catalog.addCompletion({ prompt: 'prompt', argument: 'who', handler: () => ['Ada'], ...admins })
    catalog.addResource({ uri: 'files://one', name: 'one', handler, ...admins })
    catalog.addTool({ name: 'long', task: 'required', handler, ...admins })
  }

  it.each(requests)('does not reveal the methods of its kind: %s', async (method, params) => {
    const [empty, hiding, rejecting] = [await serveHidden(true), await serveHidden(true), await serveHidden(false)]
    addAll(hiding)
    addAll(rejecting)
    const answerOf = async (server: McpServer, principal: Principal) => {
      await using client = openRawClient(server, principal)
      const { result, error } = await client.modern(method, params, tasks)
      return error ?? result
    }
    const unknown = await answerOf(empty, who('ada'))
    expect(unknown.code).toBe(-32601)
    expect(await answerOf(hiding, who('ada'))).toEqual(unknown)
    expect((await answerOf(hiding, who('root', { roles: ['Admin'] }))).code).not.toBe(-32601)
    expect((await answerOf(rejecting, who('ada'))).code).not.toBe(-32601)
    await Promise.all([empty, hiding, rejecting].map(async (server) => server.close()))
  })

  it('does not affect completions of a visible template', async () => {
    const server = await serveHidden(true)
    server.catalog.addResource({ uri: 'f://{+path}', name: 'open', handler: () => '', allowAnonymous: true })
    server.catalog.addCompletion({
      resource: 'f://{+path}',
      argument: 'path',
      handler: () => ['a'],
      allowAnonymous: true,
    })
    server.catalog.addResource({ uri: 'f://admin/{id}', name: 'hidden', handler: () => '', ...admins })
    await using client = openRawClient(server, who('ada'))
    const params = { ref: { type: 'ref/resource', uri: 'f://admin/1' }, argument: { name: 'path', value: '' } }
    const { result } = await client.modern('completion/complete', params)
    expect(result.completion.values).toEqual(['a'])
    await server.close()
  })
})
