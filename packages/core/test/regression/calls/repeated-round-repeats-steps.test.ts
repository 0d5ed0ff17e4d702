// A client repeats a round after a broken connection or a timeout. The round must not run its steps again.
import { setTimeout as sleep } from 'node:timers/promises'
import { type CallHook, inputRequired, McpContext, type McpServer, McpTool, ToolError, Type } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { createGate, type Gate } from '../../../../../test/support/gate.js'
import { until } from '../../../../../test/support/until.js'
import { openRawClient, type RawClient, type RawMessage } from '../../support/raw-client.js'

const Confirmation = Type.Object({ ok: Type.Boolean() })

/** Effects of steps and of code outside of steps. */
const ran: string[] = []
let gate: Gate
/** Whether the handler fails after its steps. */
let fails = false

class ShopTools {
  @McpTool()
  async pay(context: McpContext): Promise<string> {
    await context.elicit({ key: 'sure', message: 'Pay?', schema: Confirmation })
    const paid = await context.step('charge', () => `charged ${ran.push('charge')}`)
    await context.elicit({ key: 'receipt', message: 'A receipt?', schema: Confirmation })
    const sent = await context.step('send', () => `sent ${ran.push('send')}`)
    ran.push('handler')
    if (fails) throw new ToolError('The printer is empty.')
    return `${paid}, ${sent}`
  }

  @McpTool({ timeoutMs: 5000 })
  async slowly(context: McpContext): Promise<string> {
    await context.elicit({ key: 'sure', message: 'Pay?', schema: Confirmation })
    return context.step('charge', async () => {
      const paid = `charged ${ran.push('charge')}`
      await gate.opened
      return paid
    })
  }

  @McpTool({ timeoutMs: 300 })
  async tooSlowly(context: McpContext): Promise<string> {
    return this.slowly(context)
  }

  @McpTool({ task: 'optional', taskStart: 'by-handler' })
  async payAsTask(context: McpContext): Promise<string> {
    await context.elicit({ key: 'sure', message: 'Pay?', schema: Confirmation })
    await context.step('charge', () => ran.push('charge'))
    await context.startTask()
    await context.step('deliver', () => ran.push('deliver'))
    await gate.opened
    return 'delivered'
  }

  @McpTool()
  byHand(context: McpContext): string {
    if (context.requestState === undefined) inputRequired({ requestState: 'asked' })
    return `ran ${ran.push('by hand')}`
  }
}

const logger = pino({ level: 'silent' })
const options: ServerOptions = { name: 'shop', version: '1', controllers: [ShopTools], logger }

let server: McpServer
let client: RawClient

async function serve(more: Partial<ServerOptions> = {}): Promise<void> {
  server = await createServer({ ...options, ...more })
  client = openRawClient(server)
}

beforeEach(() => {
  ran.length = 0
  fails = false
  gate = createGate()
})

afterEach(async () => {
  gate.open()
  await client[Symbol.asyncDispose]()
  await server.close()
})

const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }

async function call(name: string, more: object = {}): Promise<RawMessage> {
  const { result, error } = await client.modern('tools/call', { name, ...more }, capabilities)
  return result ?? { error }
}

const yes = { action: 'accept', content: { ok: true } }
const no = { action: 'accept', content: { ok: false } }

function next({ requestState }: RawMessage, inputResponses: object): object {
  return { requestState, inputResponses }
}

const times = <Result>(count: number, run: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, run))

describe('a repeated round of an interactive call', () => {
  it('gets the response of its first run, at once or later, in the middle and at the end of the call', async () => {
    await serve()
    const second = next(await call('pay'), { sure: yes })
    const [asked, ...repeated] = [...(await times(3, () => call('pay', second))), await call('pay', second)]
    expect(asked).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    expect(repeated).toEqual([asked, asked, asked])
    expect(ran).toEqual(['charge'])

    const last = next(asked, { receipt: yes })
    const results = [...(await times(3, () => call('pay', last))), await call('pay', last)]
    expect(results.map(({ content }) => content[0].text)).toEqual(Array.from({ length: 4 }, () => 'charged 1, sent 2'))
    expect(ran).toEqual(['charge', 'send', 'handler'])
  })

  it('runs again after an error, but not its steps', async () => {
    await serve()
    const asked = await call('pay', next(await call('pay'), { sure: yes }))
    fails = true
    expect((await call('pay', next(asked, { receipt: yes }))).isError).toBe(true)
    fails = false

    const repeated = await call('pay', next(asked, { receipt: yes }))

    expect(repeated.content[0].text).toBe('charged 1, sent 2')
    expect(ran).toEqual(['charge', 'send', 'handler', 'handler'])
  })

  it('waits for a run in progress', async () => {
    await serve()
    const second = next(await call('slowly'), { sure: yes })
    const both = times(2, () => call('slowly', second))
    await until(() => ran.length > 0)
    gate.open()

    expect((await both).map(({ content }) => content[0].text)).toEqual(['charged 1', 'charged 1'])
    expect(ran).toEqual(['charge'])
  })

  it('waits for a handler that outlives the timeout of its call', async () => {
    await serve()
    const second = next(await call('too_slowly'), { sure: yes })
    expect((await call('too_slowly', second)).isError).toBe(true)

    expect((await call('too_slowly', second)).isError).toBe(true)
    gate.open()
    const repeated = await call('too_slowly', second)

    expect(repeated.content[0].text).toBe('charged 1')
    expect(ran).toEqual(['charge'])
  })

  it('can be cancelled while it waits, without an effect on the run in progress', async () => {
    await serve()
    const second = next(await call('slowly'), { sure: yes })
    const running = call('slowly', second)
    await until(() => ran.length > 0)
    const other = openRawClient(server)
    const waiting = other.modern('tools/call', { name: 'slowly', ...second }, capabilities)
    await until(() => server.metrics().inFlight.value === 2 || sleep(20).then(() => true))
    await other[Symbol.asyncDispose]()
    gate.open()

    expect((await running).content[0].text).toBe('charged 1')
    expect((await call('slowly', second)).content[0].text).toBe('charged 1')
    expect(ran).toEqual(['charge'])
    void waiting
  })

  it('takes over from a cancelled run, and keeps its steps', async () => {
    await serve()
    const second = next(await call('slowly'), { sure: yes })
    const first = openRawClient(server)
    void first.modern('tools/call', { name: 'slowly', ...second }, capabilities)
    await until(() => ran.length > 0)
    const repeated = call('slowly', second)
    await first[Symbol.asyncDispose]()
    gate.open()

    expect((await repeated).content[0].text).toBe('charged 1')
    expect(ran).toEqual(['charge'])
  })

  it('with other answers is another continuation of the call, which keeps the earlier steps', async () => {
    await serve()
    const asked = await call('pay', next(await call('pay'), { sure: yes }))

    const texts = [
      (await call('pay', next(asked, { receipt: yes }))).content[0].text,
      (await call('pay', next(asked, { receipt: no }))).content[0].text,
      (await call('pay', next(asked, { receipt: no }))).content[0].text,
    ]

    expect(texts).toEqual(['charged 1, sent 2', 'charged 1, sent 4', 'charged 1, sent 4'])
    expect(ran).toEqual(['charge', 'send', 'handler', 'send', 'handler'])
  })

  it('gets the same task if the first run became a task', async () => {
    await serve()
    const second = next(await call('pay_as_task'), { sure: yes })
    const [{ taskId }, ...repeated] = [...(await times(2, () => call('pay_as_task', second)))]

    expect([...repeated, await call('pay_as_task', second)].map((task) => task.taskId)).toEqual([taskId, taskId])
    expect(taskId).toEqual(expect.any(String))
    await until(() => ran.includes('deliver'))
    expect(ran).toEqual(['charge', 'deliver'])
  })

  it('of inputRequired gets the stored response', async () => {
    await serve()
    const second = next(await call('by_hand'), {})
    const results = await times(2, () => call('by_hand', second))
    expect(results.map(({ content }) => content[0].text)).toEqual(['ran 1', 'ran 1'])
  })

  it('of other calls and other principals shares nothing', async () => {
    await serve()
    const calls = [await call('pay'), await call('pay')]
    for (const each of calls) await call('pay', next(each, { sure: yes }))
    expect(ran).toEqual(['charge', 'charge'])
    await using other = openRawClient(server, { subject: 'other' } as never)
    const stolen = await other.modern('tools/call', { name: 'pay', ...next(calls[0], { sure: yes }) }, capabilities)
    expect(stolen.error.data.reason).toBe('invalid_request_state')
  })

  it('is marked for hooks, which can still reject it', async () => {
    const seen: unknown[] = []
    let isClosed = false
    const hook: CallHook = {
      onInvoking: ({ isRepeated }) => {
        seen.push(['begins', isRepeated])
        if (isClosed) throw new ToolError('Closed.')
      },
      onInputRequired: ({ isRepeated }) => void seen.push(['asks', isRepeated]),
      onCompleted: ({ isRepeated }, result) => void seen.push(['ends', isRepeated, result]),
    }
    await serve({ hooks: [hook] })
    const second = next(await call('pay'), { sure: yes })
    const asked = await call('pay', second)
    await call('pay', second)
    await call('pay', next(asked, { receipt: yes }))
    seen.length = 0
    await call('pay', second)
    await call('pay', next(asked, { receipt: yes }))
    expect(seen).toEqual([
      ['begins', true],
      ['asks', true],
      ['begins', true],
      ['ends', true, undefined],
    ])
    isClosed = true
    expect((await call('pay', next(asked, { receipt: yes }))).content[0].text).toBe('Closed.')
  })

  it('also keeps the steps of hooks', async () => {
    await serve({
      hooks: [
        { onInvoking: ({ context, round }) => context.step(`audit ${round}`, () => void ran.push(`audit ${round}`)) },
      ],
    })
    const second = next(await call('by_hand'), {})
    await times(3, () => call('by_hand', second))
    expect(ran).toEqual(['audit 1', 'audit 2', 'by hand'])
  })

  it('is rejected at the limit of rounds, and counted', async () => {
    await serve({ limits: { maxRounds: 1 } })
    const [first, other] = [await call('pay'), await call('pay')]
    await call('pay', next(first, { sure: yes }))
    const { error } = await call('pay', next(other, { sure: yes }))
    expect(error.message).toContain('Try again')
    await call('pay', next(first, { sure: yes }))
    expect(ran).toEqual(['charge'])
    expect(server.metrics()).toMatchObject({
      storedRounds: { value: 1, max: 1 },
      repeatedRounds: 1,
      rejectedRounds: 1,
    })
  })
})
