// Decorators in wrong places or with wrong arguments. The compiler finds most of these mistakes; runners that strip
// types find none.
import {
  AllowAnonymous,
  Authorize,
  BootError,
  Inject,
  injectable,
  McpCompletion,
  McpController,
  McpPrompt,
  McpResource,
  McpTool,
  UseHooks,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { findDiagnostics, findMistakes } from './find-problems.js'

class Clock {}

/** A decorator without parentheses. */
const onMethod = (decorator: unknown): MethodDecorator => decorator as MethodDecorator
const onClass = (decorator: unknown): ClassDecorator => decorator as ClassDecorator
const onParameter = (decorator: unknown): ParameterDecorator => decorator as ParameterDecorator

it('boot reports options after an argument that is not a name, because they would be ignored', async () => {
  class Tools {
    @McpTool({ name: 'sum' }, { description: 'Adds' })
    add(): void {}

    @McpTool(undefined, { timeoutMs: 5 })
    wait(): void {}

    @McpPrompt({}, { name: 'greeting' } as never)
    greet(): string {
      return ''
    }

    @McpPrompt(undefined, undefined)
    nothing(): string {
      return ''
    }
  }

  const given = 'expects a name before the options, but was given a plain object'
  expect(await findMistakes(Tools)).toEqual([
    `bad-option: Tools.add: @McpTool ${given}. Write @McpTool('name', { … }) or @McpTool({ … }).`,
    `bad-option: Tools.wait: @McpTool ${given}. Write @McpTool('name', { … }) or @McpTool({ … }).`,
    `bad-option: Tools.greet: @McpPrompt ${given}. Write @McpPrompt('name', { … }) or @McpPrompt({ … }).`,
  ])
})

describe('a misplaced decorator', () => {
  it('is reported on static members, accessors and properties, without running an accessor', async () => {
    class Tools {
      @McpTool()
      static add(): string {
        return ''
      }

      // @ts-expect-error -- the compiler reports it, too
      @McpTool()
      get sum(): string {
        throw new Error('the accessor ran')
      }

      // @ts-expect-error -- the compiler reports it, too
      @McpTool()
      total = () => ''
    }

    expect(await findMistakes(Tools)).toEqual([
      'bad-decorator-target: Tools.add: @McpTool is on a static member. Put it on an instance method.',
      'bad-decorator-target: Tools.sum: @McpTool is on an accessor or a property. Put it on an instance method.',
      'bad-decorator-target: Tools.total: @McpTool is on an accessor or a property. Put it on an instance method.',
    ])
  })

  it.each([
    ['@McpTool', McpTool()],
    ['@McpPrompt', McpPrompt()],
    ['@McpResource', McpResource('notes://all')],
    ['@McpCompletion', McpCompletion({ prompt: 'greet', argument: 'name' })],
  ])('is reported where %s is on a class', async (name, decorator) => {
    @onClass(decorator)
    class Tools {}

    expect(await findMistakes(Tools)).toEqual([`bad-decorator-target: ${name} is on 'Tools'. Put it on a method.`])
  })

  it.each([
    ['with', McpController()],
    ['without', McpController],
  ])('is reported where @McpController is on a method, %s parentheses', async (_how, decorator) => {
    class Tools {
      @McpTool()
      @onMethod(decorator)
      add(): void {}
    }

    expect(await findMistakes(Tools)).toEqual([
      "bad-decorator-target: @McpController is on 'Tools.add'. Put it on the class.",
    ])
  })

  it('is reported where @Inject is on a property or a class and has no effect', async () => {
    @onClass(Inject(Clock))
    class Tools {
      // @ts-expect-error -- the compiler reports it, too
      @Inject(Clock)
      clock?: Clock

      @McpTool()
      add(): void {}
    }

    expect(await findMistakes(Tools)).toEqual([
      "bad-decorator-target: @Inject is on 'Tools.clock'. Put it on a parameter.",
      "bad-decorator-target: @Inject is on 'Tools'. Put it on a parameter.",
    ])
  })
})

describe('a decorator without parentheses', () => {
  it.each([
    ['@McpTool', McpTool, '@McpTool()'],
    ['@McpPrompt', McpPrompt, '@McpPrompt()'],
    ['@McpResource', McpResource, "@McpResource('notes://all')"],
    ['@McpCompletion', McpCompletion, "@McpCompletion({ prompt: 'greet', argument: 'name' })"],
  ])(
    'is reported where %s is on a method, without reporting the method as undecorated',
    async (name, decorator, call) => {
      class Tools {
        @Authorize()
        @UseHooks({ onInvoking: () => undefined })
        @onMethod(decorator)
        add(): void {}

        @McpTool()
        other(): void {}
      }
      class Others {
        @onMethod(decorator)
        static add(): void {}
      }

      expect(await findMistakes(Tools, Others)).toEqual([
        `uncalled-decorator: ${name} on 'Tools.add' has no parentheses. Write ${call}.`,
        `uncalled-decorator: ${name} on 'Others.add' has no parentheses. Write ${call}.`,
      ])
    },
  )

  it.each([
    ['@Authorize', Authorize, '@Authorize()'],
    ['@AllowAnonymous', AllowAnonymous, '@AllowAnonymous()'],
    ['@UseHooks', UseHooks, '@UseHooks(MyHook)'],
  ])('is reported where %s is on a method', async (name, decorator, call) => {
    class Tools {
      @McpTool()
      @onMethod(decorator)
      add(): void {}
    }

    expect(await findMistakes(Tools)).toEqual([
      `uncalled-decorator: ${name} on 'Tools.add' has no parentheses. Write ${call}.`,
    ])
  })

  it.each([
    ['@McpController', McpController, '@McpController()'],
    ['@Authorize', Authorize, '@Authorize()'],
    ['@AllowAnonymous', AllowAnonymous, '@AllowAnonymous()'],
    ['@UseHooks', UseHooks, '@UseHooks(MyHook)'],
    ['@McpTool', McpTool, '@McpTool() on a method'],
    ['@McpPrompt', McpPrompt, '@McpPrompt() on a method'],
    ['@McpResource', McpResource, "@McpResource('notes://all') on a method"],
    ['@McpCompletion', McpCompletion, "@McpCompletion({ prompt: 'greet', argument: 'name' }) on a method"],
  ])('is reported where %s is on a class, together with all other mistakes', async (name, decorator, fix) => {
    @McpController({ prefix: 'a ' })
    @onClass(decorator)
    class Tools {
      @McpTool()
      add(): void {}
    }
    class More extends Tools {}
    expect(new More()).toBeInstanceOf(Tools)

    const uncalled = `uncalled-decorator: ${name} on 'Tools' has no parentheses. Write ${fix}.`
    const bad = "'a add' is not a valid tool name. Use 1 to 128 of the characters A-Z a-z 0-9 _ . -"
    expect(await findMistakes(Tools)).toEqual([uncalled, `bad-name: Tools.add: ${bad}`])
    expect(await findMistakes(More)).toEqual([uncalled, `bad-name: More.add: ${bad}`])
  })

  it('is reported where @Inject is on a parameter or a property', async () => {
    @injectable()
    class Ledger {
      constructor(@onParameter(Inject) readonly clock: Clock) {}
    }
    class Tools {
      // @ts-expect-error -- the compiler reports it, too
      @Inject
      clock?: Clock

      @McpTool()
      add(@onParameter(Inject) _ledger: Ledger): void {}
    }

    expect(await findMistakes(Tools)).toEqual([
      "uncalled-decorator: @Inject on 'Tools.clock' has no parentheses. Write @Inject(token).",
      "uncalled-decorator: @Inject on 'Tools.add, parameter 1' has no parentheses. Write @Inject(token).",
      "uncalled-decorator: @Inject on 'Ledger, parameter 1' has no parentheses. Write @Inject(token).",
    ])
  })

  it('is reported for hooks and policies, too, also for a policy that is added at run time', async () => {
    @injectable()
    class Audit {
      constructor(@onParameter(Inject) readonly clock: Clock) {}

      onInvoking(): void {}
    }
    @injectable()
    class Owners {
      constructor(@onParameter(Inject) readonly clock: Clock) {}

      allows(): boolean {
        return true
      }
    }
    class Tools {
      @McpTool()
      @UseHooks(Audit)
      @Authorize({ policy: Owners })
      add(): void {}
    }
    class Fine {
      @McpTool()
      add(): void {}
    }
    const uncalled = (name: string) => `@Inject on '${name}, parameter 1' has no parentheses. Write @Inject(token).`

    expect(await findMistakes(Tools)).toEqual([
      `uncalled-decorator: ${uncalled('Owners')}`,
      `uncalled-decorator: ${uncalled('Audit')}`,
    ])

    const server = await start(Fine)
    expect(() => server.catalog.addTool({ name: 'b', handler: () => '', authorize: { policy: Owners } })).toThrow(
      `Tool 'b' cannot be added: 1 problem found.\n  1. ${uncalled('Owners')} [uncalled-decorator]`,
    )
    await server.close()
  })

  it('is accepted in a hook that is also a controller, and in a composed decorator', async () => {
    class AuditTools {
      @McpTool()
      readAudit(): string {
        return ''
      }

      onInvoking(): void {}
    }
    const Audited = UseHooks(AuditTools)

    @Audited
    class Tools {
      @McpTool()
      add(): void {}
    }

    expect(await findMistakes(Tools, AuditTools)).toEqual([])
  })
})

describe('a decorator with something other than options', () => {
  it('is reported', async () => {
    class Owners {
      allows(): boolean {
        return true
      }
    }

    @McpController('calc_' as never)
    class Tools {
      @McpTool('add', 'Adds two numbers' as never)
      add(): void {}

      @McpTool('multiply', ['Multiplies two numbers'] as never)
      multiply(): void {}

      @McpTool(Clock as never)
      subtract(): void {}

      @McpPrompt(null as never)
      greet(): string {
        return ''
      }

      @McpResource('notes://all', 5 as never)
      all(): string {
        return ''
      }

      @McpTool()
      @Authorize(Owners as never)
      remove(): void {}

      @McpTool()
      @Authorize((() => true) as never)
      clear(): void {}
    }

    const object = 'for its options. Give an object: { … }.'
    const role = "Give an object, such as { roles: ['Admin'] }."
    expect(await findMistakes(Tools)).toEqual([
      `bad-option: Tools: @McpController has the string 'calc_' ${object}`,
      `bad-option: Tools.add: @McpTool has the string 'Adds two numbers' ${object}`,
      `bad-option: Tools.multiply: @McpTool has an array ${object}`,
      `bad-option: Tools.subtract: @McpTool has the class Clock ${object}`,
      `bad-option: Tools.greet: @McpPrompt has null ${object}`,
      `bad-option: Tools.all: @McpResource has 5 ${object}`,
      `bad-authorization: Tools.remove: its authorization is the class Owners. ${role}`,
      `bad-authorization: Tools.clear: its authorization is a function without a name. ${role}`,
    ])
  })

  it('is reported where a controller is given as a hook', async () => {
    class Others {
      @McpTool()
      others(): void {}
    }
    @UseHooks(Others as never)
    class Tools {
      @McpTool()
      add(): void {}
    }

    expect(await findMistakes(Tools, Others)).toEqual([
      'bad-hook: the class Others is not a hook. Add one of the methods onInvoking, around, onCompleted, onFailed, onInputRequired.',
    ])
  })

  it('is reported where the URI of a resource or the target of a completion is missing', async () => {
    class Tools {
      @McpResource(undefined as never)
      readAll(): string {
        return ''
      }

      @McpCompletion(undefined as never)
      complete(): string[] {
        return []
      }

      @McpCompletion({ argument: 'name' } as never)
      completeNames(): string[] {
        return []
      }
    }

    const fix = "Name an argument of a prompt or a resource: @McpCompletion({ prompt: 'greet', argument: 'name' })."

    expect(await findMistakes(Tools)).toEqual([
      "bad-uri: Tools.readAll: its URI is undefined. Give the URI as a string: @McpResource('notes://all').",
      `unknown-completion-target: Tools.complete: the target of @McpCompletion is undefined. ${fix}`,
      `unknown-completion-target: Tools.completeNames: the target of @McpCompletion is a plain object. ${fix}`,
    ])
  })

  it('is reported where @UseHooks has no hook', async () => {
    @UseHooks()
    class Tools {
      @McpTool()
      @UseHooks()
      add(): void {}
    }

    expect(await findMistakes(Tools)).toEqual([
      'bad-hook: Tools.add: @UseHooks() names no hook. Write @UseHooks(MyHook), or remove it.',
      'bad-hook: Tools: @UseHooks() names no hook. Write @UseHooks(MyHook), or remove it.',
    ])
  })
})

describe('mistakes in decorators', () => {
  it('are reported once for the base classes of several controllers', async () => {
    class Base {
      @onMethod(McpTool)
      add(): void {}
    }
    class Sums extends Base {
      @McpTool()
      override add(): void {}
    }
    class Totals extends Base {
      @McpTool()
      total(): void {}
    }

    expect(await findMistakes(Sums, Totals)).toEqual([
      "uncalled-decorator: @McpTool on 'Base.add' has no parentheses. Write @McpTool().",
    ])
  })

  it('are ignored by servers that do not use the class', async () => {
    class Unlisted {
      @onMethod(McpTool)
      add(): void {}
    }
    class Tools {
      @McpTool()
      add(): void {}
    }

    expect(Unlisted.name).toBe('Unlisted')
    expect(await findDiagnostics({ controllers: [Tools] })).toEqual([])
  })
})

describe('standard decorators', () => {
  type Standard = (target: unknown, context: { readonly kind: string; readonly name: string }) => void
  const rejection = (name: string, on: string): string =>
    `${name} on '${on}' was called as a standard (TC39) decorator, which has no parameter types. ` +
    'Set "experimentalDecorators": true and "emitDecoratorMetadata": true in tsconfig.json.'

  it.each<[string, unknown]>([
    ['@McpTool', McpTool()],
    ['@McpPrompt', McpPrompt()],
    ['@McpResource', McpResource('notes://all')],
    ['@McpCompletion', McpCompletion({ prompt: 'greet', argument: 'name' })],
    ['@Authorize', Authorize()],
    ['@AllowAnonymous', AllowAnonymous()],
    ['@UseHooks', UseHooks({ onInvoking: () => undefined })],
    ['@Inject', Inject(Clock)],
  ])('are rejected at once where %s is on a member, because its class is unknown', (name, decorator) => {
    expect(() => (decorator as Standard)(() => undefined, { kind: 'method', name: 'add' })).toThrow(
      new BootError([{ code: 'standard-decorators', message: rejection(name, 'add') }]),
    )
  })

  it('are rejected at once where a decorator also lacks parentheses', () => {
    expect(() => (McpTool as unknown as Standard)(function add() {}, { kind: 'method', name: 'add' })).toThrow(
      "  1. @McpTool on 'add' has no parentheses. Write @McpTool(). [uncalled-decorator]",
    )
  })

  it.each<[string, unknown]>([
    ['@McpController', McpController()],
    ['@Authorize', Authorize()],
    ['@UseHooks', UseHooks({ onInvoking: () => undefined })],
  ])('are reported at boot where %s is on a class', async (name, decorator) => {
    class Tools {}
    ;(decorator as Standard)(Tools, { kind: 'class', name: 'Tools' })

    expect(await findMistakes(Tools)).toEqual([`standard-decorators: ${rejection(name, 'Tools')}`])
  })
})

function start(...controllers: (abstract new () => object)[]) {
  return createServer({ name: 'test', version: '1', controllers, logger: pino({ level: 'silent' }) })
}
