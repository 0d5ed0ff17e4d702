import {
  BootError,
  delay,
  container as globalContainer,
  Inject,
  inject,
  injectable,
  Lifecycle,
  McpContext,
  McpTool,
  scoped,
  singleton,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { findDiagnostics, findMistakes } from './find-problems.js'

describe('injection tokens', () => {
  const kClock = Symbol('clock')

  @injectable()
  class Ledger {
    constructor(@Inject('Database') readonly database: object) {}
  }

  @injectable()
  class Tools {
    constructor(readonly ledger: Ledger) {}

    @McpTool()
    add(@Inject(kClock) _clock: object): string {
      return ''
    }
  }

  it('must be registered before the server boots', async () => {
    expect(await findMistakes(Tools)).toEqual([
      "unresolvable-token: The constructor of Ledger, parameter 1: nothing is registered for the token 'Database'. " +
        'Register it before the server boots, with the container of toolwright: container.register(token, { useClass: … }).',
      'unresolvable-token: Tools.add, parameter 1 (injected, because there is no `input` schema): nothing is ' +
        'registered for the token Symbol(clock). ' +
        'Register it before the server boots, with the container of toolwright: container.register(token, { useClass: … }).',
    ])
  })

  it('are resolved in the container of the server', async () => {
    const container = globalContainer.createChildContainer()
    container.register('Database', { useValue: {} }).register(kClock, { useFactory: () => ({}) })

    expect(await findDiagnostics({ controllers: [Tools], container })).toEqual([])
  })

  it('are followed to the classes that they stand for', async () => {
    const container = globalContainer.createChildContainer()
    container.register('Database', { useToken: 'Postgres' }).register(kClock, { useClass: Ledger })

    expect(await findDiagnostics({ controllers: [Tools], container })).toEqual([
      "unresolvable-token: The constructor of Ledger, parameter 1: nothing is registered for the token 'Postgres'. " +
        'Register it before the server boots, with the container of toolwright: container.register(token, { useClass: … }).',
    ])
  })

  it('can be optional', async () => {
    @injectable()
    class Optional {
      constructor(@inject('Missing', { isOptional: true }) readonly missing: object | undefined) {}

      @McpTool()
      add(): string {
        return ''
      }
    }

    expect(await findMistakes(Optional)).toEqual([])
  })

  it('are checked if they are optional but registered', async () => {
    @injectable()
    class PerCall {
      constructor(readonly context: McpContext) {}
    }

    @singleton()
    class Keeping {
      constructor(@inject(PerCall, { isOptional: true }) readonly perCall: PerCall) {}
    }

    @injectable()
    class Optional {
      constructor(
        readonly keeping: Keeping,
        @inject('Ledger', { isOptional: true }) readonly ledger: Ledger,
      ) {}

      @McpTool()
      add(): string {
        return ''
      }
    }
    const container = globalContainer.createChildContainer().register('Ledger', { useClass: Ledger })

    expect(await findDiagnostics({ controllers: [Optional], container })).toEqual([
      'captive-dependency: Keeping -> PerCall -> McpContext: Keeping is a singleton, so it would keep the McpContext of ' +
        'the first call. Make Keeping @scoped(Lifecycle.ContainerScoped), or pass the value as an argument.',
      "unresolvable-token: The constructor of Ledger, parameter 1: nothing is registered for the token 'Database'. " +
        'Register it before the server boots, with the container of toolwright: container.register(token, { useClass: … }).',
    ])
  })

  it('can be built-in types when they are registered', async () => {
    class Timer {
      @McpTool()
      add(_url: URL, @Inject(Map) _cache: object): string {
        return ''
      }
    }
    const container = globalContainer.createChildContainer()
    container.register(URL, { useValue: new URL('http://localhost') })

    expect(await findDiagnostics({ controllers: [Timer], container })).toEqual([
      'unresolvable-token: Timer.add, parameter 2: its type is Map at run time, which cannot be injected. ' +
        'A built-in type needs @Inject(token).',
    ])
    container.register(Map, { useFactory: () => new Map() })
    expect(await findDiagnostics({ controllers: [Timer], container })).toEqual([])
  })
})

describe('circular dependencies', () => {
  it('are reported with the whole cycle', async () => {
    @injectable()
    class Egg {
      constructor(@Inject('Hen') readonly hen: object) {}
    }

    @injectable()
    class Hen {
      constructor(readonly egg: Egg) {}
    }

    class Farm {
      @McpTool()
      breed(@Inject('Hen') _hen: Hen): string {
        return ''
      }
    }
    const container = globalContainer.createChildContainer().register('Hen', { useClass: Hen })

    expect(await findDiagnostics({ controllers: [Farm], container })).toEqual([
      "circular-dependency: 'Hen' -> Hen -> Egg -> 'Hen': these are injected into each other. " +
        'Break the cycle: put @Inject(delay(() => Class)) on one parameter, and use an interface as its type.',
    ])
  })

  it('are allowed through a delayed dependency', async () => {
    @injectable()
    class Egg {
      constructor(@Inject(delay(() => Hen)) readonly hen: object) {}
    }

    @injectable()
    class Hen {
      constructor(readonly egg: Egg) {}
    }

    class Farm {
      @McpTool()
      breed(_hen: Hen): string {
        return ''
      }
    }

    expect(await findMistakes(Farm)).toEqual([])
  })
})

describe('singletons', () => {
  @scoped(Lifecycle.ContainerScoped)
  class Transaction {}

  @injectable()
  class Audit {
    constructor(readonly context: McpContext) {}
  }

  it('cannot depend on call-scoped instances', async () => {
    @singleton()
    class Log {
      constructor(readonly context: McpContext) {}
    }

    @singleton()
    class Store {
      constructor(readonly transaction: Transaction) {}
    }

    @singleton()
    class Ledger {
      constructor(readonly audit: Audit) {}
    }

    class Tools {
      @McpTool()
      add(_log: Log, _store: Store, _ledger: Ledger): string {
        return ''
      }
    }

    const fix = '@scoped(Lifecycle.ContainerScoped), or pass the value as an argument.'
    expect(await findMistakes(Tools)).toEqual([
      `captive-dependency: Log -> McpContext: Log is a singleton, so it would keep the McpContext of the first call. Make Log ${fix}`,
      'captive-dependency: Store -> Transaction: Store is a singleton, so it would keep the Transaction of the first ' +
        `call. Make Store ${fix}`,
      'captive-dependency: Ledger -> Audit -> McpContext: Ledger is a singleton, so it would keep the McpContext of ' +
        `the first call. Make Ledger ${fix}`,
    ])
  })

  it('cannot be created from a token that resolves to a per-call class', async () => {
    class Tools {
      @McpTool()
      add(@Inject('Audit') _audit: Audit): string {
        return ''
      }
    }
    const container = globalContainer.createChildContainer()
    container.register('Audit', { useClass: Audit }, { lifecycle: Lifecycle.Singleton })

    expect(await findDiagnostics({ controllers: [Tools], container })).toEqual([
      "captive-dependency: 'Audit' -> Audit -> McpContext: 'Audit' is a singleton, so it would keep the McpContext of " +
        "the first call. Make 'Audit' @scoped(Lifecycle.ContainerScoped), or pass the value as an argument.",
    ])
  })
})

describe('throwing constructors', () => {
  @singleton()
  class Database {
    constructor() {
      throw new Error('DATABASE_URL is not set')
    }
  }

  @injectable()
  class Mailer {
    constructor() {
      throw new Error('no mail server')
    }
  }

  @injectable()
  class MailTools {
    constructor(readonly mailer: Mailer) {}

    @McpTool()
    send(): string {
      return ''
    }

    @McpTool()
    draft(): string {
      return ''
    }
  }

  it('are reported once for each controller, with the path of dependencies', async () => {
    expect(await findMistakes(MailTools)).toEqual([
      'constructor-failed: MailTools -> Mailer: Mailer could not be created at boot, because its constructor threw: ' +
        'no mail server',
    ])
  })

  it('are found in all injected singletons, before their dependents are created', async () => {
    class Tools {
      @McpTool()
      query(_database: Database): string {
        return ''
      }
    }

    expect(await findMistakes(Tools, MailTools)).toEqual([
      'constructor-failed: Database could not be created at boot, because its constructor threw: DATABASE_URL is not set',
    ])
  })

  it('are the cause of the boot error', async () => {
    const logger = pino({ level: 'silent' })
    const error = await createServer({ name: 'test', version: '1.0.0', controllers: [MailTools], logger }).then(
      () => null,
      (reason: unknown) => reason,
    )

    expect(error).toBeInstanceOf(BootError)
    expect((error as BootError).cause).toBe((error as BootError).diagnostics[0]?.cause)
    expect(String((error as BootError).cause)).toBe('Error: no mail server')
  })

  it('leave no instances behind in the container', async () => {
    const disposed: string[] = []

    class Files {
      dispose(): void {
        disposed.push('Files')
      }

      @McpTool()
      a(): string {
        return ''
      }
    }

    expect(await findMistakes(Files, MailTools)).toHaveLength(1)
    expect(disposed).toEqual(['Files'])
  })
})
