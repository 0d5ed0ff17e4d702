import {
  type CompletionRequest,
  Inject,
  McpCompletion,
  McpContext,
  McpPrompt,
  McpResource,
  McpTool,
  Model,
  type Static,
  singleton,
  Type,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'

@singleton()
class Clock {
  now(): string {
    return 'noon'
  }
}

class Person extends Model(Type.Object({ name: Type.String() })) {}

const GreetInput = Type.Object({ name: Type.String() })

class Greetings {
  @McpTool({ output: Type.Array(Type.String()) })
  greetAll(person: Person, clock: Clock, context: McpContext): string[] {
    return [person.name, clock.now(), context.method]
  }

  @McpTool()
  now(@Inject(Clock) clock: unknown): string {
    return String(clock)
  }

  @McpPrompt({ input: GreetInput })
  greet({ name }: Static<typeof GreetInput>, clock: Clock): string {
    return name + clock.now()
  }

  @McpResource('greetings://all')
  all(): string {
    return ''
  }

  @McpResource('greetings://{id}')
  one({ id }: { id: string }): string {
    return id
  }

  @McpCompletion({ prompt: 'greet', argument: 'name' })
  names({ value }: CompletionRequest): string[] {
    return [value]
  }
}

it('explain prints every served feature and the sources of its parameters', async () => {
  const server = await createServer({ name: 'test', version: '1', controllers: [Greetings] })
  server.catalog.addTool({ name: 'added', handler: () => '' })
  expect(String(server.explain()).split('\n')).toEqual([
    'Tools served: 3',
    '  tool       method              parameters                 input          output',
    "  added      tool 'added'        arguments, context         no arguments   text (no output schema)",
    '  greet_all  Greetings.greetAll  arguments, Clock, context  Person (name)  array',
    '  now        Greetings.now       Clock                      no arguments   text (no output schema)',
    '',
    'Prompts served: 1',
    '  prompt  method           parameters',
    '  greet   Greetings.greet  arguments, Clock',
    '',
    'Resources served: 2',
    '  resource          method         parameters',
    '  greetings://all   Greetings.all',
    '  greetings://{id}  Greetings.one  arguments',
    '',
    'Completions served: 1',
    '  completion          method           parameters',
    '  prompt greet: name  Greetings.names  arguments',
    '',
    'Tools without a description:',
    '  added',
    '  greet_all',
    '  now',
  ])
  await server.close()
})
