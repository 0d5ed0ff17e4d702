import {
  type AuthorizationRequest,
  Authorize,
  Catalog,
  Changes,
  type CompletionRequest,
  delay,
  type FeatureCall,
  container as globalContainer,
  Inject,
  inject,
  injectable,
  Lifecycle,
  McpCompletion,
  McpPrompt,
  McpResource,
  McpTool,
  scoped,
  singleton,
  Type,
  UseHooks,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { injectAll } from 'tsyringe'
import { until } from '../../../../test/support/until.js'
import { findMistakes } from '../boot/find-problems.js'

const logger = pino({ level: 'silent' })
const base = { name: 'season', version: '1.0.0', logger }

function boot(controllers: ServerOptions['controllers'], options: Partial<ServerOptions> = {}) {
  return createServer({ ...base, controllers, ...options })
}

@injectable()
class SeasonTools {
  constructor(
    private readonly catalog: Catalog,
    private readonly changes: Changes,
  ) {}

  @McpTool()
  begin(): void {
    this.catalog.addTool({ name: 'bake', handler: () => 'A stollen' })
  }

  @McpTool()
  end(): boolean {
    return this.catalog.removeTool('bake')
  }

  @McpTool()
  heat(): void {
    this.changes.resourceUpdated('bakery://oven')
  }

  @McpResource('bakery://oven')
  oven(): string {
    return '200 degrees'
  }
}

describe.each(lanes)('a controller with injected catalog and changes: $lane, $era', (lane) => {
  it('adds and removes tools, and clients are notified', async () => {
    await using connection = await connect({ ...base, controllers: [SeasonTools] }, lane)
    const { client } = connection
    const names = async () => (await client.listTools()).tools.map(({ name }) => name)
    let told = 0
    client.setNotificationHandler('notifications/tools/list_changed', () => void told++)
    if (lane.era === 'modern') await client.listen({ toolsListChanged: true })

    await client.callTool({ name: 'begin' })
    await until(() => told === 1)
    expect(await names()).toEqual(['bake', 'begin', 'end', 'heat'])
    expect((await client.callTool({ name: 'bake' })).content).toEqual([{ type: 'text', text: 'A stollen' }])
    await client.callTool({ name: 'end' })
    await until(() => told === 2)
    expect(await names()).toEqual(['begin', 'end', 'heat'])
  })

  it('notifies the subscribers of a changed resource', async () => {
    await using connection = await connect({ ...base, controllers: [SeasonTools] }, lane)
    const { client } = connection
    const heard: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
    if (lane.era === 'modern') await client.listen({ resourceSubscriptions: ['bakery://oven'] })
    else await client.subscribeResource({ uri: 'bakery://oven' })

    await client.callTool({ name: 'heat' })
    await until(() => heard.length > 0)
    expect(heard).toEqual(['bakery://oven'])
  })
})

it('the same catalog is injected in controllers, services, hooks, policies, factories and parameters', async () => {
  const seen = new Map<string, unknown>()

  @injectable()
  class Service {
    constructor(readonly catalog: Catalog) {}
  }

  @singleton()
  class Single {
    constructor(readonly service: Service) {}
  }

  @scoped(Lifecycle.ContainerScoped)
  class PerCall {
    constructor(readonly catalog: Catalog) {}
  }

  @injectable()
  class Later {
    constructor(readonly catalog: Catalog) {}
  }

  @injectable()
  class Hook {
    constructor(readonly catalog: Catalog) {}

    onInvoking(_call: FeatureCall): void {
      seen.set('hook', this.catalog)
    }
  }

  @injectable()
  class Allowed {
    constructor(readonly catalog: Catalog) {}

    allows(_request: AuthorizationRequest): boolean {
      seen.set('policy', this.catalog)
      return true
    }
  }

  @injectable()
  class Tools {
    constructor(
      readonly catalog: Catalog,
      readonly single: Single,
      @Inject('made') readonly made: { readonly catalog: Catalog },
      @Inject(delay(() => Later)) readonly later: Later,
    ) {}

    @Authorize({ policy: Allowed })
    @UseHooks(Hook)
    @McpTool()
    look(catalog: Catalog, perCall: PerCall): void {
      seen.set('controller', this.catalog)
      seen.set('singleton', this.single.service.catalog)
      seen.set('factory', this.made.catalog)
      seen.set('delayed', this.later.catalog)
      seen.set('parameter', catalog)
      seen.set('scoped', perCall.catalog)
    }
  }
  const container = globalContainer.createChildContainer()
  container.register('made', { useFactory: (made) => ({ catalog: made.resolve(Catalog) }) })
  // Not the server's own container.
  container.register(Catalog, { useFactory: () => null as never })
  const server = await boot([Tools], { container })
  await server.callTool('look', {}, { principal: { subject: 'Ada', roles: [], scopes: [], claims: {} } })

  expect([...seen.keys()].toSorted()).toEqual(
    ['controller', 'delayed', 'factory', 'hook', 'parameter', 'policy', 'scoped', 'singleton'].toSorted(),
  )
  expect([...seen.values()].every((catalog) => catalog === server.catalog)).toBe(true)
  await server.close()
})

describe('several servers of a process', () => {
  const disposed: number[] = []

  @singleton()
  class Plugins {
    static made = 0
    readonly number = ++Plugins.made

    constructor(
      readonly catalog: Catalog,
      readonly changes: Changes,
    ) {}

    dispose(): void {
      disposed.push(this.number)
    }
  }

  @singleton()
  class Counter {
    count = 0
  }

  @singleton()
  class Registry {
    constructor(
      readonly plugins: Plugins,
      readonly counter: Counter,
    ) {}
  }

  @injectable()
  class Tools {
    constructor(readonly registry: Registry) {}

    @McpTool()
    add(plugins: Plugins): string {
      const { counter, plugins: own } = this.registry
      own.catalog.addTool({ name: `added_${++counter.count}`, handler: () => '' })
      return `${plugins === own} ${own.number}`
    }
  }

  const child = globalContainer.createChildContainer()

  it.each([
    ['the global container', globalContainer, globalContainer],
    ['one child of it', child, child],
    ['a container and a child of it', child, child.createChildContainer()],
  ])('have separate catalogs, and separate singletons that depend on them, in %s', async (_, first, second) => {
    Plugins.made = 0
    disposed.length = 0
    globalContainer.resolve(Counter).count = 0
    const [one, two] = [await boot([Tools], { container: first }), await boot([Tools], { container: second })]

    expect(await one.callTool('add')).toMatchObject({ content: [{ text: 'true 1' }] })
    expect(await two.callTool('add')).toMatchObject({ content: [{ text: 'true 2' }] })
    expect(await one.callTool('add')).toMatchObject({ content: [{ text: 'true 1' }] })
    expect([...one.catalog.tools.keys()]).toEqual(['add', 'added_1', 'added_3'])
    // A singleton that does not depend on a server is shared by both.
    expect([...two.catalog.tools.keys()]).toEqual(['add', 'added_2'])
    await one.close()
    expect(disposed).toEqual([1])
    await two.close()
    expect(disposed).toEqual([1, 2])
  })

  it('have separate singletons behind @injectAll that depend on the catalog', async () => {
    @singleton()
    class Holder {
      constructor(readonly catalog: Catalog) {}
    }

    @singleton()
    class Other {}

    @injectable()
    class Direct {
      constructor(readonly catalog: Catalog) {}
    }

    @injectable()
    class Asking {
      constructor(@injectAll('plugins') readonly plugins: Array<Partial<Holder>>) {}

      @McpTool()
      own(expected: Catalog): boolean[] {
        return this.plugins.map(({ catalog }) => catalog === expected)
      }

      @McpTool()
      last(): boolean {
        return this.plugins.at(-1) === container.resolve(Other)
      }
    }
    const container = globalContainer.createChildContainer()
    container.registerSingleton('plugins', Direct)
    container.register('plugins', { useToken: Holder })
    container.register('plugins', { useToken: Other })
    const [one, two] = [await boot([Asking], { container }), await boot([Asking], { container })]

    for (const server of [one, two]) {
      expect(await server.callTool('own')).toMatchObject({ content: [{ text: '[true,true,false]' }] })
      expect(await server.callTool('last')).toMatchObject({ content: [{ text: 'true' }] })
    }
    await one.close()
    await two.close()
  })

  it('have separate singletons behind a delayed or circular dependency on the catalog', async () => {
    @singleton()
    class First {
      constructor(@Inject(delay(() => Second)) readonly second: { readonly first: First; readonly catalog: Catalog }) {}
    }

    @singleton()
    class Second {
      constructor(
        readonly first: First,
        readonly catalog: Catalog,
      ) {}
    }

    @singleton()
    class Alone {
      constructor(readonly catalog: Catalog) {}
    }

    @injectable()
    class Asking {
      constructor(
        readonly first: First,
        @Inject(delay(() => Alone)) readonly alone: Alone,
      ) {}

      @McpTool()
      own(expected: Catalog): boolean[] {
        const { second } = this.first
        return [second.catalog === expected, second.first === this.first, this.alone.catalog === expected]
      }
    }
    const [one, two] = [await boot([Asking]), await boot([Asking])]

    for (const server of [one, two])
      expect(await server.callTool('own')).toMatchObject({ content: [{ text: '[true,true,true]' }] })
    await one.close()
    await two.close()
  })

  it('share a singleton that does not depend on the catalog, even if another singleton has the same token', async () => {
    class Pool {}

    @injectable()
    class Direct {
      constructor(readonly catalog: Catalog) {}
    }

    @injectable()
    class Asking {
      constructor(@injectAll('sources') readonly sources: readonly [Direct, Pool]) {}

      @McpTool()
      own(expected: Catalog): boolean[] {
        return [this.sources[0].catalog === expected, this.sources[1] === container.resolve('sources')]
      }
    }
    const container = globalContainer.createChildContainer()
    container.register('sources', { useClass: Direct })
    container.registerSingleton('sources', Pool)
    const [one, two] = [await boot([Asking], { container }), await boot([Asking], { container })]

    for (const server of [one, two])
      expect(await server.callTool('own')).toMatchObject({ content: [{ text: '[true,true]' }] })
    await one.close()
    await two.close()
  })

  it('have separate singletons that depend on the catalog through an optional token', async () => {
    @injectable()
    class Named {
      constructor(readonly catalog: Catalog) {}
    }

    @singleton()
    class Holder {
      constructor(
        @inject('named', { isOptional: true }) readonly named: Named | undefined,
        @inject(Named, { isOptional: true }) readonly unregistered: Named,
        @inject(Catalog, { isOptional: true }) readonly catalog: Catalog,
        @injectAll(Named, { isOptional: true }) readonly all: readonly Named[],
        @inject('missing', { isOptional: true }) readonly missing: object | undefined,
        @injectAll('missing', { isOptional: true }) readonly none: readonly object[],
      ) {}
    }

    @singleton()
    class HolderOfAll {
      constructor(@injectAll(Named, { isOptional: true }) readonly all: readonly Named[]) {}
    }

    @singleton()
    class HolderOfNamed {
      constructor(@inject('named', { isOptional: true }) readonly named: Named) {}
    }

    @injectable()
    class Asking {
      constructor(
        readonly holder: Holder,
        readonly ofAll: HolderOfAll,
        readonly ofNamed: HolderOfNamed,
      ) {}

      @McpTool()
      own(expected: Catalog): unknown[] {
        const { named, unregistered, catalog, all, missing, none } = this.holder
        const found = [named?.catalog, unregistered.catalog, catalog, all[0]?.catalog]
        const others = [this.ofAll.all[0]?.catalog, this.ofNamed.named.catalog]
        return [[...found, ...others].every((one) => one === expected), missing ?? null, none.length]
      }
    }
    const container = globalContainer.createChildContainer()
    container.register('named', { useClass: Named })
    const [one, two] = [await boot([Asking], { container }), await boot([Asking], { container })]

    for (const server of [one, two])
      expect(await server.callTool('own')).toMatchObject({ content: [{ text: '[true,null,0]' }] })
    await one.close()
    await two.close()
  })

  it('do not register the catalog in the global container', () => {
    expect(() => globalContainer.resolve(Plugins)).toThrow('TypeInfo not known for "Catalog"')
    expect(() => globalContainer.resolve(Changes)).toThrow('TypeInfo not known for "Changes"')
  })
})

describe('a constructor with an injected catalog', () => {
  it('finds every decorated feature, and its changes are served', async () => {
    const found: string[] = []

    @injectable()
    class Adding {
      constructor(catalog: Catalog) {
        found.push(...catalog.tools.keys(), ...catalog.completions.keys())
        catalog.removeTool('gone')
        catalog.removeTool('own')
        catalog.removeTool('replaced')
        catalog.addTool({ name: 'replaced', handler: () => 'the new one' })
        catalog.addTool({ name: 'added', input: Type.Object({ a: Type.Number() }), handler: ({ a }) => `${a}` })
        catalog.addPrompt({ name: 'greet', input: Type.Object({ name: Type.String() }), handler: () => 'Hello' })
        catalog.addCompletion({ prompt: 'greet', argument: 'name', handler: () => ['Ada'] })
      }

      @McpCompletion({ resource: 'notes://{z}', argument: 'z' })
      complete(_request: CompletionRequest): string[] {
        return []
      }

      @McpTool()
      own(): void {}

      @McpTool()
      replaced(): string {
        return 'the old one'
      }
    }

    @injectable()
    class Templates {
      constructor(catalog: Catalog) {
        catalog.addResource({ uri: 'notes://{a}', name: 'first', handler: () => 'the first template' })
      }

      @McpResource('notes://{z}')
      note(): string {
        return 'the second template'
      }
    }

    class Others {
      @McpTool()
      gone(): void {}

      @McpPrompt()
      plan(): string {
        return ''
      }
    }
    const server = await boot([Others, Adding, Templates])

    expect(found).toEqual(['gone', 'own', 'replaced', 'resource notes://{z}: z'])
    expect([...server.catalog.tools.keys()].toSorted()).toEqual(['added', 'replaced'])
    expect(await server.callTool('added', { a: 1 })).toMatchObject({ content: [{ text: '1' }] })
    expect(await server.callTool('added', { a: 'one' })).toMatchObject({ isError: true })
    expect(await server.callTool('replaced')).toMatchObject({ content: [{ text: 'the new one' }] })
    await expect(server.callTool('gone')).rejects.toThrow('Unknown tool: gone')
    await expect(server.callTool('own')).rejects.toThrow('Unknown tool: own')
    expect(
      await server.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: '' } }),
    ).toMatchObject({ values: ['Ada'] })
    expect(await server.readResource('notes://1')).toMatchObject({ contents: [{ text: 'the first template' }] })
    await server.close()
  })

  it('of a hook may add features that the hook then runs for', async () => {
    const invoked: string[] = []

    @injectable()
    class Hook {
      static made = 0

      constructor(catalog: Catalog) {
        Hook.made++
        catalog.addTool({ name: 'added', handler: () => 'added' })
      }

      onInvoking({ name }: FeatureCall): void {
        invoked.push(name)
      }
    }

    class Tools {
      @McpTool()
      own(): void {}
    }
    const server = await boot([Tools], { hooks: [Hook] })
    await server.callTool('added')
    await server.callTool('own')

    expect(invoked).toEqual(['added', 'own'])
    expect(Hook.made).toBe(1)
    await server.close()
  })

  it('that adds an invalid feature causes a boot problem', async () => {
    @injectable()
    class Adding {
      constructor(catalog: Catalog) {
        catalog.addTool({ name: 'add', handler: () => '' })
      }

      @McpTool()
      add(): void {}
    }

    expect(await findMistakes(Adding)).toEqual([
      'constructor-failed: Adding could not be created at boot, because its constructor threw: Tool ' +
        "'add' cannot be added: 1 problem found.\n" +
        "  1. Tool 'add' is already served. Remove it first, or choose another name. [duplicate-name]",
    ])
  })
})
