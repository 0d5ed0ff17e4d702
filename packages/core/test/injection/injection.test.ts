import { EventEmitter, once } from 'node:events'
import {
  container as globalContainer,
  Inject,
  inject,
  injectable,
  Lifecycle,
  McpContext,
  McpTool,
  type ProgressUpdate,
  type Static,
  scoped,
  singleton,
  ToolError,
  Type,
} from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect, type TestConnection } from '@toolwright/testing'
import { pino } from 'pino'

function serving(controllers: ServerOptions['controllers'], options: Partial<ServerOptions> = {}) {
  return connect({ name: 'injection', version: '1.0.0', controllers, ...options })
}

/** The text of a tool result. */
async function call({ client }: TestConnection, name: string, args?: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args })
  return (content as readonly { readonly text: string }[]).map(({ text }) => text).join()
}

/** A class whose instances are numbered, and that logs their disposal. */
function disposable() {
  const events = new EventEmitter()
  const disposed: number[] = []
  class Numbered {
    static made = 0
    readonly number = ++Numbered.made

    async dispose(): Promise<void> {
      await new Promise(setImmediate)
      disposed.push(this.number)
      events.emit('disposed')
    }
  }
  return { Numbered, disposed, events }
}

describe('a constructor', () => {
  @injectable()
  class Clock {
    now(): number {
      return 7
    }
  }

  interface Database {
    readonly name: string
  }
  const kDatabase = Symbol('database')
  const container = globalContainer.createChildContainer()
  container.register<Database>('Database', { useValue: { name: 'postgres' } })
  container.register<Database>(kDatabase, { useFactory: () => ({ name: 'sqlite' }) })

  @injectable()
  class Tools {
    static made = 0

    constructor(
      readonly clock: Clock,
      @inject('Database') readonly database: Database,
      @Inject(kDatabase) readonly other: Database,
    ) {
      Tools.made++
    }

    @McpTool()
    one(): string {
      return `${this.clock.now()} ${this.database.name} ${this.other.name}`
    }

    @McpTool()
    two(): string {
      return this.one()
    }
  }

  it('gets classes by their types, and other values by their tokens', async () => {
    await using connection = await serving([Tools], { container })

    expect(await call(connection, 'one')).toBe('7 postgres sqlite')
  })

  it('runs once, before the first call, for all features of its class', async () => {
    Tools.made = 0
    await using connection = await serving([Tools], { container })

    expect(Tools.made).toBe(1)
    await call(connection, 'one')
    await call(connection, 'two')
    expect(Tools.made).toBe(1)
  })

  it('is inherited with its injected parameters', async () => {
    class MoreTools extends Tools {
      @McpTool()
      three(): string {
        return `three: ${this.one()}`
      }
    }
    await using connection = await serving([MoreTools], { container })

    expect(await call(connection, 'three')).toBe('three: 7 postgres sqlite')
    expect(await call(connection, 'two')).toBe('7 postgres sqlite')
  })

  it('needs no decorator on the class when @Inject is on every parameter', async () => {
    class Plain {
      constructor(@Inject(Clock) readonly clock: Clock) {}

      @McpTool()
      now(): number {
        return this.clock.now()
      }
    }
    await using connection = await serving([Plain])

    expect(await call(connection, 'now')).toBe('7')
  })

  it('runs for each call if it injects the context', async () => {
    @injectable()
    class Caller {
      constructor(readonly context: McpContext) {}
    }

    @injectable()
    class ContextTools {
      static made = 0

      constructor(readonly caller: Caller) {
        ContextTools.made++
      }

      @McpTool()
      id(context: McpContext): boolean {
        return this.caller.context === context
      }
    }
    await using connection = await serving([ContextTools])

    expect(ContextTools.made).toBe(0)
    expect(await call(connection, 'id')).toBe('true')
    expect(await call(connection, 'id')).toBe('true')
    expect(ContextTools.made).toBe(2)
  })
})

describe('a parameter of a method', () => {
  const Input = Type.Object({ name: Type.String() })

  class Greeter {
    static made = 0
    readonly number = ++Greeter.made

    greet(name: string): string {
      return `Hello, ${name}!`
    }
  }

  interface Sign {
    readonly text: string
  }
  const container = globalContainer.createChildContainer()
  container.register<Sign>('Sign', { useValue: { text: 'Bye' } })

  class Tools {
    @McpTool({ input: Input })
    greet(
      { name }: Static<typeof Input>,
      context: McpContext,
      greeter: Greeter,
      @Inject('Sign') sign: Sign,
      @Inject(Greeter) other: unknown,
    ): string {
      return [greeter.greet(name), context.method, sign.text, other instanceof Greeter].join(' ')
    }

    @McpTool()
    first(greeter: Greeter, @Inject(McpContext) context: unknown): string {
      return [greeter.greet('you'), context instanceof McpContext].join(' ')
    }

    @McpTool()
    numbers(a: Greeter, b: Greeter): string {
      return [a.number, b.number].join(' ')
    }
  }

  it('after the arguments is a class, a token or the context, in any order', async () => {
    await using connection = await serving([Tools], { container })

    expect(await call(connection, 'greet', { name: 'Ada' })).toBe('Hello, Ada! tools/call Bye true')
  })

  it('is injected from the first position on when the tool has no arguments', async () => {
    await using connection = await serving([Tools], { container })

    expect(await call(connection, 'first')).toBe('Hello, you! true')
  })

  it('is created anew for each parameter of each call by default', async () => {
    await using connection = await serving([Tools], { container })
    Greeter.made = 0

    expect(await call(connection, 'numbers')).toBe('1 2')
    expect(await call(connection, 'numbers')).toBe('3 4')
  })
})

describe('a call-scoped instance', () => {
  it('is shared within the call only', async () => {
    @scoped(Lifecycle.ContainerScoped)
    class Transaction {
      static made = 0
      readonly number = ++Transaction.made
    }

    @injectable()
    class Store {
      constructor(readonly transaction: Transaction) {}
    }

    @injectable()
    class Tools {
      constructor(readonly transaction: Transaction) {}

      @McpTool()
      numbers(transaction: Transaction, store: Store): string {
        return [this.transaction.number, transaction.number, store.transaction.number].join(' ')
      }
    }
    await using connection = await serving([Tools])

    expect(await call(connection, 'numbers')).toBe('1 1 1')
    expect(await call(connection, 'numbers')).toBe('2 2 2')
  })

  it('is disposed when the promise of the method has settled, before the response', async () => {
    const { Numbered, disposed } = disposable()
    const container = globalContainer.createChildContainer().register('Numbered', { useClass: Numbered })

    class Tools {
      @McpTool()
      async count(@Inject('Numbered') numbered: { readonly number: number }): Promise<string> {
        await new Promise(setImmediate)
        return `${numbered.number} of ${disposed.length}`
      }

      @McpTool()
      sync(@Inject('Numbered') numbered: { readonly number: number }): string {
        return `${numbered.number} of ${disposed.length}`
      }

      @McpTool()
      async fail(@Inject('Numbered') _numbered: object): Promise<never> {
        throw new Error('failed')
      }
    }
    await using connection = await serving([Tools], { container })

    expect(await call(connection, 'count')).toBe('1 of 0')
    expect(disposed).toEqual([1])
    expect(await call(connection, 'sync')).toBe('2 of 1')
    expect(disposed).toEqual([1, 2])
    await call(connection, 'fail')
    expect(disposed).toEqual([1, 2, 3])
  })

  it('is disposed when one of its dependencies could not be created', async () => {
    const { Numbered, disposed } = disposable()

    class Broken {
      constructor() {
        throw new Error('no connection')
      }
    }

    class Tools {
      @McpTool()
      use(@Inject(Numbered) _numbered: object, _broken: Broken): string {
        return 'used'
      }
    }
    await using connection = await serving([Tools])

    expect(await call(connection, 'use')).toMatch("Tool 'use' failed.")
    expect(disposed).toEqual([1])
  })

  it('leaves the stack of a constructor error in the log, not in the response', async () => {
    const lines: { readonly err?: { readonly message: string; readonly stack: string } }[] = []
    const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })

    @scoped(Lifecycle.ContainerScoped)
    class Broken {
      constructor(readonly context: McpContext) {
        throw new Error('no connection')
      }
    }

    @injectable()
    class Repository {
      constructor(readonly broken: Broken) {}
    }

    class Tools {
      @McpTool()
      use(_repository: Repository): string {
        return 'used'
      }
    }
    await using connection = await serving([Tools], { logger })

    const answer = await call(connection, 'use')
    expect(answer).toMatch(
      /^Tool 'use' failed\. The cause is in the server's log \(request \d+, error [\da-f-]{36}\)\.$/,
    )
    const errors = lines.flatMap(({ err }) => (err === undefined ? [] : [err]))
    expect(errors.map(({ message }) => message)).toEqual(['no connection'])
    expect(errors[0]?.stack).toMatch(/^Error: no connection\n\s+at new Broken \(.*injection\.test\.ts:\d+:\d+\)/)
  })

  it('passes the message of a ToolError of its constructor to the model', async () => {
    @scoped(Lifecycle.ContainerScoped)
    class Account {
      constructor(readonly context: McpContext) {
        throw new ToolError('Open an account first.')
      }
    }

    @injectable()
    class Orders {
      constructor(readonly account: Account) {}
    }

    class Tools {
      @McpTool()
      order(_orders: Orders): string {
        return 'ordered'
      }
    }
    await using connection = await serving([Tools])

    expect(await call(connection, 'order')).toBe('Open an account first.')
  })

  it('of a cancelled or timed-out call lives until its handler ends', async () => {
    const { Numbered, disposed, events } = disposable()
    const handler = new EventEmitter()

    class Tools {
      @McpTool()
      async deaf(@Inject(Numbered) _numbered: object): Promise<void> {
        handler.emit('started')
        await once(handler, 'finish')
      }

      @McpTool({ timeoutMs: 1 })
      async late(@Inject(Numbered) _numbered: object): Promise<void> {
        await once(handler, 'finish')
        throw new Error('nobody hears this')
      }
    }
    await using connection = await serving([Tools])

    const controller = new AbortController()
    const started = once(handler, 'started')
    const cancelled = connection.client.callTool({ name: 'deaf' }, { signal: controller.signal })
    await started
    controller.abort()
    await expect(cancelled).rejects.toThrow('aborted')
    expect(await call(connection, 'late')).toBe("Tool 'late' did not finish within 0.001 seconds and was stopped.")
    expect(disposed).toEqual([])

    const bothDisposed = once(events, 'disposed').then(() => once(events, 'disposed'))
    handler.emit('finish')
    await bothDisposed
    expect(disposed).toEqual([1, 2])
  })

  it('lives until an async generator has returned', async () => {
    const { Numbered, disposed } = disposable()

    class Tools {
      @McpTool()
      async *steps(@Inject(Numbered) _numbered: object): AsyncGenerator<ProgressUpdate, string> {
        const seen = []
        for (let progress = 1; progress <= 3; progress++) {
          yield { progress }
          await new Promise(setImmediate)
          seen.push(disposed.length)
        }
        return seen.join()
      }
    }
    await using connection = await serving([Tools])

    expect(await call(connection, 'steps')).toBe('0,0,0')
    expect(disposed).toEqual([1])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('the disk is full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('the disk is full'))],
  ])('logs the error when its disposal %s, and the response is unchanged', async (_what, dispose: () => unknown) => {
    const lines: string[] = []
    const logger = pino({}, { write: (line: string) => void lines.push(line) })

    class Leaky {
      dispose(): unknown {
        return dispose()
      }
    }

    class Tools {
      @McpTool({ description: 'Uses' })
      use(_leaky: Leaky): string {
        return 'used'
      }
    }
    await using connection = await serving([Tools], { logger })

    expect(await call(connection, 'use')).toBe('used')
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        level: 50,
        msg: 'a dependency of a call could not be disposed',
        err: { message: 'the disk is full' },
        method: 'tools/call',
      },
    ])
  })
})

describe('disposal', () => {
  it('runs in reverse order of creation, and continues after an error', async () => {
    const disposed: string[] = []
    const lines: string[] = []
    const logger = pino({}, { write: (line: string) => void lines.push(line) })

    class Connection {
      dispose(): void {
        disposed.push('connection')
        throw new Error('the socket is gone')
      }
    }

    @injectable()
    class Transaction {
      constructor(readonly connection: Connection) {}

      dispose(): never {
        disposed.push('transaction')
        throw new Error('nothing to roll back')
      }
    }

    class Tools {
      @McpTool({ description: 'Uses' })
      use(_transaction: Transaction): string {
        return 'used'
      }
    }
    await using connection = await serving([Tools], { logger })

    expect(await call(connection, 'use')).toBe('used')
    expect(disposed).toEqual(['transaction', 'connection'])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch('several instances could not be disposed')
    expect(lines[0]).toMatch('nothing to roll back')
    expect(lines[0]).toMatch('the socket is gone')
  })
})

describe('a singleton', () => {
  it('is created at boot, also if only a call would need it', async () => {
    const { Numbered, disposed } = disposable()
    const container = globalContainer.createChildContainer()
    container.register(Numbered, { useClass: Numbered }, { lifecycle: Lifecycle.Singleton })

    @injectable()
    class Store {
      constructor(@Inject(Numbered) readonly pool: { readonly number: number }) {}
    }

    class Tools {
      @McpTool()
      number({ pool }: Store): number {
        return pool.number
      }
    }
    await using connection = await serving([Tools], { container })

    expect(Numbered.made).toBe(1)
    expect(await call(connection, 'number')).toBe('1')
    expect(await call(connection, 'number')).toBe('1')
    // Instances created by a call are disposed with the call.
    expect(disposed).toEqual([])
  })

  it('is shared by all servers of the process, unlike a controller', async () => {
    @singleton()
    class Counter {
      count = 0
    }

    @injectable()
    class Tools {
      own = 0

      constructor(readonly counter: Counter) {}

      @McpTool()
      next(): string {
        return `${++this.own} ${++this.counter.count}`
      }
    }
    await using one = await serving([Tools])
    await using two = await serving([Tools])

    expect(await call(one, 'next')).toBe('1 1')
    expect(await call(two, 'next')).toBe('1 2')
    expect(await call(one, 'next')).toBe('2 3')
  })

  it('can be a controller', async () => {
    @singleton()
    class Tools {
      static made = 0
      calls = 0

      constructor() {
        Tools.made++
      }

      @McpTool()
      next(_context: McpContext): number {
        return ++this.calls
      }
    }
    await using one = await serving([Tools])
    await using two = await serving([Tools])

    expect([await call(one, 'next'), await call(two, 'next')]).toEqual(['1', '2'])
    expect(Tools.made).toBe(1)
  })
})

describe('injection, unlike tsyringe,', () => {
  it('creates a class per call if it is scoped in a parent container, or was registered late', async () => {
    const container = globalContainer.createChildContainer().createChildContainer()

    @scoped(Lifecycle.ContainerScoped)
    class Late {
      static made = 0
      readonly number = ++Late.made
    }

    class Tools {
      @McpTool()
      numbers(a: Late, b: Late): string {
        return `${a.number} ${b.number}`
      }
    }
    await using connection = await serving([Tools], { container })

    expect(await call(connection, 'numbers')).toBe('1 1')
    expect(await call(connection, 'numbers')).toBe('2 2')
  })

  it('keeps no transient instances of a call, nor any instances after the server has closed', async () => {
    const { Numbered, disposed } = disposable()

    class Tools {
      @McpTool()
      number(@Inject(Numbered) { number }: { readonly number: number }): number {
        return number
      }
    }
    const connection = await serving([Tools])
    for (const expected of ['1', '2', '3']) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await call(connection, 'number')).toBe(expected)
    }

    expect(disposed).toEqual([1, 2, 3])
    await connection.close()
    expect(disposed).toEqual([1, 2, 3])
  })

  it('disposes controllers when the server closes, and never singletons, which belong to the application', async () => {
    const disposed: string[] = []

    @singleton()
    class Pool {
      dispose(): void {
        disposed.push('pool')
      }
    }

    @injectable()
    class Tools {
      constructor(readonly pool: Pool) {}

      @McpTool()
      use(): string {
        return 'used'
      }

      dispose(): void {
        disposed.push('tools')
      }
    }
    const connection = await serving([Tools])
    expect(await call(connection, 'use')).toBe('used')
    expect(disposed).toEqual([])

    await connection.close()
    expect(disposed).toEqual(['tools'])
  })
})
