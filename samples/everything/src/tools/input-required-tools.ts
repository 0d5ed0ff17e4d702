import { randomUUID } from 'node:crypto'
import {
  acceptedContent,
  inputRequired,
  McpContext,
  McpPrompt,
  McpTool,
  type Static,
  Type,
} from 'toolwright'

const Amount = Type.Object({ amount: Type.Integer() })
const Name = Type.Object({ name: Type.String() })
const Color = Type.Object({ color: Type.String() })
const Confirmation = Type.Object({ ok: Type.Boolean() })
const UserContext = Type.Object({ context: Type.String() })

/**
 * Calls of several rounds: the client sends its answers with the next request.
 */
export class InputRequiredTools {
  /**
   * Uses `inputRequired`: the suite also sends an answer that was not
   * requested, which `context.elicit` rejects.
   */
  @McpTool('test_input_required_result_elicitation', {
    description: 'Asks for a name until it gets one',
  })
  elicitation(context: McpContext): string {
    const user = acceptedContent(context.inputResponses, 'user_name', Name)
    if (user !== undefined) return `Hello, ${user.name}!`
    const params = {
      mode: 'form',
      message: 'What is your name?',
      requestedSchema: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
      },
    }
    return inputRequired({
      inputRequests: { user_name: { method: 'elicitation/create', params } },
    })
  }

  @McpTool('test_input_required_result_sampling', {
    description: 'Asks the model for a capital',
  })
  async sampling(context: McpContext): Promise<string> {
    const { text } = await context.sample({
      key: 'capital_question',
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
      maxTokens: 100,
    })
    return `The model said: ${text}`
  }

  @McpTool('test_input_required_result_list_roots', {
    description: "Asks for the client's roots",
  })
  async listRoots(context: McpContext): Promise<string> {
    const roots = await context.listRoots({ key: 'client_roots' })
    return `Roots: ${roots.map(({ uri }) => uri).join(', ')}`
  }

  /**
   * Uses `inputRequired` with a state. Other tools need no state, because they
   * await `context.elicit`.
   */
  @McpTool('test_input_required_result_request_state', {
    description: 'Stores request state between rounds',
  })
  requestState(context: McpContext): string {
    const remembered = context.requestState as { nonce?: string } | undefined
    const confirmation = acceptedContent(
      context.inputResponses,
      'confirm',
      Confirmation,
    )
    if (confirmation?.ok === true && remembered?.nonce !== undefined)
      return 'state-ok'
    const params = {
      mode: 'form',
      message: 'Please confirm',
      requestedSchema: {
        type: 'object',
        properties: { ok: { type: 'boolean' } },
        required: ['ok'],
      },
    }
    return inputRequired({
      inputRequests: { confirm: { method: 'elicitation/create', params } },
      requestState: { nonce: randomUUID() },
    })
  }

  @McpTool('test_input_required_result_multiple_inputs', {
    description: 'Asks three things at once',
  })
  async multipleInputs(context: McpContext): Promise<string> {
    await context.step('begin', () => 'begun')
    const [user, greeting, roots] = await Promise.all([
      context.elicit({
        key: 'user_name',
        message: 'What is your name?',
        schema: Name,
      }),
      context.sample({
        key: 'greeting',
        messages: [{ role: 'user', content: 'Write a short greeting' }],
        maxTokens: 50,
      }),
      context.listRoots({ key: 'client_roots' }),
    ])
    return `${greeting.text}, ${user.content?.name ?? 'stranger'}. Roots: ${roots.length}`
  }

  @McpTool('test_input_required_result_multi_round', {
    description: 'Asks two things, one after the other',
  })
  async multiRound(context: McpContext): Promise<string> {
    await context.step('begin', () => 'begun')
    const first = await context.elicit({
      key: 'step1',
      message: 'Step 1: What is your name?',
      schema: Name,
    })
    const second = await context.elicit({
      key: 'step2',
      message: `Step 2: ${first.content?.name ?? 'Stranger'}, what is your favorite color?`,
      schema: Color,
    })
    return `${first.content?.name ?? 'A stranger'} likes ${second.content?.color ?? 'no color'}.`
  }

  @McpTool('test_input_required_result_tampered_state', {
    description: 'Rejects a request state that was modified',
  })
  async tamperedState(context: McpContext): Promise<string> {
    return this.#confirm(context, 'The state was not modified.')
  }

  @McpTool('test_input_required_result_arguments', {
    description: 'Rejects the request state of a call with other arguments',
    input: Amount,
  })
  async arguments(
    { amount }: Static<typeof Amount>,
    context: McpContext,
  ): Promise<string> {
    return this.#confirm(context, `The amount is ${amount}.`)
  }

  @McpTool('test_input_required_result_capabilities', {
    description: 'Asks only what the client can answer',
  })
  async capabilities(context: McpContext): Promise<string> {
    const { elicitation, sampling, roots } = context.clientCapabilities
    const answers: unknown[] = await Promise.all([
      ...(elicitation === undefined
        ? []
        : [context.elicit({ message: 'What is your name?', schema: Name })]),
      ...(sampling === undefined
        ? []
        : [
            context.sample({
              messages: [{ role: 'user', content: 'Say hello' }],
              maxTokens: 10,
            }),
          ]),
      ...(roots === undefined ? [] : [context.listRoots()]),
    ])
    return `The client answered ${answers.length} questions.`
  }

  @McpPrompt('test_input_required_result_prompt', {
    description: 'A prompt that asks for its context',
  })
  async prompt(context: McpContext): Promise<string> {
    const { content } = await context.elicit({
      key: 'user_context',
      message: 'What context should the prompt use?',
      schema: UserContext,
    })
    return `Use the following context: ${content?.context ?? 'none'}`
  }

  async #confirm(context: McpContext, result: string): Promise<string> {
    await context.step('begin', () => 'begun')
    const { content } = await context.elicit({
      key: 'confirm',
      message: 'Please confirm',
      schema: Confirmation,
    })
    return content?.ok === true ? result : 'It was not confirmed.'
  }
}
