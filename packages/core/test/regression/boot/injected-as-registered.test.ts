import {
  container as globalContainer,
  Inject,
  inject,
  injectAll,
  injectable,
  instanceCachingFactory,
  McpTool,
  singleton,
} from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect } from '@toolwright/testing'
import * as tsyringe from 'tsyringe'
import { findMistakes } from '../../boot/find-problems.js'

type Controller = NonNullable<ServerOptions['controllers']>[number]

/** Results of the tool `use`, called this many times. */
async function use(controller: Controller, container = globalContainer, times = 1): Promise<readonly string[]> {
  await using connection = await connect({ name: 'injected', version: '1.0.0', controllers: [controller], container })
  const answers: string[] = []
  for (let index = 0; index < times; index++) {
    // oxlint-disable-next-line no-await-in-loop
    const { content } = await connection.client.callTool({ name: 'use' })
    answers.push((content as readonly { readonly text: string }[]).map(({ text }) => text).join())
  }
  return answers
}

const child = () => globalContainer.createChildContainer()

describe('inject on a parameter of a method', () => {
  class Tools {
    @McpTool()
    use(@inject('Greeting') greeting: string, @inject('Missing', { isOptional: true }) missing?: string): string {
      return `${greeting} ${String(missing)}`
    }
  }

  test('injects its token, and undefined for an optional token that is not registered', async () => {
    const container = child().register('Greeting', { useValue: 'hello' })

    expect(await use(Tools, container)).toEqual(['hello undefined'])
  })

  test('injects an optional token that is registered', async () => {
    const container = child().register('Greeting', { useValue: 'hello' }).register('Missing', { useValue: 'you' })

    expect(await use(Tools, container)).toEqual(['hello you'])
  })

  test('injects separate tokens into two methods', async () => {
    class Two {
      @McpTool()
      use(@inject('One') one: string): string {
        return one
      }

      @McpTool()
      other(@inject('Two') two: string): string {
        return two
      }
    }
    const container = child().register('One', { useValue: '1' }).register('Two', { useValue: '2' })

    expect(await use(Two, container)).toEqual(['1'])
  })

  test('is a boot problem if it is imported from tsyringe, which does not record the method', async () => {
    class Clock {
      readonly now: string = 'now'
    }

    class Clocks {
      @McpTool()
      use(@tsyringe.inject('Frozen clock') { now }: Clock): string {
        return now
      }
    }

    expect(await findMistakes(Clocks)).toEqual([
      'bad-decorator-target: Clocks: the @inject or @injectAll of tsyringe is on a parameter of a method, where it has no ' +
        "effect. Import `inject` from 'toolwright'.",
    ])
  })

  test('has the counterpart injectAll for all registrations of a token, for constructors only', async () => {
    @injectable()
    class All {
      constructor(@injectAll('Plugin') readonly plugins: readonly string[]) {}

      @McpTool()
      use(): string {
        return this.plugins.join()
      }
    }

    class Misplaced {
      @McpTool()
      use(@injectAll('Plugin') plugins: readonly string[]): string {
        return plugins.join()
      }
    }
    const container = child().register('Plugin', { useValue: 'a' }).register('Plugin', { useValue: 'b' })

    expect(await use(All, container)).toEqual(['a,b'])
    expect(await findMistakes(Misplaced)).toContain(
      "bad-decorator-target: @injectAll is on 'Misplaced.use'. Put it on a parameter of the constructor.",
    )
  })
})

describe('a registered value', () => {
  test.each([null, undefined])('is injected unchanged when it is %s', async (given) => {
    @singleton()
    class Service {
      constructor(@Inject('Value') readonly value: unknown) {}
    }

    @injectable()
    class Tools {
      constructor(
        @Inject('Value') readonly value: unknown,
        readonly service: Service,
      ) {}

      @McpTool()
      use(@Inject('Value') own: unknown, @Inject('Made') made: readonly unknown[]): string {
        return [this.value, this.service.value, own, made[0]].map(String).join(' ')
      }
    }
    const container = child()
    container.register('Value', { useValue: given })
    container.register('Made', { useFactory: instanceCachingFactory((from) => [from.resolve('Value')]) })
    container.registerSingleton(Service)

    expect(await use(Tools, container, 2)).toEqual(Array(2).fill(`${given} ${given} ${given} ${given}`))
  })
})

describe('a class that is registered for another token', () => {
  abstract class Repo {
    abstract readonly number: number
  }

  /** A singleton that counts its instances. */
  function numbered() {
    @singleton()
    class SqlRepo extends Repo {
      static made = 0
      readonly number = ++SqlRepo.made
    }
    return SqlRepo
  }

  @injectable()
  class RepoTools {
    constructor(readonly repo: Repo) {}

    @McpTool()
    use(repo: Repo): string {
      return `${this.repo.number} ${repo.number}`
    }
  }

  test('is created once as a singleton', async () => {
    const SqlRepo = numbered()
    const container = child()
    container.registerSingleton(Repo as never, SqlRepo)

    expect(await use(RepoTools, container, 2)).toEqual(['1 1', '1 1'])
    expect(SqlRepo.made).toBe(1)
  })

  test('is created as often as tsyringe creates it', async () => {
    const SqlRepo = numbered()

    class Tools {
      @McpTool()
      use(@Inject('repo') one: Repo, @Inject('repo') other: Repo): string {
        return `${one.number} ${other.number}`
      }
    }

    expect(await use(Tools, child().register('repo', { useClass: SqlRepo }), 2)).toEqual(['1 2', '3 4'])
    expect(SqlRepo.made).toBe(4)
  })
})

describe('an instance that is created for one call', () => {
  const disposed: string[] = []
  beforeEach(() => void disposed.splice(0))

  class Sync {
    [Symbol.dispose](): void {
      disposed.push('sync')
    }
  }

  class Async {
    async [Symbol.asyncDispose](): Promise<void> {
      await new Promise(setImmediate)
      disposed.push('async')
    }

    [Symbol.dispose](): void {
      disposed.push('async, by the wrong method')
    }
  }

  class Both {
    dispose(): void {
      disposed.push('both')
    }

    [Symbol.dispose](): void {
      this.dispose()
    }
  }

  @singleton()
  class Kept {
    [Symbol.dispose](): void {
      disposed.push('kept')
    }
  }

  class Tools {
    @McpTool()
    use(_sync: Sync, _async: Async, _both: Both, _kept: Kept): string {
      return `${disposed.length}`
    }

    [Symbol.dispose](): void {
      disposed.push('controller')
    }
  }

  test('is disposed with the call by Symbol.dispose, once, unlike longer-lived instances', async () => {
    const connection = await connect({ name: 'injected', version: '1.0.0', controllers: [Tools] })
    const { content } = await connection.client.callTool({ name: 'use' })

    expect(content).toEqual([{ type: 'text', text: '0' }])
    expect(disposed.toSorted()).toEqual(['async', 'both', 'sync'])
    await connection.close()
    expect(disposed.slice(3)).toEqual(['controller'])
  })
})
