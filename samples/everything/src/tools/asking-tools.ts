import { McpContext, McpTool, type Static, Type } from 'toolwright'

const Prompt = Type.Object({ prompt: Type.String() })
const Message = Type.Object({ message: Type.String() })

const Defaults = Type.Object({
  name: Type.Optional(
    Type.String({ description: 'User name', default: 'John Doe' }),
  ),
  age: Type.Optional(Type.Integer({ description: 'User age', default: 30 })),
  score: Type.Optional(
    Type.Number({ description: 'User score', default: 95.5 }),
  ),
  status: Type.Optional(
    Type.Enum(['active', 'inactive', 'pending'], { default: 'active' }),
  ),
  verified: Type.Optional(
    Type.Boolean({ description: 'Verification status', default: true }),
  ),
})

const Choices = Type.Object({
  untitledSingle: Type.Optional(Type.Enum(['option1', 'option2', 'option3'])),
  titledSingle: Type.Optional(
    Type.Union([
      Type.Literal('value1', { title: 'First Option' }),
      Type.Literal('value2', { title: 'Second Option' }),
      Type.Literal('value3', { title: 'Third Option' }),
    ]),
  ),
  legacyEnum: Type.Optional(
    Type.Enum(['opt1', 'opt2', 'opt3'], {
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    }),
  ),
  untitledMulti: Type.Optional(
    Type.Array(Type.Enum(['option1', 'option2', 'option3']), {
      minItems: 1,
      maxItems: 3,
    }),
  ),
  titledMulti: Type.Optional(
    Type.Array(
      Type.Union([
        Type.Literal('value1', { title: 'First Choice' }),
        Type.Literal('value2', { title: 'Second Choice' }),
        Type.Literal('value3', { title: 'Third Choice' }),
      ]),
      { minItems: 1, maxItems: 3 },
    ),
  ),
})

/** Asks the user and the model, in legacy and modern revisions. */
export class AskingTools {
  @McpTool('test_sampling', {
    description: "Asks the client's model",
    input: Prompt,
  })
  async sampling(
    { prompt }: Static<typeof Prompt>,
    context: McpContext,
  ): Promise<string> {
    const { text } = await context.sample({
      messages: [{ role: 'user', content: prompt }],
      maxTokens: 100,
    })
    return `LLM response: ${text}`
  }

  @McpTool('test_elicitation', {
    description: 'Asks the user a question',
    input: Message,
  })
  async elicitation(
    { message }: Static<typeof Message>,
    context: McpContext,
  ): Promise<string> {
    const schema = Type.Object({
      response: Type.String({ description: "User's response" }),
    })
    const { action, content } = await context.elicit({ message, schema })
    return `User response: action=${action}, content=${JSON.stringify(content ?? {})}`
  }

  @McpTool('test_elicitation_sep1034_defaults', {
    description: 'Asks with a form that has default values',
  })
  async defaults(context: McpContext): Promise<string> {
    const { action, content } = await context.elicit({
      message: 'Please check the default values',
      schema: Defaults,
    })
    return `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`
  }

  @McpTool('test_elicitation_sep1330_enums', {
    description: 'Asks with every kind of choice',
  })
  async enums(context: McpContext): Promise<string> {
    const { action, content } = await context.elicit({
      message: 'Please choose',
      schema: Choices,
    })
    return `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`
  }

  @McpTool('test_elicitation_url', {
    description: 'Asks the user to open a web page',
  })
  async elicitationUrl(context: McpContext): Promise<string> {
    const { action } = await context.elicitUrl({
      message: 'Please sign in at the bank',
      url: 'https://example.com/sign-in',
    })
    return `URL elicitation: action=${action}`
  }

  @McpTool('test_streaming_elicitation', {
    description: 'Asks the user while its response is a stream',
  })
  async streaming(context: McpContext): Promise<string> {
    context.progress(0, 1)
    const { action } = await context.elicit({
      message: 'Continue?',
      schema: Type.Object({ goOn: Type.Boolean() }),
    })
    return `Streaming elicitation: action=${action}`
  }

  @McpTool('test_missing_capability', {
    description: 'Requires a client that supports sampling',
  })
  async missingCapability(context: McpContext): Promise<string> {
    const { text } = await context.sample({
      messages: [{ role: 'user', content: 'Say hello' }],
      maxTokens: 10,
    })
    return `The model said: ${text}`
  }
}
