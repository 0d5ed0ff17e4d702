import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CallHook,
  container,
  type FeatureCall,
  failureKindOf,
  injectable,
  McpCompletion,
  McpContext,
  McpPrompt,
  McpResource,
  McpTool,
  result,
  singleton,
  ToolError,
  Type,
  UseHooks,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { until } from '../../../../test/support/until.js'
import { openRawClient, type RawClient } from '../support/raw-client.js'
import { recording } from './recording.js'

const silent = pino({ level: 'silent' })

async function open(options: Partial<ServerOptions>) {
  const server = await createServer({ name: 'test', version: '1', logger: silent, ...options })
  const client = openRawClient(server)
  const close = async (): Promise<void> => {
    await client[Symbol.asyncDispose]()
    await server.close()
  }
  return { server, client, [Symbol.asyncDispose]: close }
}

const Numbers = Type.Object({ a: Type.Number(), b: Type.Number({ default: 1 }) })
const Sum = Type.Object({ sum: Type.Number() })

class CalculatorTools {
  @McpTool({ input: Numbers, output: Sum })
  add({ a, b }: { a: number; b: number }): { sum: number } {
    return { sum: a + b }
  }

  @McpTool({ input: Numbers, timeoutMs: 20 })
  async addSlowly({ a, b }: { a: number; b: number }): Promise<number> {
    await sleep(1000)
    return a + b
  }

  @McpTool()
  fail() {
    return result({ isError: true, content: [{ type: 'text', text: 'no luck' }] })
  }

  @McpTool()
  crash() {
    throw new Error('secret')
  }
}

class Library {
  @McpPrompt({ input: Type.Object({ title: Type.String() }) })
  review({ title }: { title: string }): string {
    return `Review ${title}.`
  }

  @McpResource('books://{isbn}')
  book({ isbn }: { isbn: string }): string | undefined {
    return isbn === '1' ? 'One' : undefined
  }

  @McpResource('books://all')
  all(): string {
    return 'All'
  }

  @McpCompletion({ prompt: 'review', argument: 'title' })
  titles(): string[] {
    return ['Ulysses']
  }
}

const call = (client: RawClient, name: string, args: object = {}) =>
  client.request('tools/call', { name, arguments: args })

describe('hooks', () => {
  it('run around tools in order, the first one outermost', async () => {
    const notes: unknown[] = []
    const hooks = [recording('first', notes), recording('second', notes)]
    await using opened = await open({ controllers: [CalculatorTools], hooks })
    const { result: answer } = await call(opened.client, 'add', { a: 2 })
    expect(answer.structuredContent).toEqual({ sum: 3 })
    expect(notes).toEqual([
      ['first', 'onInvoking', 'tool add'],
      ['second', 'onInvoking', 'tool add'],
      ['first', 'around'],
      ['second', 'around'],
      ['second', 'around ended'],
      ['first', 'around ended'],
      ['first', 'onCompleted', 'tool add', { sum: 3 }],
      ['second', 'onCompleted', 'tool add', { sum: 3 }],
    ])
  })

  it('get the feature, the arguments and the caller', async () => {
    const calls: FeatureCall[] = []
    const hooks: CallHook[] = [{ onInvoking: (seen) => void calls.push(seen) }]
    await using opened = await open({ controllers: [CalculatorTools, Library], hooks })
    await call(opened.client, 'add', { a: 2 })
    await opened.client.request('resources/read', { uri: 'books://1' })
    const [tool, resource] = calls
    expect(tool).toMatchObject({
      kind: 'tool',
      name: 'add',
      controller: 'CalculatorTools',
      method: 'add',
      uri: null,
      round: 1,
    })
    expect(tool?.arguments).toEqual({ a: 2, b: 1 })
    expect(tool?.context.requestId).toBe(1)
    expect(Object.isFrozen(tool?.arguments)).toBe(true)
    expect(resource).toMatchObject({ name: 'books://{isbn}', uri: 'books://1', arguments: { isbn: '1' } })
  })

  it('cannot change the call for other hooks', async () => {
    const calls: FeatureCall[] = []
    const hooks: CallHook[] = [{ onInvoking: (seen) => void calls.push(seen) }]
    await using opened = await open({ controllers: [CalculatorTools], hooks })
    await call(opened.client, 'add', { a: 2 })
    const [tool] = calls as unknown as [Record<string, unknown>]

    const members = ['kind', 'name', 'controller', 'method', 'uri', 'round', 'context', 'arguments', 'notes']
    const before = members.map((member) => tool[member])
    for (const member of members) {
      expect(() => {
        tool[member] = 'another'
      }).toThrow(TypeError)
    }
    expect(members.map((member) => tool[member])).toEqual(before)
  })

  it('get deeply frozen arguments, which the handler cannot change', async () => {
    const seen: unknown[] = []
    const hooks: CallHook[] = [
      {
        onInvoking: ({ arguments: args }) => void seen.push(args),
        onCompleted: ({ arguments: args }) => void seen.push(structuredClone(args)),
      },
    ]
    await using opened = await open({ controllers: [], hooks })
    const order = { item: { name: 'tea', sizes: [{ grams: 100 }] }, note: null }
    const handler = ({ item }: typeof order): void => {
      item.name = 'gone'
      item.sizes.push({ grams: 0 })
      Object.assign(item.sizes[0] as object, { grams: 1 })
    }
    opened.server.catalog.addTool({
      name: 'change',
      input: Type.Object({ item: Type.Any(), note: Type.Null() }),
      handler,
    })

    await call(opened.client, 'change', order)

    expect(seen).toEqual([order, order])
    const [{ item }] = seen as [typeof order]
    expect([item, item.sizes, item.sizes[0]].map((part) => Object.isFrozen(part))).toEqual([true, true, true])
  })

  it('run around prompts, resources and completions', async () => {
    const notes: unknown[] = []
    await using opened = await open({ controllers: [Library], hooks: [recording('hook', notes)] })
    const { client } = opened
    await client.request('prompts/get', { name: 'review', arguments: { title: 'Ulysses' } })
    await client.request('resources/read', { uri: 'books://all' })
    await client.request('resources/read', { uri: 'books://2' })
    await client.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'review' },
      argument: { name: 'title', value: 'U' },
    })
    expect(notes.filter((note) => /onCompleted|onFailed/.test(String(note)))).toEqual([
      ['hook', 'onCompleted', 'prompt review', 'Review Ulysses.'],
      ['hook', 'onCompleted', 'resource books://all', 'All'],
      ['hook', 'onFailed', 'resource books://{isbn}', 'protocol-error', 'Resource not found'],
      ['hook', 'onCompleted', 'completion prompt review: title', ['Ulysses']],
    ])
  })

  const rejections: readonly [string, object][] = [
    ['prompts/get', { name: 'review', arguments: { title: 'Ulysses' } }],
    ['resources/read', { uri: 'books://1' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'title', value: 'U' } }],
  ]

  it.each(rejections)('can reject %s with a protocol error', async (method, params) => {
    const hooks: CallHook[] = [
      {
        onInvoking: () => {
          throw new Error('secret')
        },
      },
    ]
    await using opened = await open({ controllers: [Library], hooks })
    const { error } = await opened.client.request(method, params)
    expect(error).toEqual({
      code: -32603,
      message: expect.stringMatching(/failed\. The cause .* error [\da-f-]{36}\)/),
    })
  })

  it('can replace the result, which is then validated like any other', async () => {
    const hooks: CallHook[] = [
      { around: async (_call, next) => ({ ...((await next()) as object), more: true }) },
      { around: async (_call, next) => ({ sum: ((await next()) as { sum: number }).sum * 10 }) },
    ]
    await using opened = await open({ controllers: [CalculatorTools], hooks })
    const { result: answer } = await call(opened.client, 'add', { a: 2 })
    expect(answer.structuredContent).toEqual({ sum: 30, more: true })
  })

  it('can turn a failure into a result', async () => {
    const hooks: CallHook[] = [{ around: (_call, next) => next().catch(() => 'all is well') }]
    await using opened = await open({ controllers: [CalculatorTools], hooks })
    const { result: answer } = await call(opened.client, 'crash')
    expect(answer).toEqual({ content: [{ type: 'text', text: 'all is well' }] })
  })

  it('can replace a hanging inner hook, before and after its handler', async () => {
    const hangs = (): Promise<never> => new Promise(() => undefined)
    const hooks: CallHook[] = [
      { around: (_call, next) => next().catch((error: Error) => ({ sum: 0, why: error.message })) },
      { name: 'inner', around: ({ name }, next) => (name === 'add' ? hangs() : next().then(hangs)) } as CallHook,
    ]
    await using opened = await open({ controllers: [CalculatorTools], hooks, limits: { hookTimeoutMs: 20 } })
    opened.server.catalog.addTool({ name: 'later', handler: () => sleep(1) })
    const why = 'inner.around failed: it did not settle within 20 ms'
    expect((await call(opened.client, 'add', { a: 1 })).result.structuredContent).toEqual({ sum: 0, why })
    expect((await call(opened.client, 'later')).result.content[0].text).toContain(why)
  })

  const failures: readonly [string, string, object, string, string][] = [
    ['an error that a tool throws', 'crash', {}, 'unexpected', 'secret'],
    ['a result with isError', 'fail', {}, 'tool-error', 'no luck'],
    ['arguments that do not fit', 'add', { a: 'x' }, 'invalid-arguments', expect.stringContaining("tool 'add'")],
    ['a call that takes too long', 'add_slowly', { a: 1 }, 'timeout', expect.stringContaining('20 ms')],
  ]

  it.each(failures)('observe %s', async (_what, tool, args, kind, message) => {
    const notes: unknown[] = []
    await using opened = await open({ controllers: [CalculatorTools], hooks: [recording('hook', notes)] })
    await call(opened.client, tool, args)
    expect(notes.at(-1)).toEqual(['hook', 'onFailed', `tool ${tool}`, kind, message])
    expect(notes.filter((note) => /onFailed|onCompleted/.test(String(note)))).toHaveLength(1)
  })

  it('observe a call that its client cancels, once', async () => {
    const notes: unknown[] = []
    await using opened = await open({ controllers: [CalculatorTools], hooks: [recording('hook', notes)] })
    void call(opened.client, 'add_slowly', { a: 1 })
    opened.client.notify('notifications/cancelled', { requestId: 1 })
    await until(() => notes.length > 1)
    expect(notes.at(-1)).toEqual(['hook', 'onFailed', 'tool add_slowly', 'cancelled', expect.any(String)])
  })

  it('prevent the handler from running when they detect the cancellation', async () => {
    let runs = 0
    const hooks: CallHook[] = [{ onInvoking: () => opened.client.notify('notifications/cancelled', { requestId: 1 }) }]
    await using opened = await open({ controllers: [CalculatorTools], hooks })
    opened.server.catalog.addTool({ name: 'count', handler: () => runs++ })
    void call(opened.client, 'count')
    await sleep(5)
    expect(runs).toBe(0)
  })

  it('observe a cancelled call as cancelled, also if its handler throws', async () => {
    const kinds: string[] = []
    const hooks: CallHook[] = [{ onFailed: (_call, error) => void kinds.push(failureKindOf(error)) }]
    await using opened = await open({ controllers: [CalculatorTools], hooks })
    const handler = (): never => {
      opened.client.notify('notifications/cancelled', { requestId: 1 })
      throw new Error('connection lost')
    }
    opened.server.catalog.addTool({ name: 'lose', handler })
    void call(opened.client, 'lose')
    await until(() => kinds.length > 0)
    expect(kinds).toEqual(['cancelled'])
  })

  it('observe a cancelled call as cancelled, also if its handler sent a request before it threw', async () => {
    const heard: string[] = []
    const hooks: CallHook[] = [
      {
        onFailed: (_call, error) => void heard.push(failureKindOf(error)),
        onInputRequired: () => void heard.push('asked'),
      },
    ]
    await using opened = await open({ controllers: [CalculatorTools], hooks })
    const handler = (_args: unknown, context: McpContext): never => {
      context.elicit({ message: 'Who?', schema: Type.Object({ name: Type.String() }) }).catch(() => undefined)
      opened.client.notify('notifications/cancelled', { requestId: 1 })
      throw new ToolError('gone')
    }
    opened.server.catalog.addTool({ name: 'ask', handler })
    void opened.client.modern('tools/call', { name: 'ask', arguments: {} }, { elicitation: { form: {} } })
    await until(() => heard.length > 0)
    expect(heard).toEqual(['cancelled'])
  })

  it('observe a stopped call in its own async context, regardless of the cause', async () => {
    const caller = new AsyncLocalStorage<string>()
    const heard: unknown[] = []
    const hooks: CallHook[] = [
      { around: (_call, next) => next() },
      { onFailed: (_call, error) => void heard.push([failureKindOf(error), caller.getStore()]) },
    ]
    await using opened = await open({ controllers: [CalculatorTools], hooks })
    const cancelled = caller.run('first', () => call(opened.client, 'add_slowly', { a: 1 }))
    const late = caller.run('second', () => call(opened.client, 'add_slowly', { a: 1 }))
    caller.run('another', () => opened.client.notify('notifications/cancelled', { requestId: 1 }))
    void cancelled
    await late
    expect(heard).toEqual([
      ['cancelled', 'first'],
      ['timeout', 'second'],
    ])
  })

  it('get the duration of the call', async () => {
    const durations: number[] = []
    const hooks: CallHook[] = [
      { onInvoking: () => sleep(5), onCompleted: (_call, _result, durationMs) => void durations.push(durationMs) },
    ]
    await using opened = await open({ controllers: [CalculatorTools], hooks })
    await call(opened.client, 'add', { a: 1 })
    expect(durations).toEqual([expect.any(Number)])
    expect(durations[0]).toBeGreaterThan(4)
    expect(durations[0]).toBeLessThan(1000)
  })

  it('that observe a call run one after the other, and the response waits for them', async () => {
    const notes: string[] = []
    const hooks: CallHook[] = [
      { onCompleted: () => sleep(5).then(() => void notes.push('first')) },
      { onCompleted: () => void notes.push('second') },
    ]
    await using opened = await open({ controllers: [CalculatorTools], hooks })
    await call(opened.client, 'add', { a: 1 })
    expect(notes).toEqual(['first', 'second'])
  })

  it('that all hang delay a response by the timeout of one hook', async () => {
    const hanging: CallHook = { onCompleted: () => new Promise(() => undefined) }
    const hooks = Array.from({ length: 10 }, () => ({ ...hanging }))
    const hookTimeoutMs = 200
    await using opened = await open({ controllers: [CalculatorTools], hooks, limits: { hookTimeoutMs } })
    const began = performance.now()
    const { result: answer } = await call(opened.client, 'add', { a: 1 })
    expect(answer.structuredContent).toEqual({ sum: 2 })
    // Half of the sum of all limits; on an idle machine the delay is close to one limit.
    expect(performance.now() - began).toBeLessThan(5 * hookTimeoutMs)
  })
})

describe('hooks of several levels', () => {
  const seen: string[] = []

  class Named implements CallHook {
    onInvoking({ context }: FeatureCall): void {
      seen.push(`${this.constructor.name} ${context.method}`)
    }
  }
  class HostHook extends Named {}
  class ClassHook extends Named {}
  class MethodHook extends Named {}
  class OtherHook extends Named {}

  @UseHooks(ClassHook)
  class Guarded {
    @UseHooks(MethodHook, HostHook)
    @UseHooks(OtherHook)
    @McpTool()
    both(): void {}

    @McpTool()
    one(): void {}
  }

  @UseHooks(OtherHook)
  class Derived extends Guarded {
    override both(): void {}
  }

  beforeEach(() => {
    seen.length = 0
  })

  const names = () => seen.map((line) => line.split(' ')[0])

  it('run in the order server, class, method, each once', async () => {
    await using opened = await open({ controllers: [Guarded], hooks: [HostHook] })
    await call(opened.client, 'both')
    expect(names()).toEqual(['HostHook', 'ClassHook', 'MethodHook', 'OtherHook'])
  })

  it('of a class apply to methods without their own hooks', async () => {
    await using opened = await open({ controllers: [Guarded] })
    await call(opened.client, 'one')
    expect(names()).toEqual(['ClassHook'])
  })

  it('of a base class apply to subclasses', async () => {
    await using opened = await open({ controllers: [Derived] })
    await call(opened.client, 'both')
    expect(names()).toEqual(['ClassHook', 'OtherHook', 'MethodHook', 'HostHook'])
  })

  it('of the server and of the feature apply to features added at run time', async () => {
    const notes: unknown[] = []
    await using opened = await open({ controllers: [Guarded], hooks: [HostHook] })
    const hooks = [recording('own', notes)]
    opened.server.catalog.addTool({ name: 'added', handler: () => 'done', hooks })
    opened.server.catalog.addPrompt({ name: 'greet', handler: () => 'Hello', hooks })
    opened.server.catalog.addResource({ uri: 'a://b', name: 'b', handler: () => 'B', hooks })
    await call(opened.client, 'added')
    await opened.client.request('prompts/get', { name: 'greet' })
    await opened.client.request('resources/read', { uri: 'a://b' })
    expect(seen).toEqual(['HostHook tools/call', 'HostHook prompts/get', 'HostHook resources/read'])
    expect(notes.filter((note) => String(note).includes('onCompleted'))).toEqual([
      ['own', 'onCompleted', 'tool added', 'done'],
      ['own', 'onCompleted', 'prompt greet', 'Hello'],
      ['own', 'onCompleted', 'resource a://b', 'B'],
    ])
  })

  it('are created once per class, with injected services', async () => {
    @singleton()
    class Ledger {
      readonly lines: string[] = []
    }
    @injectable()
    class AuditHook implements CallHook {
      static made = 0
      constructor(private readonly ledger: Ledger) {
        AuditHook.made++
      }
      onCompleted({ name }: FeatureCall): void {
        this.ledger.lines.push(name)
      }
    }
    await using opened = await open({ controllers: [Guarded, CalculatorTools], hooks: [AuditHook] })
    await call(opened.client, 'one')
    await call(opened.client, 'add', { a: 1 })
    expect([AuditHook.made, container.resolve(Ledger).lines]).toEqual([1, ['one', 'add']])
  })
})

describe('boot rejects', () => {
  @injectable()
  class ForEachCall implements CallHook {
    constructor(readonly context: McpContext) {}
    onInvoking(): void {}
  }
  class Throwing implements CallHook {
    constructor() {
      throw new Error('no disk')
    }
    onInvoking(): void {}
  }
  class Nothing {}
  class Misspelt {
    onInvoke(): void {}
    onCompleted(): void {}
  }
  class Stray {
    @McpTool()
    served(): void {}

    @UseHooks(Throwing)
    @McpTool()
    guarded(): void {}

    @UseHooks({ onInvoking: () => undefined })
    notServed(): void {}
  }

  const diagnosticsOf = async (options: Partial<ServerOptions>): Promise<readonly string[]> => {
    try {
      await createServer({ name: 'test', version: '1', logger: silent, controllers: [CalculatorTools], ...options })
      return []
    } catch (error) {
      return (error as { diagnostics: { code: string; message: string }[] }).diagnostics.map(
        ({ code, message }) => `${code}: ${message}`,
      )
    }
  }

  const members = 'onInvoking, around, onCompleted, onFailed, onInputRequired'
  // Mistakes that JavaScript allows.
  const wrong = (...hooks: unknown[]): Partial<ServerOptions> => ({ hooks: hooks as never })

  it.each([
    [
      'a value that is not a hook',
      wrong({}, { onInvoke: () => undefined }, () => undefined),
      [
        `bad-hook: hooks of the server: a plain object is not a hook. Add one of the methods ${members}.`,
        `bad-hook: hooks of the server: a function without a name is not a hook. Add one of the methods ${members}.`,
      ],
    ],
    [
      'a misspelt member next to a valid one',
      wrong({ onFailed: () => undefined, onComplete: () => undefined }, Misspelt, {
        onInvoking: () => undefined,
        onFailedLogin: () => undefined,
        round: () => undefined,
      }),
      [
        'bad-hook: hooks of the server: a plain object has onComplete, which never runs. Did you mean onCompleted?',
        'bad-hook: hooks of the server: the class Misspelt has onInvoke, which never runs. Did you mean onInvoking?',
      ],
    ],
    [
      'undefined',
      wrong(undefined),
      [
        'bad-hook: hooks of the server: undefined (perhaps because two files import each other) is not a hook. ' +
          `Add one of the methods ${members}.`,
      ],
    ],
    [
      'a class without hook methods',
      wrong(Nothing),
      [`bad-hook: the class Nothing is not a hook. Add one of the methods ${members}.`],
    ],
    [
      'a class that would be created for each call',
      wrong(ForEachCall),
      [
        'captive-dependency: hooks of the server: the class ForEachCall is created once, at boot, but depends ' +
          'on an instance that is created for each call. Read the data of the call from call.context instead.',
      ],
    ],
    [
      'a constructor that throws',
      wrong(Throwing),
      ['constructor-failed: Throwing could not be created at boot, because its constructor threw: no disk'],
    ],
    [
      'a value that is not a list',
      { hooks: {} as never },
      ['bad-option: hooks is a plain object. Give an array of classes or objects.'],
    ],
    [
      'hooks on a method that is not a feature',
      { controllers: [Stray] },
      ['bad-hook: Stray.notServed: @UseHooks is on a method that is not a feature. Put it on a feature, or remove it.'],
    ],
  ])('%s', async (_what, options, diagnostics) => {
    expect(await diagnosticsOf(options)).toEqual(diagnostics)
  })

  it('a value that is not a hook, also at run time', async () => {
    await using opened = await open({ controllers: [CalculatorTools] })
    const { catalog } = opened.server
    expect(() => catalog.addTool({ name: 'x', handler: () => 1, hooks: [class {} as never] })).toThrow(
      `tool 'x', its hooks: a class without a name is not a hook. Add one of the methods ${members}.`,
    )
    expect(catalog.tools.get('x')).toBeUndefined()
  })
})
