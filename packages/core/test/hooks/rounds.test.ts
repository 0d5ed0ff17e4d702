import { setTimeout as sleep } from 'node:timers/promises'
import { type CallHook, inputRequired, type Limits, McpContext, McpTool, Type } from '@toolwright/core'
import { createServer, MetricsHook } from '@toolwright/server'
import { pino } from 'pino'
import { openRawClient } from '../support/raw-client.js'

const form = Type.Object({ name: Type.String() })

class AskingTools {
  @McpTool()
  async greet(context: McpContext): Promise<string> {
    const first = await context.elicit({ message: 'Who?', schema: form })
    const second = await context.elicit({ message: 'And who else?', schema: form })
    return [first, second].map((answer) => (answer.action === 'accept' ? answer.content.name : '?')).join(' and ')
  }

  @McpTool({ task: 'optional', taskStart: 'by-handler' })
  async order(context: McpContext): Promise<string> {
    await context.elicit({ message: 'How many?', schema: form })
    await context.startTask()
    return 'ordered'
  }

  @McpTool()
  byHand(context: McpContext): string {
    askByHand(context)
    return 'done'
  }

  @McpTool()
  wave(): string {
    return 'waved'
  }
}

function askByHand(context: McpContext): void {
  if (context.requestState === 'asked') return
  inputRequired({
    inputRequests: { who: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: form } } },
    requestState: 'asked',
  })
}

const accepted = (name: string) => ({ action: 'accept', content: { name } })
const canAsk = { elicitation: { form: {} } }
const takesTasks = { ...canAsk, extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** Records each event with its round, and appends a letter to its note in each event. */
function roundsHook(moments: string[]): CallHook {
  return {
    onInvoking: ({ round, notes }) => {
      notes.set('letters', `${notes.get('letters') ?? ''}x`)
      moments.push(`onInvoking ${round} ${notes.get('letters')}`)
    },
    onCompleted: ({ round }) => void moments.push(`onCompleted ${round}`),
    onFailed: ({ round }, error) => void moments.push(`onFailed ${round} ${error.message}`),
    onInputRequired: ({ round }) => void moments.push(`onInputRequired ${round}`),
  }
}

function open(...hooks: CallHook[]) {
  return openWith({}, ...hooks)
}

async function openWith(limits: Partial<Limits>, ...hooks: CallHook[]) {
  const logger = pino({ level: 'silent' })
  const server = await createServer({ name: 'test', version: '1', controllers: [AskingTools], hooks, limits, logger })
  return openRawClient(server)
}

const sure = { message: 'Sure?', schema: form }

const threeRounds = [
  'onInvoking 1 x',
  'onInputRequired 1',
  'onInvoking 2 xx',
  'onInputRequired 2',
  'onInvoking 3 xxx',
  'onCompleted 3',
]

describe('hooks of a call with several rounds', () => {
  it('run in each round, and keep their notes between rounds', async () => {
    const moments: string[] = []
    await using client = await open(roundsHook(moments))
    const ask = (more: object) => client.modern('tools/call', { name: 'greet', ...more }, canAsk)
    let { result } = await ask({})
    for (const name of ['Ada', 'Grace']) {
      const { inputRequests, requestState } = result
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, accepted(name)]))
      // oxlint-disable-next-line no-await-in-loop
      result = (await ask({ inputResponses, requestState })).result
    }
    expect(result.content).toEqual([{ type: 'text', text: 'Ada and Grace' }])
    expect(moments).toEqual(threeRounds)
  })

  it.each<[string, CallHook['onInvoking']]>([
    ['waits for the answer', async ({ context }) => void (await context.elicit(sure))],
    ['asks by hand', ({ context }) => askByHand(context)],
  ])('may send a request before the handler, which runs after the answer if it %s', async (_what, onInvoking) => {
    const moments: string[] = []
    const onInputRequired: CallHook['onInputRequired'] = ({ round }) => void moments.push(`onInputRequired ${round}`)
    await using client = await open({ onInvoking, onInputRequired })
    const first = await client.modern('tools/call', { name: 'wave' }, canAsk)
    const { inputRequests, requestState } = first.result
    expect(Object.values(inputRequests)).toMatchObject([{ method: 'elicitation/create' }])

    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, accepted('Ada')]))
    const { result } = await client.modern('tools/call', { name: 'wave', inputResponses, requestState }, canAsk)
    expect(result.content).toEqual([{ type: 'text', text: 'waved' }])
    expect(moments).toEqual(['onInputRequired 1'])
  })

  it('run once for a legacy client, whose call waits for the answers', async () => {
    const moments: string[] = []
    await using client = await open(roundsHook(moments))
    await client.initialize('2025-11-25', canAsk)
    const answer = client.request('tools/call', { name: 'greet' })
    for (const name of ['Ada', 'Grace']) {
      // oxlint-disable-next-line no-await-in-loop
      const { id } = await client.next()
      client.send({ jsonrpc: '2.0', id, result: accepted(name) })
    }
    expect((await answer).result.content).toEqual([{ type: 'text', text: 'Ada and Grace' }])
    expect(moments).toEqual(['onInvoking 1 x', 'onCompleted 1'])
  })

  it.each<[string, CallHook]>([
    ['before the call', { onInvoking: async ({ context }) => void (await context.elicit(sure)) }],
    [
      'around it',
      { around: async ({ context }, next) => ((await context.elicit(sure)).action === 'accept' ? next() : '') },
    ],
  ])('may send a request %s, with their time limit paused during the answer', async (_when, hook) => {
    await using client = await openWith({ hookTimeoutMs: 40 }, hook)
    await client.initialize('2025-11-25', canAsk)
    const answer = client.request('tools/call', { name: 'wave' })
    const { id } = await client.next()
    await sleep(150)
    client.send({ jsonrpc: '2.0', id, result: accepted('Ada') })
    expect((await answer).result.content).toEqual([{ type: 'text', text: 'waved' }])
  })

  it.each<[string, (ask: CallHook['onInvoking']) => CallHook]>([
    ['before the call', (onInvoking) => ({ onInvoking })],
    [
      'around it',
      (ask) => ({
        around: async (call, next) => {
          await ask?.(call)
          return next()
        },
      }),
    ],
  ])('may send a request %s, and their time limit restarts after the answer', async (_when, hookWith) => {
    const ask: CallHook['onInvoking'] = async ({ context }) => {
      await context.elicit(sure)
      await sleep(70)
    }
    await using client = await openWith({ hookTimeoutMs: 100 }, hookWith(ask))
    await client.initialize('2025-11-25', canAsk)
    const answer = client.request('tools/call', { name: 'wave' })
    const { id } = await client.next()
    // Just before the hook would time out for the second time.
    await sleep(180)
    client.send({ jsonrpc: '2.0', id, result: accepted('Ada') })
    expect((await answer).result.content).toEqual([{ type: 'text', text: 'waved' }])
  })

  it('run again for a handler that uses inputRequired, also within one request', async () => {
    const moments: string[] = []
    await using client = await open(roundsHook(moments))
    await client.initialize('2025-11-25', canAsk)
    const answer = client.request('tools/call', { name: 'by_hand' })
    const { id } = await client.next()
    client.send({ jsonrpc: '2.0', id, result: accepted('Ada') })
    expect((await answer).result.content).toEqual([{ type: 'text', text: 'done' }])
    expect(moments).toEqual(['onInvoking 1 x', 'onInputRequired 1', 'onInvoking 2 xx', 'onCompleted 2'])
  })

  it('treat a call with unrequested answers as its first round', async () => {
    const rounds: number[] = []
    await using client = await open({ onInvoking: ({ round }) => void rounds.push(round) })
    const inputResponses = { question_1: accepted('Ada') }
    await client.modern('tools/call', { name: 'greet', inputResponses }, canAsk)
    const { result } = await client.modern('tools/call', { name: 'greet', inputResponses }, canAsk)
    await client.modern('tools/call', { name: 'greet', requestState: result.requestState, inputResponses }, canAsk)
    expect(rounds).toEqual([1, 1, 2])
  })

  it('observe a forged state', async () => {
    const moments: string[] = []
    await using client = await open(roundsHook(moments))
    const { error } = await client.modern('tools/call', { name: 'greet', requestState: 'forged' }, canAsk)
    expect(error.code).toBe(-32602)
    expect(moments).toEqual([`onFailed 1 ${error.message}`])
  })

  it('keep their notes until the call becomes a task', async () => {
    const moments: string[] = []
    await using client = await open(roundsHook(moments))
    const ask = (more: object) => client.modern('tools/call', { name: 'order', ...more }, takesTasks)
    const { result } = await ask({})
    const inputResponses = Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, accepted('2')]))
    const created = await ask({ inputResponses, requestState: result.requestState })
    expect(created.result.resultType).toBe('task')
    while (moments.length < 4) {
      // oxlint-disable-next-line no-await-in-loop
      await new Promise(setImmediate)
    }
    expect(moments).toEqual(['onInvoking 1 x', 'onInputRequired 1', 'onInvoking 2 xx', 'onCompleted 2'])
  })

  it('count the call once', async () => {
    const metrics = new MetricsHook()
    await using client = await open(metrics)
    const ask = (more: object) => client.modern('tools/call', { name: 'by_hand', ...more }, canAsk)
    const { result } = await ask({})
    await ask({ inputResponses: { who: accepted('Ada') }, requestState: result.requestState })
    expect(metrics.snapshot()).toMatchObject([{ kind: 'tool', name: 'by_hand', invocations: 1, successes: 1 }])
  })
})

describe('notes of hooks', () => {
  it('are limited in number and size', async () => {
    const errors: string[] = []
    await using client = await open({
      onInvoking: ({ notes }) => {
        for (const [name, text] of [
          ['long', 'x'.repeat(2000)],
          ...Array.from({ length: 17 }, (_, index) => [String(index), '']),
        ] as const) {
          try {
            notes.set(name ?? '', text ?? '')
          } catch (error) {
            errors.push(`${name}: ${String(error)}`)
          }
        }
      },
    })
    await client.modern('tools/call', { name: 'greet' }, canAsk)
    expect(errors).toEqual([
      'long: RangeError: a note and its name together must have at most 1024 characters',
      '16: RangeError: a call must have at most 16 notes',
    ])
  })
})
