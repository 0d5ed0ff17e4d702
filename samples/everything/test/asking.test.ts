import type { Client } from '@modelcontextprotocol/client'
import { type ConnectedSample, call, connectSample, programLanes } from '../../../test/support/sample.js'

const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

function textOf(result: object): string {
  return (result as { content: readonly { text: string }[] }).content[0]?.text ?? ''
}

const forms: Readonly<Record<string, object>> = {
  'What is your name?': { name: 'Ada' },
  'Step 1: What is your name?': { name: 'Ada' },
  'Step 2: Ada, what is your favorite color?': { color: 'blue' },
  'What context should the prompt use?': { context: 'tests' },
  'Please confirm': { ok: true },
  'How are you?': { response: 'fine' },
  'Continue?': { goOn: true },
}

function answerAll(client: Client): void {
  client.setRequestHandler('elicitation/create', ({ params }) => ({
    action: 'accept',
    content: (forms[params.message] ?? {}) as Record<string, string>,
  }))
  client.setRequestHandler('sampling/createMessage', ({ params }) => ({
    role: 'assistant',
    content: { type: 'text', text: `${params.maxTokens} tokens` },
    model: 'none',
  }))
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home/ada' }] }))
}

describe.each(programLanes)('everything over $lane, $era', (lane) => {
  let sample: ConnectedSample

  beforeAll(async () => {
    sample = await connectSample('everything', lane, {}, { capabilities })
    answerAll(sample.client)
  })

  afterAll(() => sample.close())

  it.each([
    ['test_sampling', { prompt: 'Hi' }, 'LLM response: 100 tokens'],
    ['test_elicitation', { message: 'How are you?' }, 'User response: action=accept, content={"response":"fine"}'],
    ['test_elicitation_url', {}, 'URL elicitation: action=accept'],
    ['test_streaming_elicitation', {}, 'Streaming elicitation: action=accept'],
    ['test_missing_capability', {}, 'The model said: 10 tokens'],
    ['test_input_required_result_elicitation', {}, 'Hello, Ada!'],
    ['test_input_required_result_sampling', {}, 'The model said: 100 tokens'],
    ['test_input_required_result_list_roots', {}, 'Roots: file:///home/ada'],
    ['test_input_required_result_request_state', {}, 'state-ok'],
    ['test_input_required_result_multiple_inputs', {}, '50 tokens, Ada. Roots: 1'],
    ['test_input_required_result_multi_round', {}, 'Ada likes blue.'],
    ['test_input_required_result_tampered_state', {}, 'The state was not modified.'],
    ['test_input_required_result_arguments', { amount: 7 }, 'The amount is 7.'],
    ['test_input_required_result_capabilities', {}, 'The client answered 3 questions.'],
  ])('%s completes', async (name, args, expected) => {
    expect(textOf(await call(sample.client, name, args))).toBe(expected)
  })

  it.each(['test_elicitation_sep1034_defaults', 'test_elicitation_sep1330_enums'])('%s shows a form', async (name) => {
    expect(textOf(await call(sample.client, name))).toMatch(/^Elicitation completed: action=accept, content=\{.*\}$/)
  })

  it('has a prompt that asks the user', async () => {
    const { messages } = await sample.client.getPrompt({ name: 'test_input_required_result_prompt' })
    const [message] = messages
    expect(message?.content).toEqual({ type: 'text', text: 'Use the following context: tests' })
  })
})
