import {
  Authorize,
  type CompletionRequest,
  type FeatureCall,
  McpCompletion,
  McpPrompt,
  McpResource,
  type McpServer,
  type Static,
  Type,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'

const GreetInput = Type.Object({ name: Type.String(), tone: Type.String() })

class Greetings {
  @McpPrompt({ input: GreetInput })
  greet({ name }: Static<typeof GreetInput>): string {
    return `Hello ${name}`
  }

  @McpResource('items://{id}')
  item({ id }: { id: string }): string {
    return id
  }

  @McpCompletion({ prompt: 'greet', argument: 'tone' })
  completeTone(_request: CompletionRequest): string[] {
    return ['warm', 'cold']
  }
}

const options = { name: 'completing', version: '1.0.0', controllers: [Greetings] }
const nothing = { values: [], total: 0, hasMore: false }
const prompt = (name: string) => ({ type: 'ref/prompt', name }) as const
const template = { type: 'ref/resource', uri: 'items://{id}' } as const

function namesOf({ catalog }: McpServer): readonly string[] {
  return [...catalog.completions.keys()].toSorted()
}

describe.each(lanes)('a completion that is added at run time: $lane, $era', (lane) => {
  it('completes arguments of decorated and added features, until the completion is removed', async () => {
    await using connection = await connect(options, lane)
    const { client, server } = connection
    const { catalog } = server
    const complete = async (ref: Parameters<typeof client.complete>[0]['ref'], name: string, value: string) => {
      const context = { arguments: { tone: 'warm' } }
      return (await client.complete({ ref, argument: { name, value }, context })).completion
    }
    expect(await complete(prompt('greet'), 'name', 'A')).toEqual(nothing)

    catalog.addCompletion({
      prompt: 'greet',
      argument: 'name',
      handler: ({ value, arguments: { tone } }, context) => [`${value}da, ${tone}, ${context.method}`],
    })
    catalog.addPrompt({ name: 'part', input: Type.Object({ place: Type.String() }), handler: () => 'Bye' })
    catalog.addCompletion({
      prompt: 'part',
      argument: 'place',
      handler: async () => Promise.resolve({ values: ['home'], total: 7 }),
    })
    catalog.addCompletion({ resource: 'items://{id}', argument: 'id', handler: () => ['1', '2'] })

    expect((await complete(prompt('greet'), 'name', 'A')).values).toEqual(['Ada, warm, completion/complete'])
    expect(await complete(prompt('part'), 'place', '')).toEqual({ values: ['home'], total: 7, hasMore: true })
    expect((await complete(template, 'id', '')).values).toEqual(['1', '2'])

    expect(catalog.removeCompletion({ prompt: 'greet', argument: 'name' })).toBe(true)
    expect(catalog.removeCompletion({ prompt: 'greet', argument: 'name' })).toBe(false)
    expect(await complete(prompt('greet'), 'name', 'A')).toEqual(nothing)
  })
})

describe('a completion that is added at run time', () => {
  it('is removed with its target, and does not return with another target of that name', async () => {
    const server = await createServer(options)
    const { catalog } = server
    catalog.addCompletion({ prompt: 'greet', argument: 'name', handler: () => ['Ada'] })
    catalog.addCompletion({ resource: 'items://{id}', argument: 'id', handler: () => ['1'] })
    expect(namesOf(server)).toEqual(['prompt greet: name', 'prompt greet: tone', 'resource items://{id}: id'])

    catalog.removePrompt('greet')
    expect(namesOf(server)).toEqual(['resource items://{id}: id'])
    catalog.removeResource('items://{id}')
    expect(namesOf(server)).toEqual([])
    catalog.addPrompt({ name: 'greet', input: GreetInput, handler: () => 'Hi' })
    const argument = { name: 'tone', value: '' }
    expect(await server.complete({ ref: prompt('greet'), argument })).toEqual(nothing)
    await server.close()
  })

  it('has hooks and its own rule, by default the rule of its target', async () => {
    class Guarded {
      @Authorize({ roles: ['editor'] })
      @McpPrompt({ input: GreetInput })
      greet(): string {
        return ''
      }
    }
    const server = await createServer({ ...options, controllers: [Guarded] })
    const { catalog } = server
    const invoked: string[] = []
    const hooks = [{ onInvoking: ({ kind, name }: FeatureCall) => void invoked.push(`${kind} ${name}`) }]
    catalog.addCompletion({ prompt: 'greet', argument: 'name', hooks, handler: () => ['Ada'] })
    const authorize = { scopes: ['tones'] }
    catalog.addCompletion({ prompt: 'greet', argument: 'tone', authorize, handler: () => ['warm'] })
    const complete = (name: string, roles: readonly string[], scopes: readonly string[] = []) =>
      server.complete(
        { ref: prompt('greet'), argument: { name, value: '' } },
        { principal: { subject: 'Ada', roles, scopes, claims: {} } },
      )

    expect((await complete('name', ['editor'])).values).toEqual(['Ada'])
    expect(invoked).toEqual(['completion prompt greet: name'])
    await expect(complete('name', ['reader'])).rejects.toThrow('Unknown prompt: greet')
    await expect(complete('tone', ['editor'])).rejects.toMatchObject({ name: 'ForbiddenError' })
    expect((await complete('tone', ['editor'], ['tones'])).values).toEqual(['warm'])
    await server.close()
  })

  it.each([
    [
      'for an unknown prompt',
      { prompt: 'great', argument: 'name', handler: () => [] },
      "completion 'prompt great: name': it completes prompt 'great', which is not served. Did you mean 'greet'?",
    ],
    [
      'for an unknown argument of the prompt',
      { prompt: 'greet', argument: 'nam', handler: () => [] },
      "completion 'prompt greet: nam': it completes 'nam', but prompt 'greet' has only name, tone. Did you mean 'name'?",
    ],
    [
      'for an unknown template',
      { resource: 'items://{number}', argument: 'number', handler: () => [] },
      "completion 'resource items://{number}: number': it completes resource template 'items://{number}', which is not " +
        'served. Correct the name.',
    ],
    [
      'for a target that has a completion',
      { prompt: 'greet', argument: 'tone', handler: () => [] },
      "Completion 'prompt greet: tone' is already served. Remove it first, or choose another name.",
    ],
    [
      'without a handler',
      { prompt: 'greet', argument: 'name', handler: undefined as never },
      "completion 'prompt greet: name': its handler is undefined. Give a function.",
    ],
    [
      'with contradictory rules',
      { prompt: 'greet', argument: 'name', authorize: {}, allowAnonymous: true, handler: () => [] },
      "completion 'prompt greet: name': it has both authorize and allowAnonymous, which contradict each other. Remove one.",
    ],
  ])('%s is rejected, and nothing is added', async (_, completion, message) => {
    const server = await createServer(options)

    expect(() => server.catalog.addCompletion(completion)).toThrow(message)
    expect(namesOf(server)).toEqual(['prompt greet: tone'])
    await server.close()
  })
})
