import {
  type CompletionRequest,
  type CompletionResult,
  McpCompletion,
  McpPrompt,
  McpResource,
  type Static,
  Type,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'

const GreetInput = Type.Object({ name: Type.String(), tone: Type.String() })
const names = ['Ada', 'Alan', 'Barbara']
const many = Array.from({ length: 250 }, (_, index) => `item-${index}`)

class Greetings {
  @McpPrompt({ input: GreetInput })
  greet({ name }: Static<typeof GreetInput>): string {
    return `Hello ${name}`
  }

  @McpCompletion({ prompt: 'greet', argument: 'name' })
  completeName({ value, arguments: others }: CompletionRequest): string[] {
    const suffix = others['tone'] === undefined ? '' : ` (${others['tone']})`
    return names.filter((name) => name.startsWith(value)).map((name) => name + suffix)
  }

  @McpResource('items://{id}')
  item({ id }: { id: string }): string {
    return id
  }

  @McpCompletion({ resource: 'items://{id}', argument: 'id' })
  async completeItem({ value }: CompletionRequest): Promise<CompletionResult> {
    const values = many.filter((item) => item.startsWith(value))
    return Promise.resolve({ values, total: values.length })
  }
}

const options = { name: 'test', version: '1', controllers: [Greetings] }

describe.each(lanes)('completion: $lane, $era', (lane) => {
  const complete = async (
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
    argument: { name: string; value: string },
    context?: { arguments: Record<string, string> },
  ) => {
    await using connection = await connect(options, lane)
    const params = context === undefined ? { ref, argument } : { ref, argument, context }
    return (await connection.client.complete(params)).completion
  }
  const prompt = { type: 'ref/prompt', name: 'greet' } as const

  it('returns the values that match the typed text', async () => {
    expect(await complete(prompt, { name: 'name', value: 'A' })).toEqual({
      values: ['Ada', 'Alan'],
      total: 2,
      hasMore: false,
    })
  })

  it('gets the arguments that are filled in', async () => {
    const context = { arguments: { tone: 'warm' } }
    expect((await complete(prompt, { name: 'name', value: 'B' }, context)).values).toEqual(['Barbara (warm)'])
  })

  it.each(['items://{id}', 'items://item-1'])('completes the variable of a template named by %s', async (uri) => {
    const completion = await complete({ type: 'ref/resource', uri }, { name: 'id', value: 'item-' })
    expect(completion).toEqual({ values: many.slice(0, 100), total: 250, hasMore: true })
  })

  it('returns an empty list for an argument without a completion', async () => {
    expect(await complete(prompt, { name: 'tone', value: '' })).toEqual({ values: [], total: 0, hasMore: false })
  })

  it('rejects unknown targets', async () => {
    const unknown = complete({ type: 'ref/prompt', name: 'great' }, { name: 'name', value: '' })
    await expect(unknown).rejects.toMatchObject({ code: -32602, data: { suggestions: ['greet'] } })
  })
})

it.each([1.5, 1e300])('a completion omits a total that is not a whole number, but keeps hasMore: %d', async (total) => {
  await using connection = await connect(options)
  const { client, server } = connection
  server.catalog.removeCompletion({ prompt: 'greet', argument: 'name' })
  server.catalog.addCompletion({ prompt: 'greet', argument: 'name', handler: () => ({ values: ['Ada'], total }) })
  const params = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: '' } } as const
  expect((await client.complete(params)).completion).toEqual({ values: ['Ada'], hasMore: true })
})

it('a completion sets hasMore where the values are truncated, also without a total', async () => {
  await using connection = await connect(options)
  const { client, server } = connection
  server.catalog.removeCompletion({ prompt: 'greet', argument: 'name' })
  server.catalog.addCompletion({ prompt: 'greet', argument: 'name', handler: () => ({ values: many }) })
  const params = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: '' } } as const
  expect((await client.complete(params)).completion).toEqual({ values: many.slice(0, 100), hasMore: true })
})

it('a completion for an unknown target is a boot problem', async () => {
  class Lost {
    @McpPrompt({ input: GreetInput })
    greet({ name }: Static<typeof GreetInput>): string {
      return name
    }

    @McpCompletion({ prompt: 'great', argument: 'name' })
    a(): string[] {
      return []
    }

    @McpCompletion({ prompt: 'greet', argument: 'nam' })
    b(): string[] {
      return []
    }

    @McpCompletion({ resource: 'items://{id}', argument: 'id' })
    c(): string[] {
      return []
    }
  }
  await expect(createServer({ name: 'test', version: '1', controllers: [Lost] })).rejects.toThrow(
    [
      'The server cannot start: 3 problems found.',
      "  1. Lost.a: it completes prompt 'great', which is not served. Did you mean 'greet'? [unknown-completion-target]",
      "  2. Lost.b: it completes 'nam', but prompt 'greet' has only name, tone. Did you mean 'name'? [unknown-completion-target]",
      "  3. Lost.c: it completes resource template 'items://{id}', which is not served. Correct the name. [unknown-completion-target]",
    ].join('\n'),
  )
})
