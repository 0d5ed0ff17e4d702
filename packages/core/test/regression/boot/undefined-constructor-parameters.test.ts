import { join } from 'node:path'
import { container as globalContainer, Inject, injectable, McpTool, singleton } from '@toolwright/core'
import { connect } from '@toolwright/testing'
import { findMistakes } from '../../boot/find-problems.js'
import { programs, runNode } from '../../boot/run-program.js'

const tsx = (program: string) => runNode(['--import', 'tsx', join(programs, '..', 'src', 'stripped', program)])

const dropped = (where: string, fix: string) =>
  `${where}: tsx drops decorator metadata, so parameter types are unknown. Write ${fix}, or compile with metadata: tsc ` +
  'with "experimentalDecorators" and "emitDecoratorMetadata", or `node --import @oxc-node/core/register src/main.ts`. ' +
  '[lost-metadata]'

test('a constructor with @Inject on some parameters is not called with undefined for the others', async () => {
  const { stdout } = await tsx('partly.ts')
  expect(stdout.split('\n')).toEqual([
    'The server cannot start: 4 problems found.',
    `  1. ${dropped('The constructor of SumTools, parameter 1', '@Inject(token)')}`,
    `  2. ${dropped('The constructor of Blocked, parameter 2', '@Inject(token)')}`,
    `  3. ${dropped('The constructor of Ledger, parameter 1', '@Inject(token)')}`,
    `  4. ${dropped('The constructor of Audit, parameter 2', '@Inject(token)')}`,
    '',
  ])
})

test('with a compiled library, the classes of an application under tsx are not mistaken for undecorated classes', async () => {
  const { stdout } = await tsx('with-library.ts')
  expect(stdout.split('\n')).toEqual([
    'The server cannot start: 3 problems found.',
    `  1. ${dropped('OwnTools.now, parameter 1', '`input: Schema` if the parameter receives the arguments, else @Inject(token)')}`,
    `  2. ${dropped('The constructor of OwnTools', '@Inject(token) on each of its parameters')}`,
    `  3. ${dropped('The constructor of Ledger', '@Inject(token) on each of its parameters')}`,
    '',
  ])
})

describe('a subclass without a constructor', () => {
  class Clock {
    now(): number {
      return 7
    }
  }

  abstract class Base {
    constructor(
      @Inject('url') readonly url: string,
      @Inject(Clock) readonly clock: Clock,
    ) {}
  }

  class Between extends Base {}

  @singleton()
  class Service extends Between {}

  @injectable()
  class Tools extends Between {
    @McpTool()
    read(service: Service): string {
      return [this.url, this.clock.now(), service.url, service.clock.now()].join(' ')
    }
  }

  it('gets the services that @Inject names in the inherited constructor', async () => {
    const container = globalContainer.createChildContainer().register('url', { useValue: 'here' })
    const options = { name: 'inherited', version: '1.0.0', controllers: [Tools], container }
    // Twice, because the first boot stores its results.
    await (await connect(options)).close()
    await using connection = await connect(options)
    const { content } = await connection.client.callTool({ name: 'read' })
    expect(content).toEqual([{ type: 'text', text: 'here 7 here 7' }])
  })

  it('gets these services under tsx, too', async () => {
    expect(await tsx('inherited.ts')).toEqual({ code: 0, stderr: '', stdout: 'here 7 here 7\n' })
  })
})

describe('a subclass with its own constructor', () => {
  class Clock {}

  class Url {}

  @injectable()
  class Base {
    constructor(readonly clock: Clock) {}
  }

  const undecorated = (name: string) =>
    `undecorated-class: ${name}: its constructor has parameters but the class has no decorator, so the compiler emitted ` +
    'no types for them. Put @injectable() on the class.'

  it('is not created with the services of its base class', async () => {
    class Sub extends Base {
      constructor(readonly url: Url) {
        super(new Clock())
      }
    }
    class Below extends Sub {}
    class Tools {
      @McpTool()
      read(_sub: Sub, _below: Below): string {
        return ''
      }
    }

    const inherited = undecorated('Sub')
      .replace('constructor', 'constructor, which Below inherits,')
      .replace(/\.$/, ', or give Below its own constructor if the parameters can be left out.')
    expect(await findMistakes(Tools)).toEqual([undecorated('Sub'), inherited])
  })

  it('is not created with fewer parameters than @Inject names in its base class', async () => {
    class Named {
      constructor(
        @Inject(Clock) readonly clock: Clock,
        @Inject(Url) readonly url: Url,
      ) {}
    }
    @injectable()
    class Sub extends Named {
      constructor(readonly own: Url) {
        super(new Clock(), new Url())
      }
    }
    const made: unknown[][] = []
    class Tools {
      @McpTool()
      read(sub: Sub): string {
        made.push([sub.own])
        return ''
      }
    }

    await using connection = await connect({ name: 'sub', version: '1.0.0', controllers: [Tools] })
    await connection.client.callTool({ name: 'read' })
    expect(made).toEqual([[expect.any(Url)]])
  })
})
