import { BootError, Inject, McpContext, McpTool, singleton } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'

@singleton()
class Session {
  constructor(readonly context: McpContext) {}
}

class Ledger {
  constructor(readonly session: Session) {}
}

class AccountTools {
  @McpTool('open account')
  open(): string {
    return ''
  }

  @McpTool({ input: 'a name' as never })
  close(_name: string): string {
    return ''
  }

  @McpTool()
  balance(@Inject('Bank') _bank: object): string {
    return ''
  }

  @McpTool('history')
  list(_ledger: Ledger): string {
    return ''
  }
}

class ReportTools {
  @McpTool('history')
  print(_session: Session): string {
    return ''
  }

  @McpTool()
  static clear(): string {
    return ''
  }
}

describe('eight mistakes in one server', () => {
  it('are reported in one error, each with its place and its fix', async () => {
    const logger = pino({ level: 'silent' })
    const booting = createServer({
      name: 'bank',
      version: '',
      controllers: [AccountTools, ReportTools, AccountTools],
      logger,
    })

    const error = await booting.then(
      () => null,
      (reason: unknown) => reason as BootError,
    )

    expect(error).toBeInstanceOf(BootError)
    expect(error?.message).toBe(
      [
        'The server cannot start: 8 problems found.',
        "  1. version is the string ''. Give the server a version: clients show it. [bad-option]",
        "  2. AccountTools.open: 'open account' is not a valid tool name. " +
          'Use 1 to 128 of the characters A-Z a-z 0-9 _ . - [bad-name]',
        "  3. AccountTools.close: the input schema is the string 'a name'. " +
          'Give a TypeBox schema, a Model class or a Standard Schema, or plain JSON Schema as inputSchema. [bad-schema]',
        '  4. ReportTools.clear: @McpTool is on a static member. Put it on an instance method. ' +
          '[bad-decorator-target]',
        "  5. Tool 'history' is declared by both AccountTools.list and ReportTools.print. Rename one. [duplicate-name]",
        '  6. AccountTools.balance, parameter 1 (injected, because there is no `input` schema): nothing is ' +
          "registered for the token 'Bank'. " +
          'Register it before the server boots, with the container of toolwright: container.register(token, { useClass: … }). [unresolvable-token]',
        '  7. Ledger: its constructor has parameters but the class has no decorator, so the compiler emitted no types ' +
          'for them. Put @injectable() on the class. [undecorated-class]',
        '  8. Session -> McpContext: Session is a singleton, so it would keep the McpContext of the first call. ' +
          'Make Session @scoped(Lifecycle.ContainerScoped), or pass the value as an argument. [captive-dependency]',
      ].join('\n'),
    )
    expect(error?.diagnostics.map(({ code }) => code)).toEqual([
      'bad-option',
      'bad-name',
      'bad-schema',
      'bad-decorator-target',
      'duplicate-name',
      'unresolvable-token',
      'undecorated-class',
      'captive-dependency',
    ])
  })

  it('are printed as text only when the error is inspected', async () => {
    const booting = createServer({ name: '', version: '1', controllers: [AccountTools] })

    await expect(booting).rejects.toMatchObject({ stack: expect.not.stringMatching(/\n {4}at /) as string })
  })
})

it('boot errors do not change the stacks of later errors', async () => {
  const { stackTraceLimit } = Error
  const server = await createServer({
    name: 'stacks',
    version: '1',
    controllers: [],
    logger: pino({ level: 'silent' }),
  })
  expect(typeof new Error('later').stack).toBe('string')
  expect(Error.stackTraceLimit).toBe(stackTraceLimit)
  await server.close()
})
