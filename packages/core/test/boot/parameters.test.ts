import { Inject, injectable, McpContext, McpTool, Model, type Static, Type } from '@toolwright/core'
import { findMistakes } from './find-problems.js'

// swc, which compiles this file, emits `Object` for an `import type` class, and tsc emits `Function`. This test sets
// the metadata itself, so that each case states its types.

class Clock {}

const input = Type.Object({ a: Type.Number() })
class SumInput extends Model(input) {}

/** A class with a tool `add` of three parameters, with the given emitted types. */
function compiledTo(types: readonly unknown[] | undefined, options: object = {}, returns?: unknown) {
  class Tools {
    add(_a: unknown, _b: unknown, _c: unknown): string {
      return ''
    }
  }
  if (types !== undefined) {
    Reflect.defineMetadata('design:paramtypes', types, Tools.prototype, 'add')
    Reflect.defineMetadata('design:returntype', returns, Tools.prototype, 'add')
  }
  const descriptor = Object.getOwnPropertyDescriptor(Tools.prototype, 'add') as TypedPropertyDescriptor<never>
  McpTool(options)(Tools.prototype, 'add', descriptor)
  return Tools
}

const unresolvable = (type: string, fix: string, index = 2): string =>
  `unresolvable-token: Tools.add, parameter ${index}: its type is ${type} at run time, which cannot be injected. ${fix}`

const interfaceOrImport =
  'An interface, a union or an object type needs @Inject(token). ' +
  'A class needs a value import: write `import`, not `import type`.'

describe('a parameter of a method', () => {
  it.each([
    ['Function', Function],
    ['Object', Object],
  ])('needs a value import or a token where its type is %s', async (name, type) => {
    expect(await findMistakes(compiledTo([SumInput, type]))).toEqual([unresolvable(name, interfaceOrImport)])
  })

  it.each([Map, Set, WeakMap, WeakSet, RegExp, Symbol, BigInt, Promise, Error, URL, AbortSignal, Buffer, Uint8Array])(
    'cannot be injected as %p, which tsyringe would construct',
    async (type: unknown) => {
      const { name } = type as { readonly name: string }

      expect(await findMistakes(compiledTo([SumInput, type]))).toEqual([
        unresolvable(name, 'A built-in type needs @Inject(token).'),
      ])
    },
  )

  it.each([String, Number, Boolean, Array, Date])(
    'of type %p is reported with a hint at the arguments',
    async (type: unknown) => {
      const { name } = type as { readonly name: string }
      const fault = `its type is ${name} at run time, which cannot be injected. A built-in type needs @Inject(token).`
      const beside = 'parameter 2 (injected: only the first parameter receives arguments, as one object)'
      const alone =
        'parameter 1 (injected, because there is no `input` schema: add a schema if this parameter receives the arguments)'

      expect(await findMistakes(compiledTo([SumInput, type]))).toEqual([
        `unresolvable-token: Tools.add, ${beside}: ${fault}`,
      ])
      expect(await findMistakes(compiledTo([type]))).toEqual([`unresolvable-token: Tools.add, ${alone}: ${fault}`])
    },
  )

  it('is reported with a hint where it comes first and the tool has no schema', async () => {
    interface Sum {
      readonly a: number
    }

    class Tools {
      @McpTool()
      add(_sum: Sum, _b: number): string {
        return ''
      }
    }

    expect(await findMistakes(Tools)).toEqual([
      'unresolvable-token: Tools.add, parameter 1 (injected, because there is no `input` schema: add a schema if this parameter receives the arguments): its type is ' +
        `Object at run time, which cannot be injected. ${interfaceOrImport}`,
      'unresolvable-token: Tools.add, parameter 2 (injected: only the first parameter receives arguments, as one object): its type is ' +
        'Number at run time, which cannot be injected. A built-in type needs @Inject(token).',
    ])
  })

  it('must place the arguments before the context', async () => {
    class Tools {
      @McpTool({ inputSchema: { type: 'object' } })
      add(_context: McpContext): string {
        return ''
      }
    }

    expect(await findMistakes(Tools)).toEqual([
      'arguments-injected: Tools.add, parameter 1: its type is McpContext, but the first parameter receives the ' +
        'arguments. Put the arguments first.',
    ])
  })

  it('with undefined as its type is reported as a circular import', async () => {
    expect(await findMistakes(compiledTo([SumInput, undefined]))).toEqual([
      'circular-import: Tools.add, parameter 2: its class is still undefined at this point, perhaps because two files import ' +
        'each other. Write @Inject(delay(() => Class)), or move the class to a separate file.',
    ])
  })

  it('with undefined as its token is reported as a circular import', async () => {
    class Tools {
      @McpTool({ input })
      add(_sum: Static<typeof input>, @Inject(undefined as never) _clock: Clock): string {
        return ''
      }
    }

    expect(await findMistakes(Tools)).toEqual([
      'circular-import: Tools.add, parameter 2: its class is still undefined at this point, perhaps because two files import ' +
        'each other. Write @Inject(delay(() => Class)), or move the class to a separate file.',
    ])
  })

  it('cannot have @Inject if it receives the arguments', async () => {
    class Tools {
      @McpTool({ input })
      add(@Inject(Clock) _clock: Static<typeof input>): string {
        return ''
      }
    }

    expect(await findMistakes(Tools)).toEqual([
      'arguments-injected: Tools.add, parameter 1: @Inject is on the first parameter, which receives the arguments. Move it to a later parameter.',
    ])
  })

  it('does not prevent the report of a return type that is a type-only import', async () => {
    expect(await findMistakes(compiledTo([SumInput], {}, Function))).toEqual([
      'missing-schema: Tools.add: its return type is Function at run time, so it defines no output schema. Import the class with ' +
        '`import { SumOutput }`, not `import type { SumOutput }`, or pass the schema as the option `output`.',
    ])
    expect(await findMistakes(compiledTo([SumInput], { output: Type.String() }, Function))).toEqual([])
  })
})

describe('missing compiler metadata', () => {
  const compile =
    'or let the transform of Jest emit metadata: @swc/jest with "decoratorMetadata", or ts-jest with "emitDecoratorMetadata".'

  it('is reported for each parameter without a token', async () => {
    expect(await findMistakes(compiledTo(undefined))).toEqual([
      'lost-metadata: Tools.add, parameter 1: the compiler emitted no decorator metadata, so parameter types are ' +
        `unknown. Write \`input: Schema\` if the parameter receives the arguments, else @Inject(token), ${compile}`,
      'lost-metadata: Tools.add, parameter 2: the compiler emitted no decorator metadata, so parameter types are ' +
        `unknown. Write @Inject(token), ${compile}`,
      'lost-metadata: Tools.add, parameter 3: the compiler emitted no decorator metadata, so parameter types are ' +
        `unknown. Write @Inject(token), ${compile}`,
    ])
  })

  it('is not needed for arguments with a schema, nor for parameters with @Inject', async () => {
    const Tools = compiledTo(undefined, { input })
    Inject(Clock)(Tools.prototype, 'add', 1)
    expect(await findMistakes(Tools)).toHaveLength(1)

    Inject(McpContext)(Tools.prototype, 'add', 2)
    expect(await findMistakes(Tools)).toEqual([])
  })

  it('is reported for a constructor, as is the missing decorator that @Inject needs there', async () => {
    class Ledger {
      constructor(readonly clock: Clock) {}
    }
    const Tools = compiledTo(undefined, { input })
    Inject(Ledger)(Tools.prototype, 'add', 1)
    Inject(Ledger)(Tools.prototype, 'add', 2)

    expect(await findMistakes(Tools)).toEqual([
      'lost-metadata: The constructor of Ledger: the compiler emitted no decorator metadata, so parameter types are ' +
        `unknown. Write @Inject(token) on each of its parameters, ${compile}`,
    ])
  })

  it('is not needed for a constructor whose parameters all have tokens', async () => {
    class Ledger {
      constructor(readonly clock: Clock) {}
    }
    Inject(Clock)(Ledger, undefined, 0)
    const Tools = compiledTo(undefined, { input })
    Inject(Ledger)(Tools.prototype, 'add', 1)
    Inject(Ledger)(Tools.prototype, 'add', 2)

    expect(await findMistakes(Tools)).toEqual([])
  })
})

describe('constructor parameters', () => {
  it('require a decorator on the class', async () => {
    class Ledger {
      constructor(readonly clock: Clock) {}
    }

    class Tools {
      @McpTool({ input })
      add(_sum: Static<typeof input>, _ledger: Ledger): string {
        return ''
      }
    }

    expect(await findMistakes(Tools)).toEqual([
      'undecorated-class: Ledger: its constructor has parameters but the class has no decorator, so the compiler ' +
        'emitted no types for them. Put @injectable() on the class.',
    ])
  })

  it('are reported once for each class, however many classes depend on it', async () => {
    class Tools {
      constructor(readonly clock: Clock) {}

      @McpTool()
      one(): string {
        return ''
      }

      @McpTool()
      two(): string {
        return ''
      }
    }

    expect(await findMistakes(Tools)).toHaveLength(1)
  })

  it('that cannot be injected are found anywhere below a controller', async () => {
    interface Database {
      readonly url: string
    }

    @injectable()
    class Store {
      constructor(
        readonly database: Database,
        readonly cache: Map<string, string>,
      ) {}
    }

    @injectable()
    class Ledger {
      constructor(readonly store: Store) {}
    }

    @injectable()
    class Tools {
      constructor(readonly ledger: Ledger) {}

      @McpTool()
      add(): string {
        return ''
      }
    }

    expect(await findMistakes(Tools)).toEqual([
      'unresolvable-token: The constructor of Store, parameter 1: its type is Object at run time, which cannot be ' +
        `injected. ${interfaceOrImport}`,
      'unresolvable-token: The constructor of Store, parameter 2: its type is Map at run time, which cannot be ' +
        'injected. A built-in type needs @Inject(token).',
    ])
  })
})
