// What the legacy era sends its client in the middle of a call, and what it makes of the answers.
import {
  ClientRequestError,
  createServer,
  inputRequired,
  McpContext,
  type McpServer,
  McpTool,
  type ServerOptions,
  Type,
} from '@toolwright/core'
import { pino } from 'pino'
import { until } from '../../../../test/support/until.js'
import { openRawClient, openServer, type RawClient, type RawMessage } from '../support/raw-client.js'

const Order = Type.Object({
  size: Type.Union([Type.Literal('s', { title: 'Small' }), Type.Literal('l', { title: 'Large' })], { default: 's' }),
  gift: Type.Boolean({ default: false }),
  notes: Type.Optional(Type.String({ default: 'none' })),
})
const Several = Type.Object({ colors: Type.Array(Type.Enum(['red', 'blue'])) })
const Name = Type.Object({ name: Type.String() })

const ran: string[] = []
const outcomes: unknown[] = []

class LegacyTools {
  @McpTool()
  async order(context: McpContext): Promise<string> {
    return JSON.stringify(await context.elicit({ message: 'What size?', schema: Order }))
  }

  @McpTool()
  async several(context: McpContext): Promise<string> {
    return JSON.stringify(await context.elicit({ message: 'Which?', schema: Several }))
  }

  @McpTool()
  async page(context: McpContext): Promise<string> {
    return (await context.elicitUrl({ message: 'Open it', url: 'https://example.com/' })).action
  }

  @McpTool()
  async name(context: McpContext): Promise<string> {
    try {
      return (await context.elicit({ message: 'Who?', schema: Name })).content?.name ?? 'nobody'
    } catch (error) {
      outcomes.push(error)
      throw error
    }
  }

  @McpTool()
  async names(context: McpContext): Promise<string> {
    const ask = () => context.elicit({ message: 'Who?', schema: Name })
    const answers = await Promise.all([ask(), ask()])
    return answers.map(({ content }) => content?.name).join(' and ')
  }

  @McpTool()
  async forgets(context: McpContext): Promise<string> {
    void context.elicit({ message: 'Who?', schema: Name })
    await Promise.resolve()
    return 'did not wait'
  }

  @McpTool()
  async buy(context: McpContext): Promise<string> {
    await context.step('reserve', () => ran.push('reserve'))
    const { action } = await context.elicit({ message: 'Really?', schema: Name })
    await context.step('charge', () => ran.push('charge'))
    return action
  }

  @McpTool()
  async sample(context: McpContext): Promise<string> {
    const { text } = await context.sample({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Listen' },
            { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
          ],
        },
      ],
      maxTokens: 9,
      includeContext: 'thisServer',
    })
    return text
  }

  @McpTool()
  async folders(context: McpContext): Promise<string> {
    return JSON.stringify(await context.listRoots())
  }

  @McpTool()
  byHand(context: McpContext): string {
    const params = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } }
    if (context.requestState === undefined) {
      const who = { method: 'elicitation/create', params } as never
      return inputRequired({ inputRequests: { who }, requestState: 'asked' })
    }
    try {
      return JSON.stringify(context.inputResponses)
    } catch (error) {
      return `without: ${String(error)}`
    }
  }

  @McpTool({ timeoutMs: 60 })
  async quick(context: McpContext): Promise<string> {
    // Its time has begun to run when it asks.
    await sleep(5)
    return (await context.elicit({ message: 'Who?', schema: Name })).action
  }

  @McpTool({ timeoutMs: 60 })
  async slowAfterwards(context: McpContext): Promise<string> {
    await context.elicit({ message: 'Who?', schema: Name })
    await new Promise((resolve) => setTimeout(resolve, 10_000, undefined).unref())
    return 'never'
  }
}

const logger = pino({ level: 'silent' })
const options: ServerOptions = { name: 'legacy', version: '1', controllers: [LegacyTools], logger }

const capabilities = { elicitation: { form: {}, url: {} }, sampling: { context: {} } }

let server: McpServer
let client: RawClient

beforeEach(async () => {
  ran.length = 0
  outcomes.length = 0
  server = await createServer(options)
  client = openRawClient(server)
})

afterEach(async () => {
  await client[Symbol.asyncDispose]()
  await server.close()
})

async function call(name: string, at = client): Promise<unknown> {
  const { result, error } = await at.request('tools/call', { name })
  if (error !== undefined) return { error }
  const text = result.content[0].text as string
  return result.isError === true ? { failed: text } : text
}

function answer(question: RawMessage, result: unknown): void {
  client.send({ jsonrpc: '2.0', id: question.id, result })
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('a question', () => {
  it('is a request with an id that nobody can guess', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('name')
    const question = await client.next()
    expect(question).toEqual({
      jsonrpc: '2.0',
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Who?',
        requestedSchema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      },
    })
    answer(question, { action: 'accept', content: { name: 'Ada' } })
    expect(await called).toBe('Ada')
  })

  it('gets its own answer, whichever comes first', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('names')
    const [first, second] = [await client.next(), await client.next()]
    answer(second, { action: 'accept', content: { name: 'Bob' } })
    answer(first, { action: 'accept', content: { name: 'Ada' } })
    expect(await called).toBe('Ada and Bob')
  })

  it('takes no answer under another id, twice, or from another client', async () => {
    await client.initialize('2025-11-25', capabilities)
    await using other = openRawClient(server)
    await other.initialize('2025-11-25', capabilities)
    const called = call('name')
    const question = await client.next()
    const result = { action: 'accept', content: { name: 'Eve' } }
    other.send({ jsonrpc: '2.0', id: question.id, result })
    for (const id of ['unknown', 1, null]) client.send({ jsonrpc: '2.0', id, result })
    client.send({ jsonrpc: '2.0', result })
    await sleep(20)
    answer(question, { action: 'accept', content: { name: 'Ada' } })
    answer(question, { action: 'accept', content: { name: 'Eve' } })
    expect(await called).toBe('Ada')
  })

  it('that the client refuses is an error with the code of the client', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('name')
    const { id } = await client.next()
    client.send({ jsonrpc: '2.0', id, error: { code: -1, message: 'The user is out' } })
    expect(await called).toEqual({ failed: 'The client refused elicitation/create: The user is out' })
    expect(outcomes).toEqual([expect.any(ClientRequestError)])
    expect(outcomes).toMatchObject([{ name: 'ClientRequestError', code: -1 }])
  })

  it.each([
    ['an error without a reason', { error: 'no' }, 'The client refused elicitation/create: no reason given'],
    [
      'an error of null and no result',
      { error: null },
      'The client\'s answer to elicitation/create cannot be used: "action" must be "accept", "decline" or "cancel".',
    ],
    [
      'a result that is none',
      { result: null },
      'The client\'s answer to elicitation/create cannot be used: "action" must be "accept", "decline" or "cancel".',
    ],
    [
      'content that does not fit',
      { result: { action: 'accept', content: { name: 5 } } },
      "The client's answer to elicitation/create cannot be used: 'name' must be a string, got a number.",
    ],
  ])('that is answered with %s fails the call', async (_what, response, message) => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('name')
    const { id } = await client.next()
    client.send({ jsonrpc: '2.0', id, ...response })
    expect(await called).toEqual({ failed: message })
  })

  it('that nobody answers is given up, and the client hears of it', async () => {
    await using hasty = await openServer({ ...options, limits: { clientRequestTimeoutMs: 30 } })
    await hasty.client.initialize('2025-11-25', capabilities)
    const called = call('name', hasty.client)
    const { id } = await hasty.client.next()
    const reason = 'The client did not answer elicitation/create within 0.03 seconds.'
    expect(await called).toEqual({ failed: reason })
    expect(await hasty.client.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason },
    })
    // Too late.
    hasty.client.send({ jsonrpc: '2.0', id, result: { action: 'decline' } })
    expect(await hasty.client.request('ping')).toMatchObject({ result: {} })
  })

  it('ends with the call that the client cancels', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('name')
    const question = await client.next()
    client.notify('notifications/cancelled', { requestId: 2 })
    answer(question, { action: 'accept', content: { name: 'Ada' } })
    await sleep(10)
    expect(outcomes).toMatchObject([{ name: 'AbortError' }])
    // Or its user would go on with a form that nobody waits for.
    expect(await client.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: question.id, reason: 'the client cancelled the request' },
    })
    // Nothing else is sent any more for a call that its client gave up.
    const next = await Promise.race([called, client.next(), sleep(20).then(() => 'nothing')])
    expect(next).toBe('nothing')
  })

  it('ends with the call that did not wait for it', async () => {
    await client.initialize('2025-11-25', capabilities)
    expect(await call('forgets')).toBe('did not wait')
    const { id } = await client.next()
    expect(await client.next()).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id, reason: 'the call ended' },
    })
  })

  it('ends with the connection', async () => {
    const other = openRawClient(server)
    await other.initialize('2025-11-25', capabilities)
    void call('name', other)
    await other.next()
    await other[Symbol.asyncDispose]()
    expect(outcomes).toMatchObject([{ name: 'AbortError' }])
  })

  it('may take longer than the call itself', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('quick')
    const question = await client.next()
    await sleep(120)
    answer(question, { action: 'decline' })
    expect(await called).toBe('decline')
  })

  it('gives the call its whole time again, and no more', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('slow_afterwards')
    answer(await client.next(), { action: 'decline' })
    expect(await called).toEqual({
      failed: "Tool 'slow_afterwards' did not finish within 0.06 seconds and was stopped.",
    })
  })

  it('is not the hundred and first that a client has not answered', async () => {
    await client.initialize('2025-11-25', capabilities)
    for (let index = 0; index < 100; index++) void call('name')
    const questions = []
    for (let index = 0; index < 100; index++) questions.push(await client.next())
    expect(await call('name')).toEqual({ failed: 'The client has not answered 100 questions yet.' })
    expect(server.metrics()).toMatchObject({ pendingClientRequests: 100, rejectedClientRequests: 1 })
    answer(questions[0], { action: 'decline' })
    await until(() => server.metrics().pendingClientRequests === 99)
  })

  it('is not sent before the handshake said what the client can do', async () => {
    expect(await call('name')).toEqual({ failed: 'Missing required client capability: elicitation.form' })
  })
})

test('steps simply run', async () => {
  await client.initialize('2025-11-25', capabilities)
  const called = call('buy')
  answer(await client.next(), { action: 'decline' })
  expect(await called).toBe('decline')
  expect(ran).toEqual(['reserve', 'charge'])
})

it.each([
  ['no list', { uri: 'file:///a' }],
  ['one without a URI', [{ name: 'a' }]],
  ['a name that is no text', [{ uri: 'file:///a', name: 5 }]],
])('roots that are %s are no answer', async (_what, roots) => {
  await client.initialize('2025-11-25', { roots: {} })
  const called = call('folders')
  answer(await client.next(), { roots })
  expect(await called).toEqual({ failed: expect.stringContaining("The client's answer to roots/list cannot be used") })
})

describe('what a handler asks by hand', () => {
  it('is asked, and the handler run again with the answers', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('by_hand')
    answer(await client.next(), { action: 'decline' })
    expect(await called).toBe('{"who":{"action":"decline"}}')
  })

  it('is no end of the call for a client that cannot be asked: the handler may go on without', async () => {
    await client.initialize('2025-11-25', {})
    expect(await call('by_hand')).toBe(
      'without: MissingCapabilityError: Missing required client capability: elicitation.form',
    )
  })

  describe('of which a client can answer a part', () => {
    const schema = { type: 'object', properties: {} }
    const page = { mode: 'url', message: 'Open it', url: 'https://example.com/', elicitationId: 'a' }
    const inputRequests = {
      who: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: schema } },
      page: { method: 'elicitation/create', params: page },
      haiku: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5, tools: [] } },
      folders: { method: 'roots/list' },
    }
    const formsOnly = { elicitation: {} }
    const message = 'Missing required client capability: elicitation.url, sampling.tools, roots'

    beforeEach(() => {
      server.catalog.addTool({
        name: 'all',
        handler: (_args, context) => {
          if (context.requestState === undefined) return inputRequired({ inputRequests, requestState: 1 } as never)
          return JSON.stringify(context.inputResponses)
        },
      })
    })

    it('is refused with all that is missing, and none of it is asked', async () => {
      await client.initialize('2025-11-25', formsOnly)

      expect(await call('all')).toEqual({ failed: message })

      const asked = client.next().then(() => 'a question')
      expect(await Promise.race([asked, client.request('ping').then(() => 'nothing')])).toBe('nothing')
    })

    it('is refused with all that is missing in the modern era as well', async () => {
      const requiredCapabilities = { elicitation: { url: {} }, sampling: { tools: {} }, roots: {} }

      const { error } = await client.modern('tools/call', { name: 'all' }, formsOnly)

      expect(error).toStrictEqual({ code: -32021, message, data: { requiredCapabilities } })
    })
  })
})

test('what newer clients send along is not looked at', async () => {
  await client.initialize('2025-11-25', capabilities)
  const called = client.request('tools/call', { name: 'name', requestState: 5, inputResponses: 'none' })
  answer(await client.next(), { action: 'cancel' })
  expect((await called).result.content[0].text).toBe('nobody')
})

describe('older revisions', () => {
  it('2025-06-18 has no titles of choices, and defaults for booleans only', async () => {
    await client.initialize('2025-06-18', capabilities)
    const called = call('order')
    const question = await client.next()
    expect(question.params).toEqual({
      message: 'What size?',
      requestedSchema: {
        type: 'object',
        required: ['size', 'gift'],
        properties: {
          size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
          gift: { type: 'boolean', default: false },
          notes: { type: 'string' },
        },
      },
    })
    answer(question, { action: 'accept', content: { size: 'l', gift: true } })
    expect(await called).toBe('{"action":"accept","content":{"size":"l","gift":true,"notes":"none"}}')
  })

  it('2025-06-18 has no several choices in one field', async () => {
    await client.initialize('2025-06-18', capabilities)
    expect(await call('several')).toEqual({
      failed: "The client's protocol version has no field with several choices, as 'colors' is.",
    })
  })

  it('2025-06-18 cannot be asked to open a page', async () => {
    await client.initialize('2025-06-18', capabilities)
    expect(await call('page')).toEqual({ failed: 'Missing required client capability: elicitation.url' })
  })

  it.each(['2025-03-26', '2024-11-05'])('%s has no forms, whatever the client declares', async (version) => {
    await client.initialize(version, capabilities)
    expect(await call('name')).toEqual({ failed: 'Missing required client capability: elicitation.form' })
  })

  it.each([
    ['2025-11-25', [{ role: 'user', content: [{ type: 'text', text: 'Listen' }, wave()] }]],
    [
      '2025-06-18',
      [
        { role: 'user', content: { type: 'text', text: 'Listen' } },
        { role: 'user', content: wave() },
      ],
    ],
    [
      '2024-11-05',
      [
        { role: 'user', content: { type: 'text', text: 'Listen' } },
        { role: 'user', content: { type: 'text', text: '[audio: audio/wav]' } },
      ],
    ],
  ])('%s gets messages in the form that it knows', async (version, messages) => {
    await client.initialize(version, version === '2025-11-25' ? capabilities : { sampling: {} })
    const called = call('sample')
    const question = await client.next()
    expect(question.params).toEqual({ messages, maxTokens: 9, includeContext: 'thisServer' })
    answer(question, { role: 'assistant', content: { type: 'text', text: 'Heard' }, model: 'm' })
    expect(await called).toBe('Heard')
  })

  it('2025-11-25 has to declare that it shares its context', async () => {
    await client.initialize('2025-11-25', { sampling: {} })
    expect(await call('sample')).toEqual({ failed: 'Missing required client capability: sampling.context' })
  })
})

function wave(): object {
  return { type: 'audio', data: 'AA==', mimeType: 'audio/wav' }
}
