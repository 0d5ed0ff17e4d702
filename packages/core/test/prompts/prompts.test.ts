import {
  assistantMessage,
  audio,
  embeddedResource,
  image,
  McpPrompt,
  type PromptMessage,
  type Static,
  Type,
  userMessage,
} from '@toolwright/core'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'

const ReviewInput = Type.Object({
  language: Type.String({ description: 'Of the code' }),
  lines: Type.Optional(Type.Integer({ minimum: 1, default: 10 })),
  strict: Type.Optional(Type.Boolean()),
})

class Prompts {
  @McpPrompt('review_code', {
    title: 'Review code',
    description: 'Asks for a review',
    icons: [{ src: 'https://example.com/r.svg' }],
    _meta: { 'example.com/kind': 'review' },
    input: ReviewInput,
  })
  review({ language, lines, strict }: Static<typeof ReviewInput>): PromptMessage[] {
    return [userMessage(`Review ${lines} lines of ${language}, ${strict === true ? 'strictly' : 'gently'}`)]
  }

  @McpPrompt()
  sayHello(): string {
    return 'Hello'
  }

  @McpPrompt({ description: 'Every kind of content' })
  async showAll(): Promise<PromptMessage[]> {
    return Promise.resolve([
      userMessage(image('AAAA', 'image/png')),
      assistantMessage(audio('AAAA', 'audio/wav')),
      userMessage({ type: 'resource', resource: { uri: 'notes://1', mimeType: 'text/plain', text: 'note' } }),
      userMessage({ type: 'resource_link', uri: 'notes://2', name: 'second' }),
    ])
  }

  @McpPrompt()
  broken(): string {
    throw new Error('the password is hunter2')
  }

  @McpPrompt()
  malformed(): PromptMessage {
    return { role: 'system', content: { type: 'text', text: '' } } as unknown as PromptMessage
  }
}

const options = { name: 'test', version: '1', controllers: [Prompts] }

describe.each(lanes)('prompts: $lane, $era', (lane) => {
  it('are listed by name, with their arguments', async () => {
    await using connection = await connect(options, lane)
    const { prompts } = await connection.client.listPrompts()
    expect(prompts).toEqual([
      { name: 'broken' },
      { name: 'malformed' },
      {
        name: 'review_code',
        title: 'Review code',
        description: 'Asks for a review',
        arguments: [
          { name: 'language', description: 'Of the code', required: true },
          { name: 'lines', required: false },
          { name: 'strict', required: false },
        ],
        icons: [{ src: 'https://example.com/r.svg' }],
        _meta: { 'example.com/kind': 'review' },
      },
      { name: 'say_hello' },
      { name: 'show_all', description: 'Every kind of content' },
    ])
  })

  it('convert their arguments from strings, and fill in defaults', async () => {
    await using connection = await connect(options, lane)
    const get = (args: Record<string, string>) => connection.client.getPrompt({ name: 'review_code', arguments: args })
    const review = (text: string) => ({
      description: 'Asks for a review',
      messages: [{ role: 'user', content: { type: 'text', text } }],
    })
    expect(await get({ language: 'Rust', lines: '3', strict: 'true' })).toMatchObject(
      review('Review 3 lines of Rust, strictly'),
    )
    expect(await get({ language: 'Rust' })).toMatchObject(review('Review 10 lines of Rust, gently'))
  })

  it('can return a string, which is one user message', async () => {
    await using connection = await connect(options, lane)
    const { messages } = await connection.client.getPrompt({ name: 'say_hello' })
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello' } }])
  })

  it('can return every kind of content', async () => {
    await using connection = await connect(options, lane)
    const { messages } = await connection.client.getPrompt({ name: 'show_all' })
    expect(messages).toEqual([
      { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
      { role: 'assistant', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } },
      {
        role: 'user',
        content: { type: 'resource', resource: { uri: 'notes://1', mimeType: 'text/plain', text: 'note' } },
      },
      { role: 'user', content: { type: 'resource_link', uri: 'notes://2', name: 'second' } },
    ])
  })

  it.each([
    [
      'an unknown name',
      { name: 'say_helo' },
      { code: -32602, message: 'Unknown prompt: say_helo', data: { suggestions: ['say_hello'] } },
    ],
    [
      'a missing argument',
      { name: 'review_code' },
      {
        code: -32602,
        message: 'Invalid params',
        data: {
          detail: "Invalid arguments for prompt 'review_code': missing required argument 'language'.",
        },
      },
    ],
    [
      'an argument that cannot be converted',
      { name: 'review_code', arguments: { language: 'C', lines: 'many' } },
      {
        code: -32602,
        message: 'Invalid params',
        data: { detail: "Invalid arguments for prompt 'review_code': 'lines' must be an integer, got a string." },
      },
    ],
  ])('reject %s', async (_, request, error) => {
    await using connection = await connect(options, lane)
    await expect(connection.client.getPrompt(request)).rejects.toMatchObject(error)
  })

  it.each(['broken', 'malformed'])('that fail return a generic error and log the reason: %s', async (name) => {
    await using connection = await connect(options, lane)
    await expect(connection.client.getPrompt({ name })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(
        /^Prompt '\w+' failed\. The cause is in the server's log \(request .+, error [\w-]+\)\.$/,
      ),
    })
  })

  it.each([
    { description: 5, messages: [] },
    { messages: [], _meta: 'text' },
    { messages: [], _meta: [] },
  ])('that return an invalid result fail: %j', async (returned) => {
    await using connection = await connect(options, lane)
    connection.server.catalog.addPrompt({ name: 'unfit', handler: () => returned as never })
    await expect(connection.client.getPrompt({ name: 'unfit' })).rejects.toMatchObject({ code: -32603 })
  })

  it('send the known members of a result only', async () => {
    await using connection = await connect(options, lane)
    const handler = () => ({ messages: [], _meta: { 'example.com/a': 1 }, secret: 'x' })
    connection.server.catalog.addPrompt({ name: 'more', description: 'Described', handler })
    const result = await connection.client.getPrompt({ name: 'more' })
    expect(result).toMatchObject({ description: 'Described', messages: [], _meta: { 'example.com/a': 1 } })
    expect(result).not.toHaveProperty('secret')
    expect(await connection.server.getPrompt('more')).not.toHaveProperty('secret')
  })

  it.each(['data:image/png;base64,AAAA', 'AAA_', 'a\0b'])(
    'with %j as image data fail on the server, not in the client',
    async (data) => {
      await using connection = await connect(options, lane)
      connection.server.catalog.addPrompt({ name: 'torn', handler: () => userMessage(image(data, 'image/png')) })
      await expect(connection.client.getPrompt({ name: 'torn' })).rejects.toMatchObject({ code: -32603 })
      expect(() => audio(data, 'audio/wav')).toThrow('The data is not base64. Give bytes, or plain base64')
      expect(() => embeddedResource({ uri: 'torn://', blob: data })).toThrow('The blob is not base64')
    },
  )

  it('can be added and removed at run time', async () => {
    await using connection = await connect(options, lane)
    const { catalog } = connection.server
    catalog.addPrompt({ name: 'late', input: ReviewInput, handler: ({ language }) => `late ${language}` })
    const get = () => connection.client.getPrompt({ name: 'late', arguments: { language: 'Go' } })
    expect((await get()).messages).toEqual([{ role: 'user', content: { type: 'text', text: 'late Go' } }])
    catalog.removePrompt('late')
    await expect(get()).rejects.toMatchObject({ code: -32602 })
  })
})

it('an embedded resource rejects bytes as base64, because they would be serialized as a list of numbers', () => {
  const resource = { uri: 'torn://', blob: Buffer.from('AAAA') as never }
  expect(() => embeddedResource(resource)).toThrow('The blob is not base64. Give plain base64: no bytes')
})

it.each([
  ['is not an object', 5],
  ['has a role that is neither user nor assistant', { role: 'system', content: { type: 'text', text: 'secret' } }],
  ['has a content that is not a content block', { role: 'user', content: 'secret' }],
])('the log names the message that %s, without its content', async (fault, returned) => {
  const lines: { readonly err?: { readonly message: string } }[] = []
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  await using connection = await connect({ ...options, logger })
  connection.server.catalog.addPrompt({ name: 'unfit', handler: () => [userMessage('Hello'), returned] as never })
  await expect(connection.client.getPrompt({ name: 'unfit' })).rejects.toMatchObject({ code: -32603 })

  expect(lines.map(({ err }) => err?.message)).toEqual([
    `Message 1 of the prompt ${fault}. Write userMessage(…) or assistantMessage(…)`,
  ])
})
