import type { Client } from '@modelcontextprotocol/client'
import {
  ClientRequestError,
  McpContext as Context,
  type McpContext,
  McpPrompt,
  McpResource,
  McpTool,
  MissingCapabilityError,
  Model,
  type Static,
  Type,
} from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect, type Lane, lanes, type TestConnection } from '@toolwright/testing'

const Guest = Type.Object({
  name: Type.String({ minLength: 2, title: 'Name' }),
  age: Type.Optional(Type.Integer({ minimum: 0 })),
  breakfast: Type.Optional(Type.Boolean({ default: true })),
})

class Stay extends Model(Type.Object({ nights: Type.Integer({ minimum: 1 }) })) {
  get days(): number {
    return this.nights + 1
  }
}

const Choices = Type.Object({
  plain: Type.Enum(['a', 'b']),
  titled: Type.Union([Type.Literal('s', { title: 'Small' }), Type.Literal('l', { title: 'Large' })]),
  several: Type.Array(Type.Enum(['x', 'y']), { minItems: 1, maxItems: 2 }),
  severalTitled: Type.Array(Type.Union([Type.Literal('1', { title: 'One' }), Type.Literal('2')])),
  only: Type.Literal('this'),
  mail: Type.Optional(Type.String({ format: 'email', maxLength: 50, default: 'a@example.com' })),
})

const Nested = Type.Object({ address: Type.Object({ city: Type.String() }) })

class AskingFeatures {
  @McpTool()
  async guest(context: Context): Promise<unknown> {
    return { answered: await context.elicit({ message: 'Who stays?', schema: Guest }) }
  }

  @McpTool()
  async stay(context: Context): Promise<string> {
    const { content } = await context.elicit({ message: 'How long?', schema: Stay })
    return `${content?.days} days`
  }

  @McpTool()
  async choices(context: Context): Promise<unknown> {
    return { answered: await context.elicit({ message: 'Which?', schema: Choices }) }
  }

  @McpTool()
  async nested(context: Context): Promise<unknown> {
    return context.elicit({ message: 'Where?', schema: Nested })
  }

  @McpTool()
  async page(context: Context): Promise<unknown> {
    return { answered: await context.elicitUrl({ message: 'Please pay', url: 'https://pay.example.com/1' }) }
  }

  @McpTool()
  async badPage(context: Context): Promise<unknown> {
    return context.elicitUrl({ message: 'Please pay', url: 'https://user:secret@pay.example.com/1' })
  }

  @McpTool()
  async haiku(context: Context): Promise<unknown> {
    return { answered: await context.sample({ messages: [{ role: 'user', content: 'A haiku' }], maxTokens: 50 }) }
  }

  @McpTool()
  async tools(context: Context): Promise<unknown> {
    const answered = await context.sample({
      messages: [
        { role: 'user', content: 'What time is it?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'clock', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', toolUseId: 't1', content: [{ type: 'text', text: '9' }] }] },
      ],
      maxTokens: 50,
      tools: [{ name: 'clock', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'auto' },
    })
    return { answered }
  }

  @McpTool()
  async unansweredTool(context: Context): Promise<unknown> {
    return context.sample({
      messages: [
        { role: 'assistant', content: { type: 'tool_use', id: 't1', name: 'clock', input: {} } },
        { role: 'user', content: 'Never mind' },
      ],
      maxTokens: 50,
    })
  }

  @McpTool()
  async mixedResults(context: Context): Promise<unknown> {
    const result = { type: 'tool_result', toolUseId: 't1', content: [{ type: 'text', text: '9' }] } as const
    return context.sample({
      messages: [
        { role: 'assistant', content: { type: 'tool_use', id: 't1', name: 'clock', input: {} } },
        { role: 'user', content: [result, { type: 'text', text: 'And now?' }] },
      ],
      maxTokens: 50,
    })
  }

  @McpTool()
  async folders(context: Context): Promise<unknown> {
    return { answered: await context.listRoots() }
  }

  @McpTool()
  async atOnce(context: Context): Promise<string> {
    const [guest, model, roots] = await Promise.all([
      context.elicit({ message: 'Who?', schema: Guest }),
      context.sample({ messages: [{ role: 'user', content: 'Hi' }], maxTokens: 5 }),
      context.listRoots(),
    ])
    return `${guest.content?.name}, ${model.text}, ${roots.length}`
  }

  @McpTool()
  async afterEachOther(context: Context): Promise<string> {
    const first = await context.elicit({ message: 'First?', schema: Guest })
    const second = await context.elicit({ message: `Second, after ${first.content?.name}?`, schema: Guest })
    const third = await context.elicit({ message: `Third, after ${second.content?.name}?`, schema: Guest })
    return [first, second, third].map(({ content }) => content?.name).join(', ')
  }

  @McpTool()
  async withoutModel(context: Context): Promise<string> {
    try {
      return (await context.sample({ messages: [{ role: 'user', content: 'Hi' }], maxTokens: 5 })).text
    } catch (error) {
      if (!(error instanceof MissingCapabilityError)) throw error
      return `without a model: ${JSON.stringify(error.requiredCapabilities)}`
    }
  }

  @McpPrompt()
  async letter(context: Context): Promise<string> {
    const { content } = await context.elicit({ message: 'To whom?', schema: Guest })
    return `Write to ${content?.name}`
  }

  @McpResource('guest://{room}')
  async room({ room }: { room: string }, context: Context): Promise<string> {
    const { content } = await context.elicit({ message: `Who is in ${room}?`, schema: Guest })
    return `${room}: ${content?.name}`
  }
}

const options: ServerOptions = { name: 'asking', version: '1.0.0', controllers: [AskingFeatures] }

const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} }

async function connectAsking(lane: Lane, capabilities: object = everything): Promise<TestConnection> {
  return connect(options, { ...lane, client: { capabilities } })
}

/** Answers all forms in turn, and stores the requests. */
function answerForms(client: Client, ...answers: readonly object[]): object[] {
  const asked: object[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params)
    return answers[Math.min(asked.length, answers.length) - 1] as never
  })
  return asked
}

async function answerOf(client: Client, name: string): Promise<unknown> {
  const { content, isError } = await client.callTool({ name })
  const { text } = content[0] as { text: string }
  return isError === true
    ? { failed: text }
    : text.startsWith('{')
      ? (JSON.parse(text) as { answered: unknown }).answered
      : text
}

describe.each(lanes)('client requests over $lane, $era', (lane) => {
  it('ask the user with a form, and return the accepted values with defaults', async () => {
    await using connection = await connectAsking(lane)
    const asked = answerForms(connection.client, { action: 'accept', content: { name: 'Ada', age: 36 } })
    expect(await answerOf(connection.client, 'guest')).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 36, breakfast: true },
    })
    expect(asked).toEqual([
      {
        mode: 'form',
        message: 'Who stays?',
        requestedSchema: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 2, title: 'Name' },
            age: { type: 'integer', minimum: 0 },
            breakfast: { type: 'boolean', default: true },
          },
        },
      },
    ])
  })

  it.each(['decline', 'cancel'])('return %s as the action of the user', async (action) => {
    await using connection = await connectAsking(lane)
    answerForms(connection.client, { action })
    expect(await answerOf(connection.client, 'guest')).toEqual({ action })
  })

  it('return an instance if the schema is a model', async () => {
    await using connection = await connectAsking(lane)
    answerForms(connection.client, { action: 'accept', content: { nights: 3 } })
    expect(await answerOf(connection.client, 'stay')).toBe('4 days')
  })

  it('offer choices in the forms that clients support', async () => {
    await using connection = await connectAsking(lane)
    const content = { plain: 'b', titled: 'l', several: ['x'], severalTitled: ['2'], only: 'this' }
    const asked = answerForms(connection.client, { action: 'accept', content })
    expect(await answerOf(connection.client, 'choices')).toEqual({
      action: 'accept',
      content: { ...content, mail: 'a@example.com' },
    })
    expect(asked).toEqual([
      expect.objectContaining({
        requestedSchema: {
          type: 'object',
          required: ['plain', 'titled', 'several', 'severalTitled', 'only'],
          properties: {
            plain: { type: 'string', enum: ['a', 'b'] },
            titled: {
              type: 'string',
              oneOf: [
                { const: 's', title: 'Small' },
                { const: 'l', title: 'Large' },
              ],
            },
            several: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['x', 'y'] } },
            severalTitled: {
              type: 'array',
              items: {
                anyOf: [
                  { const: '1', title: 'One' },
                  { const: '2', title: '2' },
                ],
              },
            },
            only: { type: 'string', enum: ['this'] },
            mail: { type: 'string', format: 'email', maxLength: 50, default: 'a@example.com' },
          },
        },
      }),
    ])
  })

  it('ask the user to open a page', async () => {
    await using connection = await connectAsking(lane)
    const asked = answerForms(connection.client, { action: 'accept' })
    expect(await answerOf(connection.client, 'page')).toEqual({ action: 'accept' })
    const [{ elicitationId, ...page } = {}] = asked as { elicitationId?: string }[]
    expect(page).toEqual({ mode: 'url', message: 'Please pay', url: 'https://pay.example.com/1' })
    expect(elicitationId?.length).toBe(lane.era === 'legacy' ? 36 : undefined)
  })

  it('ask the model', async () => {
    await using connection = await connectAsking(lane)
    const asked: unknown[] = []
    connection.client.setRequestHandler('sampling/createMessage', ({ params }) => {
      asked.push(params)
      return { role: 'assistant', content: { type: 'text', text: 'Old pond' }, model: 'm1', stopReason: 'endTurn' }
    })
    expect(await answerOf(connection.client, 'haiku')).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Old pond' }],
      text: 'Old pond',
      model: 'm1',
      stopReason: 'endTurn',
    })
    expect(asked).toEqual([{ messages: [{ role: 'user', content: { type: 'text', text: 'A haiku' } }], maxTokens: 50 }])
  })

  it('let the model use tools', async () => {
    await using connection = await connectAsking(lane)
    const use = { type: 'tool_use', id: 't2', name: 'clock', input: {} } as const
    connection.client.setRequestHandler('sampling/createMessage', ({ params }) => ({
      role: 'assistant',
      content: [{ type: 'text', text: params.tools?.[0]?.name ?? 'none' }, use],
      model: 'm1',
      stopReason: 'toolUse',
    }))
    expect(await answerOf(connection.client, 'tools')).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'clock' }, use],
      text: 'clock',
      model: 'm1',
      stopReason: 'toolUse',
    })
  })

  it('ask for the roots', async () => {
    await using connection = await connectAsking(lane)
    const roots = [{ uri: 'file:///home/ada', name: 'Home' }]
    connection.client.setRequestHandler('roots/list', () => ({ roots }))
    expect(await answerOf(connection.client, 'folders')).toEqual(roots)
  })

  it('can be sent together', async () => {
    await using connection = await connectAsking(lane)
    answerForms(connection.client, { action: 'accept', content: { name: 'Ada' } })
    connection.client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      content: { type: 'text', text: 'hello' },
      model: 'm1',
    }))
    connection.client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///tmp' }] }))
    expect(await answerOf(connection.client, 'at_once')).toBe('Ada, hello, 1')
  })

  it('can depend on the answer to an earlier request', async () => {
    await using connection = await connectAsking(lane)
    const names = ['Ada', 'Bob', 'Cyd'].map((name) => ({ action: 'accept', content: { name } }))
    const asked = answerForms(connection.client, ...names)
    expect(await answerOf(connection.client, 'after_each_other')).toBe('Ada, Bob, Cyd')
    const messages = asked.map((params) => (params as { message: string }).message)
    expect(messages).toEqual(['First?', 'Second, after Ada?', 'Third, after Bob?'])
  })

  it('can be sent by prompts and resources, too', async () => {
    await using connection = await connectAsking(lane)
    answerForms(connection.client, { action: 'accept', content: { name: 'Ada' } })
    const prompt = await connection.client.getPrompt({ name: 'letter' })
    expect(prompt.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Write to Ada' } }])
    const { contents } = await connection.client.readResource({ uri: 'guest://12' })
    expect(contents).toEqual([{ uri: 'guest://12', mimeType: 'text/plain', text: '12: Ada' }])
  })

  it('are not sent without the client capability, and the handler can continue', async () => {
    await using connection = await connectAsking(lane, { elicitation: {} })
    expect(await answerOf(connection.client, 'without_model')).toBe('without a model: {"sampling":{}}')
  })

  it.each([
    ['guest', {}, 'elicitation.form'],
    ['guest', { elicitation: { url: {} } }, 'elicitation.form'],
    ['page', { elicitation: {} }, 'elicitation.url'],
    ['haiku', { elicitation: {} }, 'sampling'],
    ['tools', { sampling: {} }, 'sampling.tools'],
    ['folders', { elicitation: {} }, 'roots'],
  ])('of type %s to a client with %j fail with the missing capability %s', async (name, capabilities, missing) => {
    await using connection = await connectAsking(lane, capabilities)
    const failed = await answerOf(connection.client, name).catch((error: { code: number; data: unknown }) => error)
    const [kind = '', mode] = missing.split('.')
    const requiredCapabilities = { [kind]: mode === undefined ? {} : { [mode]: {} } }
    const expected = {
      legacy: { failed: `Missing required client capability: ${missing}` },
      modern: { code: -32021, data: { requiredCapabilities } },
    }
    expect(failed).toMatchObject(expected[lane.era])
  })

  it.each(['nested', 'bad_page', 'unanswered_tool', 'mixed_results'])(
    'of type %s fail if their parameters are invalid',
    async (name) => {
      await using connection = await connectAsking(lane)
      expect(await answerOf(connection.client, name)).toEqual({
        failed: expect.stringMatching(/^Tool '\w+' failed\. The cause is/),
      })
    },
  )
})

test('a form that clients cannot show fails with an explanation for the author', async () => {
  await using connection = await connect({ ...options, exposeErrors: true }, { client: { capabilities: everything } })
  expect(await answerOf(connection.client, 'nested')).toEqual({
    failed: expect.stringContaining(
      "A form cannot ask for 'address'. Use Type.String, Type.Number, Type.Integer, Type.Boolean, a choice of strings " +
        '(Type.Enum, or Type.Union of Type.Literal) or an array of such a choice.',
    ),
  })
})

test('a form without a schema fails with an explanation for the author', async () => {
  await using connection = await connect({ ...options, exposeErrors: true }, { client: { capabilities: everything } })
  const asked = { message: 'Who?', requestedSchema: { type: 'object' } } as never
  connection.server.catalog.addTool({ name: 'as_in_the_sdk', handler: (_args, context) => context.elicit(asked) })
  expect(await answerOf(connection.client, 'as_in_the_sdk')).toEqual({
    failed: expect.stringContaining(
      'A form needs a schema: context.elicit({ message: …, schema: Type.Object({ … }) }).',
    ),
  })
})

/** Never run: only compiled. */
async function askGuest(context: McpContext): Promise<Static<typeof Guest> | null> {
  const result = await context.elicit({ message: 'Who?', schema: Guest })
  // @ts-expect-error a declined form has no name
  void result.content.name
  return result.action === 'accept' ? result.content : null
}

test("the type of a form's answer is known at compile time", () => {
  expect(askGuest).toBeInstanceOf(Function)
  expect(new ClientRequestError('no').code).toBeNull()
})
