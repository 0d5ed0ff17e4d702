// Requests to legacy clients during a call, and the handling of their answers.
import { ClientRequestError, inputRequired, McpContext, type McpServer, McpTool, Type } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
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
    // The timeout of the request has started by then.
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

describe('a request to a legacy client', () => {
  it('has an unguessable id', async () => {
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

  it('gets its own answer, in any order', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('names')
    const [first, second] = [await client.next(), await client.next()]
    answer(second, { action: 'accept', content: { name: 'Bob' } })
    answer(first, { action: 'accept', content: { name: 'Ada' } })
    expect(await called).toBe('Ada and Bob')
  })

  it('ignores answers with another id, repeated answers, and answers of another client', async () => {
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

  it('that the client rejects fails with the code of the client', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('name')
    const { id } = await client.next()
    client.send({ jsonrpc: '2.0', id, error: { code: -1, message: 'The user is out' } })
    expect(await called).toEqual({ failed: 'The client rejected elicitation/create: The user is out' })
    expect(outcomes).toEqual([expect.any(ClientRequestError)])
    expect(outcomes).toMatchObject([{ name: 'ClientRequestError', code: -1 }])
  })

  it.each([
    ['an error without a reason', { error: 'no' }, 'The client rejected elicitation/create: no reason given'],
    [
      'an error of null and no result',
      { error: null },
      'The client\'s answer to elicitation/create is invalid: "action" must be "accept", "decline" or "cancel".',
    ],
    [
      'an invalid result',
      { result: null },
      'The client\'s answer to elicitation/create is invalid: "action" must be "accept", "decline" or "cancel".',
    ],
    [
      'content that does not fit',
      { result: { action: 'accept', content: { name: 5 } } },
      "The client's answer to elicitation/create is invalid: 'name' must be a string, got a number.",
    ],
  ])('that is answered with %s fails the call', async (_what, response, message) => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('name')
    const { id } = await client.next()
    client.send({ jsonrpc: '2.0', id, ...response })
    expect(await called).toEqual({ failed: message })
  })

  it('times out without an answer, and is cancelled at the client', async () => {
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

  it('is cancelled when the client cancels the call', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('name')
    const question = await client.next()
    client.notify('notifications/cancelled', { requestId: 2 })
    answer(question, { action: 'accept', content: { name: 'Ada' } })
    await sleep(10)
    expect(outcomes).toMatchObject([{ name: 'AbortError' }])
    // Closes a form that is no longer needed.
    expect(await client.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: question.id, reason: 'the client cancelled the request' },
    })
    // After a cancelled call, nothing else is sent for it.
    const next = await Promise.race([called, client.next(), sleep(20).then(() => 'nothing')])
    expect(next).toBe('nothing')
  })

  it('is cancelled when the call ends without waiting for it', async () => {
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

  it('may take longer than the time limit of the call', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('quick')
    const question = await client.next()
    await sleep(120)
    answer(question, { action: 'decline' })
    expect(await called).toBe('decline')
  })

  it('restarts the time limit of the call once', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('slow_afterwards')
    answer(await client.next(), { action: 'decline' })
    expect(await called).toEqual({
      failed: "Tool 'slow_afterwards' did not finish within 0.06 seconds and was stopped.",
    })
  })

  it('is rejected when the client has 100 unanswered requests', async () => {
    await client.initialize('2025-11-25', capabilities)
    for (let index = 0; index < 100; index++) void call('name')
    const questions = []
    for (let index = 0; index < 100; index++) questions.push(await client.next())
    expect(await call('name')).toEqual({ failed: 'The client has 100 unanswered requests.' })
    expect(server.metrics()).toMatchObject({ pendingClientRequests: 100, rejectedClientRequests: 1 })
    answer(questions[0], { action: 'decline' })
    await until(() => server.metrics().pendingClientRequests === 99)
  })

  it('is not sent before the handshake has declared the capability', async () => {
    expect(await call('name')).toEqual({ failed: 'Missing required client capability: elicitation.form' })
  })
})

test('context.step runs its function once in the legacy era', async () => {
  await client.initialize('2025-11-25', capabilities)
  const called = call('buy')
  answer(await client.next(), { action: 'decline' })
  expect(await called).toBe('decline')
  expect(ran).toEqual(['reserve', 'charge'])
})

it.each([
  ['not a list', { uri: 'file:///a' }],
  ['a root without a URI', [{ name: 'a' }]],
  ['a name that is not a string', [{ uri: 'file:///a', name: 5 }]],
])('roots that are %s are invalid', async (_what, roots) => {
  await client.initialize('2025-11-25', { roots: {} })
  const called = call('folders')
  answer(await client.next(), { roots })
  expect(await called).toEqual({ failed: expect.stringContaining("The client's answer to roots/list is invalid") })
})

describe('inputRequired in the legacy era', () => {
  it('sends its requests, and runs the handler again with the answers', async () => {
    await client.initialize('2025-11-25', capabilities)
    const called = call('by_hand')
    answer(await client.next(), { action: 'decline' })
    expect(await called).toBe('{"who":{"action":"decline"}}')
  })

  it('returns errors to the handler for a client without the capability', async () => {
    await client.initialize('2025-11-25', {})
    expect(await call('by_hand')).toBe(
      'without: MissingCapabilityError: Missing required client capability: elicitation.form',
    )
  })

  describe('requests of which a client supports only some', () => {
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

    it('are all rejected with the missing capabilities, and none is sent', async () => {
      await client.initialize('2025-11-25', formsOnly)

      expect(await call('all')).toEqual({ failed: message })

      const asked = client.next().then(() => 'a question')
      expect(await Promise.race([asked, client.request('ping').then(() => 'nothing')])).toBe('nothing')
    })

    it('are all rejected with the missing capabilities, also in the modern era', async () => {
      const requiredCapabilities = { elicitation: { url: {} }, sampling: { tools: {} }, roots: {} }

      const { error } = await client.modern('tools/call', { name: 'all' }, formsOnly)

      expect(error).toStrictEqual({ code: -32021, message, data: { requiredCapabilities } })
    })
  })
})

test('additional members of newer clients are ignored', async () => {
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

  it('2025-06-18 has no multiple choice', async () => {
    await client.initialize('2025-06-18', capabilities)
    expect(await call('several')).toEqual({
      failed: "The client's protocol version does not support fields with multiple choices, such as 'colors'.",
    })
  })

  it('2025-06-18 cannot ask the user to open a page', async () => {
    await client.initialize('2025-06-18', capabilities)
    expect(await call('page')).toEqual({ failed: 'Missing required client capability: elicitation.url' })
  })

  it.each(['2025-03-26', '2024-11-05'])('%s has no forms, also if the client declares them', async (version) => {
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
  ])('%s gets messages in its own format', async (version, messages) => {
    await client.initialize(version, version === '2025-11-25' ? capabilities : { sampling: {} })
    const called = call('sample')
    const question = await client.next()
    expect(question.params).toEqual({ messages, maxTokens: 9, includeContext: 'thisServer' })
    answer(question, { role: 'assistant', content: { type: 'text', text: 'Heard' }, model: 'm' })
    expect(await called).toBe('Heard')
  })

  it('2025-11-25 clients must declare sampling.context', async () => {
    await client.initialize('2025-11-25', { sampling: {} })
    expect(await call('sample')).toEqual({ failed: 'Missing required client capability: sampling.context' })
  })
})

function wave(): object {
  return { type: 'audio', data: 'AA==', mimeType: 'audio/wav' }
}
