import { inspect } from 'node:util'
import {
  BootError,
  container as globalContainer,
  Inject,
  inject,
  injectable,
  type McpServer,
  McpTool,
  singleton,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { findDiagnostics } from './find-problems.js'
import { programs, runNode } from './run-program.js'

type Controller = NonNullable<ServerOptions['controllers']>[number]

/** The boot problems of a class that cannot be created, and the thrown errors. */
async function failureOf(controller: Controller, container = globalContainer) {
  const options = { name: 'test', version: '1.0.0', logger: pino({ level: 'silent' }), controllers: [controller] }
  const error: unknown = await createServer({ ...options, container }).catch((thrown: unknown) => thrown)
  if (!(error instanceof BootError)) throw error
  return error.diagnostics.map(({ message, cause }) => ({ message, cause }))
}

const thrown = new Error('no mail server')

@injectable()
class Mailer {
  constructor() {
    throw thrown
  }
}

@singleton()
class Database {
  constructor(readonly mailer: Mailer) {}
}

it("an uncaught boot error shows the line in the dependency's constructor that threw", async () => {
  const { code, stderr } = await runNode(['--enable-source-maps', 'throwing-dependency.js'])

  expect(code).toBe(1)
  expect(stderr).toMatch(
    '  1. MailTools -> Outbox -> Mailer: Mailer could not be created at boot, because its constructor threw: ' +
      'no mail server [constructor-failed]',
  )
  const source = `${programs.replace(/dist$/, 'src')}/throwing-dependency.ts`
  expect(stderr).toMatch(`[cause]: Error: no mail server\n      at new Mailer (${source}:7:11)`)
  expect(stderr).not.toMatch('Cannot inject the dependency')
})

it("a singleton is reported with the path to the constructor that threw, and the application's container stays unchanged", async () => {
  class Tools {
    @McpTool()
    query(_database: Database): void {}
  }
  const container = globalContainer.createChildContainer()
  const members = Object.keys(container)

  expect(await failureOf(Tools, container)).toEqual([
    {
      message: 'Database -> Mailer: Mailer could not be created at boot, because its constructor threw: no mail server',
      cause: thrown,
    },
  ])
  expect(Object.keys(container)).toEqual(members)
})

it('a factory that throws is reported with its token', async () => {
  @injectable()
  class Tools {
    constructor(@inject('Queue') readonly queue: object) {}

    @McpTool()
    push(): void {}
  }
  const container = globalContainer.createChildContainer()
  container.register('Queue', {
    useFactory: () => {
      throw thrown
    },
  })

  expect(await failureOf(Tools, container)).toEqual([
    {
      message: "Tools -> 'Queue': 'Queue' could not be created at boot, because its factory threw: no mail server",
      cause: thrown,
    },
  ])
})

it('the class behind a token is reported instead of the token', async () => {
  @injectable()
  class Tools {
    constructor(@Inject('Mailer') readonly mailer: object) {}

    @McpTool()
    send(): void {}
  }
  const container = globalContainer.createChildContainer()
  container.register('Mailer', { useClass: Mailer })

  expect(await failureOf(Tools, container)).toEqual([
    {
      message: 'Tools -> Mailer: Mailer could not be created at boot, because its constructor threw: no mail server',
      cause: thrown,
    },
  ])
})

it('an error that a constructor has caught is not mistaken for the error that it throws later', async () => {
  const container = globalContainer.createChildContainer()
  const later = new Error('no second server either')

  @singleton()
  class Sender {
    constructor() {
      try {
        container.resolve(Mailer)
      } catch {
        throw later
      }
    }
  }

  class Tools {
    @McpTool()
    send(_sender: Sender): void {}
  }

  expect(await failureOf(Tools, container)).toEqual([
    {
      message: 'Sender could not be created at boot, because its constructor threw: no second server either',
      cause: later,
    },
  ])
})

class Guard {
  constructor() {
    throw new Error('no policies')
  }

  onInvoking(): void {}
}

class NoHook {}

const comingLater = {
  'nothing is served yet': { controllers: [] },
  'onReady adds what is served': {
    onReady: ({ catalog }: McpServer) => catalog.addTool({ name: 'wipe', handler: () => 'wiped' }),
  },
}

it.each(Object.entries(comingLater))(
  'a hook of the server that cannot be created makes boot fail where %s',
  async (_, later) => {
    expect(await findDiagnostics({ ...later, hooks: [Guard] })).toEqual([
      'constructor-failed: Guard could not be created at boot, because its constructor threw: no policies',
    ])
    expect(await findDiagnostics({ ...later, hooks: [NoHook as never] })).toEqual([
      expect.stringMatching(/^bad-hook: .*NoHook.* is not a hook/),
    ])
  },
)

const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`member${index}`, index]))

it.each([
  ['a string', 'plain text', 'a value that is not an Error was thrown: plain text'],
  [
    'an object',
    { code: 'E1', at: { line: 2 } },
    "a value that is not an Error was thrown: { code: 'E1', at: { line: 2 } }",
  ],
  [
    'an object without a class',
    Object.create(null),
    'a value that is not an Error was thrown: [Object: null prototype] {}',
  ],
  [
    'an object with many members',
    wide,
    `a value that is not an Error was thrown: ${inspect(wide, { breakLength: Infinity }).slice(0, 1000)}…`,
  ],
  [
    'a value that cannot be converted to a string',
    { [inspect.custom]: () => JSON.parse('') as object },
    'a value that cannot be described was thrown',
  ],
])('%s thrown in a dependency is reported, too', async (_what, value, text) => {
  @injectable()
  class Rude {
    constructor() {
      // oxlint-disable-next-line typescript/only-throw-error
      throw value
    }
  }

  @injectable()
  class Tools {
    constructor(readonly rude: Rude) {}

    @McpTool()
    call(): void {}
  }

  expect(await failureOf(Tools)).toEqual([
    {
      message: `Tools -> Rude: Rude could not be created at boot, because its constructor threw: ${text}`,
      cause: value,
    },
  ])
})
