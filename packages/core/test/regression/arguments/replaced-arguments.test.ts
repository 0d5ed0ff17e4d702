import {
  Authorize,
  type CallHook,
  failureKindOf,
  McpCompletion,
  McpPrompt,
  McpResource,
  McpTool,
  Type,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { openRawClient } from '../../support/raw-client.js'

const Amount = Type.Object({ x: Type.Integer(), unit: Type.String({ default: 'EUR' }) })
type Amount = { readonly x: number; readonly unit: string }

class Tools {
  @McpTool({ input: Amount })
  pay({ x, unit }: Amount): string {
    return `${x} ${unit}`
  }

  @Authorize({ policy: ({ arguments: args }) => (args as Amount).x < 10 })
  @McpTool({ input: Amount })
  payLittle({ x, unit }: Amount): string {
    return `${x} ${unit}`
  }

  @McpTool()
  ping(): string {
    return 'pong'
  }

  @McpPrompt({ input: Type.Object({ name: Type.String() }) })
  greet({ name }: { name: string }): string {
    return `Hello ${name}`
  }

  @Authorize({ policy: ({ arguments: args }) => (args as { name: string }).name === 'Ada' })
  @McpPrompt({ input: Type.Object({ name: Type.String() }) })
  greetAda({ name }: { name: string }): string {
    return `Hello ${name}`
  }

  @McpResource('notes://{id}')
  note({ id }: { id: string }): string {
    return id
  }

  @McpCompletion({ prompt: 'greet', argument: 'name' })
  names(): string[] {
    return ['Ada']
  }
}

function isMember(value: unknown, name: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && name in value
}

/** Calls with a hook that passes `given` to `next`. @returns The text of the result, and all log lines. */
async function ask(method: string, params: object, given: unknown, ...more: CallHook[]) {
  return askServer({}, method, params, given, ...more)
}

async function askServer(
  options: Partial<ServerOptions>,
  method: string,
  params: object,
  given: unknown,
  ...more: CallHook[]
) {
  const log: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) })
  const replacing: CallHook & { name: string } = {
    name: 'replacing',
    around: (_call, next) => {
      const ended = next(given as object)
      // Too late to matter: policies may still run.
      if (isMember(given, 'x')) given['x'] = 99
      return ended
    },
  }
  const principal = { subject: 'ada', roles: [], scopes: [], claims: {} }
  const server = await createServer({
    name: 'replaced',
    version: '1',
    logger,
    controllers: [Tools],
    hooks: [replacing, ...more],
    ...options,
  })
  const client = openRawClient(server, principal)
  const answer = JSON.stringify(await client.request(method, params))
  await client[Symbol.asyncDispose]()
  await server.close()
  return { answer, log: log.join('') }
}

const call = (name: string, args: object = {}) => ['tools/call', { name, arguments: args }] as const

describe('arguments that an around hook passes to next', () => {
  it('reach the handler and the inner and later hooks, with defaults', async () => {
    const seen: unknown[] = []
    const inner: CallHook = {
      around: async ({ arguments: args }, next) => {
        seen.push(args)
        return next()
      },
      onCompleted: ({ arguments: args }) => void seen.push(args),
    }
    const { answer } = await ask(...call('pay', { x: 1, unit: 'USD' }), { x: 2 }, inner)

    expect(answer).toContain('2 EUR')
    expect(seen).toEqual([
      { x: 2, unit: 'EUR' },
      { x: 2, unit: 'EUR' },
    ])
  })

  it('can be a changed copy, and can be replaced again by an inner hook', async () => {
    const inner: CallHook = {
      around: ({ arguments: args }, next) => next({ ...(args as Amount), unit: 'USD' }),
    }

    expect((await ask(...call('pay', { x: 1 }), { x: 3 }, inner)).answer).toContain('3 USD')
  })

  it('are the arguments of the client if next gets undefined', async () => {
    expect((await ask(...call('pay', { x: 1 }), undefined)).answer).toContain('1 EUR')
  })

  it('replace the arguments of a prompt', async () => {
    const { answer } = await ask('prompts/get', { name: 'greet', arguments: { name: 'Ada' } }, { name: 'Bob' })

    expect(answer).toContain('Hello Bob')
  })

  it.each([[{ x: 'two' }], [null], [2], [[]], [() => 1]])('are rejected as %j, which is invalid', async (given) => {
    const { answer, log } = await ask(...call('pay', { x: 1 }), given)

    expect(answer).toContain("The cause is in the server's log")
    expect(log).toContain("replacing.around failed: next was called with invalid arguments for Tool 'pay': ")
  })

  it('are passed to policies, and do not change when the hook changes its object later', async () => {
    expect((await ask(...call('pay_little', { x: 1 }), { x: 2 })).answer).toContain('2 EUR')
    const rejected: string[] = []
    const watching: CallHook = { onFailed: ({ name }, error) => void rejected.push(`${name}: ${error.name}`) }
    const { answer } = await ask(...call('pay_little', { x: 1 }), { x: 20 }, watching)

    expect(answer).toContain('Forbidden: you are not allowed to use this')
    expect(rejected).toEqual(['pay_little: ForbiddenError'])
  })

  it.each([
    ['tool', ...call('pay_little', { x: 1 }), { x: 20 }],
    ['prompt', 'prompts/get', { name: 'greet_ada', arguments: { name: 'Ada' } }, { name: 'Bob' }],
  ])(
    'of a hidden %s are reported as forbidden to hooks only, if a policy rejects them',
    async (kind, method, params, given) => {
      const rejected: string[] = []
      const watching: CallHook = {
        onFailed: ({ name }, error) => void rejected.push(`${name}: ${failureKindOf(error)}`),
      }
      const options = { authorization: { hideForbidden: true } }
      const { answer } = await askServer(options, method, params, given, watching)

      expect(answer).toContain(`Unknown ${kind}: ${params.name}`)
      expect(answer).not.toContain('Forbidden')
      expect(rejected).toEqual([`${params.name}: forbidden`])
    },
  )

  it.each([
    ['tool without input', ...call('ping'), "Tool 'ping' does not accept replaced arguments: it has no input"],
    [
      'resource',
      'resources/read',
      { uri: 'notes://1' },
      "Resource 'notes://{id}' does not accept replaced arguments: its variables are part of the URI",
    ],
    [
      'completion',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: '' } },
      "Completion of 'prompt greet: name' does not accept replaced arguments: they are the input of the user",
    ],
  ])('are an error for a %s', async (_what, method, params, message) => {
    const { answer, log } = await ask(method, params, { x: 2 })

    expect(answer).toContain("The cause is in the server's log")
    expect(log).toContain(`replacing.around failed: next was called with arguments, but ${message}. Call next()`)
  })
})
