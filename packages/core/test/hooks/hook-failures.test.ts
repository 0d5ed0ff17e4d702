import { setImmediate as nextTurn } from 'node:timers/promises'
import { type CallHook, type FeatureCall, McpContext, McpTool, ProtocolError, ToolError, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { openRawClient, type RawMessage } from '../support/raw-client.js'
import { type HookFault, hookFaults } from './hook-failures.js'

// Each cell of the matrix, in a separate server: the faulty hook is between two hooks that only take notes.

const form = Type.Object({ name: Type.String() })

class MatrixTools {
  @McpTool({
    description: 'Add',
    input: Type.Object({ fails: Type.Boolean(), asks: Type.Boolean() }),
    output: Type.Object({ sum: Type.Number() }),
  })
  async add({ fails, asks }: { fails: boolean; asks: boolean }, context: McpContext): Promise<{ sum: number }> {
    matrix.runs++
    if (fails) throw new ToolError('the handler fails')
    if (asks) await context.elicit({ message: 'Who?', schema: form })
    return { sum: 3 }
  }
}

const matrix = { runs: 0, faultHasBegun: false, late: createGate() }

/** Hangs until the test has seen the expected result. */
function waitTooLong(): Promise<void> {
  matrix.faultHasBegun = true
  return matrix.late.opened
}

/** The failure, at each place. */
const errors: Readonly<Record<string, (call: FeatureCall) => unknown>> = {
  'throws ToolError': () => {
    throw new ToolError("the hook's message")
  },
  'throws ProtocolError': () => {
    throw new ProtocolError('invalidParams', "the hook's message")
  },
  throws: () => {
    throw new Error('secret')
  },
  'throws undefined': () => {
    throw undefined
  },
  rejects: () => Promise.reject(new Error('secret')),
  'never settles': () => new Promise(() => undefined),
  'settles too late': waitTooLong,
  'settles after the abort': waitTooLong,
  'changes the call': (call) => {
    ;(call as { name: string }).name = 'other'
  },
  'changes the arguments': (call) => {
    ;(call.arguments as { fails: boolean }).fails = true
  },
}

type AroundFault = (call: FeatureCall, next: () => Promise<unknown>) => Promise<unknown>

const aroundFaults: Readonly<Record<string, AroundFault>> = {
  'calls next again': async (_call, next) => {
    await next()
    return next()
  },
  'calls next again, and catches the error': async (_call, next) => {
    const value = await next()
    await next().catch(() => undefined)
    return value
  },
  'returns an invalid result': async (_call, next) => {
    await next()
    return { sum: 'three' }
  },
  'never calls next': async () => ({ sum: 3 }),
  'calls next after around has ended': async (_call, proceed) => {
    void matrix.late.opened.then(() => void proceed())
    return { sum: 3 }
  },
  'does not wait for next': async (_call, next) => {
    void next()
    return { sum: 3 }
  },
}

function faultyHook({ hook, fault }: HookFault): CallHook {
  const run = errors[fault] ?? ((): never => fail(fault))
  if (hook === 'around, before next') {
    return {
      around: async (call, next) => {
        await run(call)
        return next()
      },
    }
  }
  if (hook === 'around, after next' && fault in errors) {
    return {
      around: async (call, next) => {
        const value = await next()
        await run(call)
        return value
      },
    }
  }
  if (hook.startsWith('around')) return { around: aroundFaults[fault] ?? ((): never => fail(fault)) }
  return { [hook]: run }
}

function fail(fault: string): never {
  throw new Error(`the test does not know how a hook ${fault}`)
}

/** A hook that notes its events. */
function noting(name: string, notes: string[]): CallHook {
  return {
    onInvoking: () => void notes.push(`${name} onInvoking`),
    onCompleted: () => void notes.push(`${name} onCompleted`),
    onFailed: () => void notes.push(`${name} onFailed`),
    onInputRequired: () => void notes.push(`${name} onInputRequired`),
  }
}

const uuid = /error [\da-f-]{36}\)\.$/

/** The response of the client, in the words of the matrix. */
// oxlint-disable-next-line typescript/no-explicit-any
function describeAnswer({ result, error }: any): HookFault['client'] {
  const text: string = error?.message ?? result.content?.[0]?.text ?? ''
  if (text === "the hook's message") return "the hook's message"
  if (text === 'the handler fails') return 'the failure'
  if (result?.resultType === 'input_required') return 'the client requests'
  if (uuid.test(text) && !text.includes('secret')) return 'an error id'
  expect(result).toMatchObject({ structuredContent: { sum: 3 } })
  return 'the result'
}

interface LogLine {
  readonly msg: string
  readonly hook?: string
}

/** Only these cells may exceed the timeout, also on a busy machine. */
const outOfTime = new Set(['never settles', 'settles too late'])

async function runCell(cell: HookFault) {
  Object.assign(matrix, { runs: 0, faultHasBegun: false, late: createGate() })
  const notes: string[] = []
  const lines: LogLine[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const server = await createServer({
    name: 'test',
    version: '1',
    controllers: [MatrixTools],
    hooks: [noting('outer', notes), faultyHook(cell), noting('inner', notes)],
    limits: { hookTimeoutMs: outOfTime.has(cell.fault) ? 20 : 60_000 },
    logger,
  })
  await using client = openRawClient(server)
  const args = { fails: cell.hook === 'onFailed', asks: cell.hook === 'onInputRequired' }
  let answer: RawMessage
  const call = async (): Promise<void> => {
    answer = await client.modern('tools/call', { name: 'add', arguments: args }, { elicitation: { form: {} } })
  }
  const answered = call()
  if (cell.fault === 'settles after the abort') {
    await until(() => matrix.faultHasBegun)
    client.notify('notifications/cancelled', { requestId: 1, reason: 'test' })
  } else await answered
  // Late results must change nothing.
  matrix.late.open()
  await until(() => notes.includes(`inner ${cell.others}`))
  await nextTurn()
  await server.close()
  return { got: answer === undefined ? 'nothing' : describeAnswer(answer), notes, lines }
}

function describeLog(lines: readonly LogLine[]): HookFault['logged'] {
  if (lines.length === 0) return ''
  expect(lines).toHaveLength(1)
  const [line] = lines
  if (line?.msg === "Tool 'add' failed") return 'the failed call'
  expect(line).toMatchObject({ msg: 'a hook failed after its call', hook: expect.stringMatching(/^hook\.on/) })
  return 'the hook'
}

describe('a faulty hook', () => {
  test.each(hookFaults.map((cell) => [cell.hook, cell.fault, cell] as const))('%s: %s', async (_hook, _fault, cell) => {
    const { got, notes, lines } = await runCell(cell)
    expect({ client: got, handler: matrix.runs, logged: describeLog(lines) }).toEqual({
      client: cell.client,
      handler: cell.handler,
      logged: cell.logged,
    })
    // A before hook rejects the call: later hooks do not begin. Both observers are called once with the outcome.
    const began = ['outer onInvoking', ...(cell.hook === 'onInvoking' ? [] : ['inner onInvoking'])]
    expect(notes).toEqual([...began, `outer ${cell.others}`, `inner ${cell.others}`])
  })
})
