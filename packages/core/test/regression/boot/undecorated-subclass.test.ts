import { EventEmitter } from 'node:events'
import { Inject, injectable, McpTool } from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect } from '@toolwright/testing'
import { findMistakes } from '../../boot/find-problems.js'

@injectable()
class Clock {
  readonly is = 'clock'
}

@injectable()
class Mailer {
  readonly is = 'mailer'
}

@injectable()
class Decorated {
  constructor(readonly clock: Clock) {}

  @McpTool()
  tell(): string {
    return `${(this as { clock?: { is: string } }).clock?.is}`
  }
}

type Controller = NonNullable<ServerOptions['controllers']>[number]

class Undecorated {
  constructor(readonly clock: Clock) {}
}

abstract class UndecoratedTools extends Undecorated {
  @McpTool()
  tell(): string {
    return `${(this as { clock?: { is: string } }).clock?.is}`
  }
}

const emitted = 'has no decorator, so the compiler emitted no types for them. Put @injectable() on the class'

/** Returns the result of the tool `tell` of a controller. */
async function tell(controller: Controller): Promise<string> {
  await using connection = await connect({ name: 'subclasses', version: '1.0.0', controllers: [controller] })
  const { content } = await connection.client.callTool({ name: 'tell' })
  return (content as readonly { readonly text: string }[]).map(({ text }) => text).join()
}

describe('a subclass without a decorator', () => {
  test('is a boot problem when its constructor is below a decorated class', async () => {
    class Sub extends Decorated {
      constructor(
        readonly mailer: Mailer,
        clock: Clock,
      ) {
        super(clock)
      }
    }

    expect(await findMistakes(Sub)).toEqual([
      `undecorated-class: Sub: its constructor has parameters but the class ${emitted}.`,
    ])
  })

  test('is a boot problem when another service depends on it', async () => {
    class SubClock extends Decorated {
      constructor(readonly mailer: Mailer) {
        super(new Clock())
      }
    }

    @injectable()
    class Tools {
      constructor(readonly clock: SubClock) {}

      @McpTool()
      use(): string {
        return ''
      }
    }

    expect(await findMistakes(Tools)).toEqual([
      `undecorated-class: SubClock: its constructor has parameters but the class ${emitted}.`,
    ])
  })

  test('is a boot problem two levels above the created class', async () => {
    class Middle extends Decorated {
      constructor(readonly mailer: Mailer) {
        super(new Clock())
      }
    }

    @injectable()
    class Sub extends Middle {}

    const fix = 'or give Sub its own constructor if the parameters can be left out.'
    expect(await findMistakes(Sub)).toEqual([
      `undecorated-class: Middle: its constructor, which Sub inherits, has parameters but the class ${emitted}, ${fix}`,
    ])
  })

  test('gets the services of the inherited decorated constructor, beside its own fields', async () => {
    class Fields extends Decorated {
      readonly count = 1
    }
    class More extends Fields {}

    expect(await tell(More)).toBe('clock')
  })

  test('gets the services of the inherited constructor, although its source text contains another constructor', async () => {
    class Inner extends Decorated {
      open(): object {
        return new (class {
          constructor(readonly name: string) {}
        })('inner')
      }
    }
    class Template extends Decorated {
      readonly code = `class Generated {
        constructor() {}
      }`
    }

    expect([await tell(Inner), await tell(Template)]).toEqual(['clock', 'clock'])
  })

  test('passes its own arguments to super when its constructor has no parameters', async () => {
    class Fixed extends Decorated {
      constructor() {
        super({ is: 'fixed' } as never)
      }
    }

    @injectable()
    class Sub extends Fixed {}

    expect([await tell(Fixed), await tell(Sub)]).toEqual(['fixed', 'fixed'])
  })

  test('forwards its rest parameters to super', async () => {
    class Rest extends Decorated {
      readonly count: number

      constructor(...args: ConstructorParameters<typeof Decorated>) {
        super(...args)
        this.count = args.length
      }
    }

    expect(await tell(Rest)).toBe('clock')
  })

  test('keeps its parameter defaults instead of the services of the base class', async () => {
    class Defaults extends Decorated {
      constructor(clock = { is: 'default' }) {
        super(clock as never)
      }
    }

    expect(await tell(Defaults)).toBe('default')
  })
})

describe('a subclass of a class without a decorator', () => {
  const inherits = (sub: string) =>
    `undecorated-class: Undecorated: its constructor, which ${sub} inherits, has parameters but the class ${emitted}, ` +
    `or give ${sub} its own constructor if the parameters can be left out.`

  test('is a boot problem without its own constructor', async () => {
    class Sub extends UndecoratedTools {}

    @injectable()
    class DecoratedSub extends UndecoratedTools {
      readonly field = 1
    }

    expect(await findMistakes(Sub)).toEqual([inherits('Sub')])
    expect(await findMistakes(DecoratedSub)).toEqual([inherits('DecoratedSub')])
  })

  test('starts with its own constructor', async () => {
    @injectable()
    class Sub extends UndecoratedTools {
      constructor(
        clock: Clock,
        readonly mailer: Mailer,
      ) {
        super(clock)
      }
    }

    expect(await tell(Sub)).toBe('clock')
  })

  test('inherits the tokens of @Inject', async () => {
    class Tokens {
      constructor(@Inject(Clock) readonly clock: object) {}

      @McpTool()
      tell(): string {
        return (this.clock as Clock).is
      }
    }

    @injectable()
    class Sub extends Tokens {
      readonly field = 1
    }

    expect(await tell(Sub)).toBe('clock')
  })

  test('can extend a class of Node whose options can be omitted', async () => {
    @injectable()
    class Bus extends EventEmitter {}

    @injectable()
    class Tools {
      constructor(readonly bus: Bus) {}

      @McpTool()
      use(): string {
        return ''
      }
    }

    expect(await findMistakes(Tools)).toEqual([])
  })
})
