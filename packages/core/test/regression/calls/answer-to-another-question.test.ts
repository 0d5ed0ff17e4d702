// In 2026-07-28, a handler runs again with the answer, and may send another request by then.
import { inputRequired, type McpContext, type McpServer, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { openRawClient, type RawClient, type RawMessage } from '../../support/raw-client.js'

const Confirmation = Type.Object({ ok: Type.Boolean() })
const canAnswer = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

type Ask = (context: McpContext) => Promise<string> | string

const accepted = { action: 'accept', content: { ok: true } }
const sampled = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }

let server: McpServer
let client: RawClient
let lines: { key?: string; msg: string }[]

beforeEach(async () => {
  lines = []
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as never) })
  server = await createServer({ name: 'test', version: '1', controllers: [], logger, exposeErrors: true })
  client = openRawClient(server)
})

afterEach(async () => {
  await client[Symbol.asyncDispose]()
  await server.close()
})

/** Serves a handler as each kind of feature that can send requests. */
function serve(ask: Ask, to: McpServer = server): void {
  to.catalog.addTool({ name: 'asks', inputSchema: { type: 'object' }, handler: (_args, context) => ask(context) })
  to.catalog.addPrompt({ name: 'asks', handler: (_args, context) => ask(context) })
  to.catalog.addResource({ uri: 'asks://one', name: 'asks', handler: (_args, context) => ask(context) })
}

type Send = (more?: object) => Promise<RawMessage>

const kinds: readonly [string, (at: RawClient) => Send][] = [
  ['tools/call', (at) => (more) => at.modern('tools/call', { name: 'asks', ...more }, canAnswer)],
  ['prompts/get', (at) => (more) => at.modern('prompts/get', { name: 'asks', ...more }, canAnswer)],
  ['resources/read', (at) => (more) => at.modern('resources/read', { uri: 'asks://one', ...more }, canAnswer)],
]

const [[, callOf]] = kinds as [(typeof kinds)[number]]

/** The next round: answers to all requests, and the state. */
function answersTo({ result }: RawMessage): { requestState?: string; inputResponses: Record<string, object> } {
  const questions = Object.entries(result.inputRequests as Record<string, { method: string }>)
  const answers = questions.map(([key, { method }]) => [key, method.startsWith('sampling') ? sampled : accepted])
  return { requestState: result.requestState, inputResponses: Object.fromEntries(answers) }
}

function textOf({ result }: RawMessage): string {
  return (result.content ?? result.contents ?? [result.messages?.[0].content])[0].text
}

function messagesOf({ result }: RawMessage): unknown[] {
  return Object.values(result.inputRequests as Record<string, RawMessage>).map(
    ({ params }) => params.message ?? params.systemPrompt,
  )
}

describe.each(kinds)('an input request whose text changes between rounds, in %s', (_method, sendWith) => {
  it('is sent again, and its old answer is dropped', async () => {
    let price = 200
    serve(async (context) => {
      const asked = price
      const { action } = await context.elicit({ message: `Book for ${asked} euros?`, schema: Confirmation })
      return `${action}: booked for ${asked}`
    })
    const send = sendWith(client)
    const first = await send()
    expect(messagesOf(first)).toEqual(['Book for 200 euros?'])

    price = 900
    const second = await send(answersTo(first))
    expect(messagesOf(second)).toEqual(['Book for 900 euros?'])
    expect(textOf(await send(answersTo(second)))).toBe('accept: booked for 900')
    expect(lines).toMatchObject([{ key: 'question_1', msg: expect.stringContaining('changed') }])
  })

  it('takes one round when nothing changed', async () => {
    serve(async (context) => (await context.elicit({ message: 'Sure?', schema: Confirmation })).action)
    const send = sendWith(client)
    expect(textOf(await send(answersTo(await send())))).toBe('accept')
    expect(lines).toEqual([])
  })
})

const changes: readonly [string, (isLater: boolean) => Ask][] = [
  [
    'the schema of a form',
    (isLater) => async (context) => {
      const ok = isLater ? Type.Boolean({ title: 'Delete it' }) : Type.Boolean({ title: 'Keep it' })
      return (await context.elicit({ key: 'sure', message: 'Sure?', schema: Type.Object({ ok }) })).action
    },
  ],
  [
    'the page',
    (isLater) => async (context) => {
      const url = `https://example.com/${isLater ? 'transfer' : 'sign-in'}`
      return (await context.elicitUrl({ message: 'Open it', url })).action
    },
  ],
  [
    'what the model is asked',
    (isLater) => async (context) => {
      const text = isLater ? 'Delete it?' : 'Keep it?'
      return (await context.sample({ messages: [{ role: 'user', content: text }], maxTokens: 9 })).text
    },
  ],
  [
    'how the model is told to answer',
    (isLater) => async (context) => {
      const systemPrompt = isLater ? 'Say yes.' : 'Think hard.'
      const messages = [{ role: 'user', content: 'Well?' }] as const
      return (await context.sample({ systemPrompt, messages, maxTokens: 9 })).text
    },
  ],
  [
    'the kind of question',
    (isLater) => async (context) => {
      const message = 'Sure?'
      const { action } = isLater
        ? await context.elicitUrl({ key: 'sure', message, url: 'https://example.com/' })
        : await context.elicit({ key: 'sure', message, schema: Confirmation })
      return action
    },
  ],
]

it.each(changes)('an answer is dropped when %s of its request changes', async (_what, askAs) => {
  let isLater = false
  serve((context) => askAs(isLater)(context))
  const send = callOf(client)
  const first = await send()
  expect(textOf(await send(answersTo(first)))).toMatch(/accept|yes/)

  // The same round would get its stored response, so the request changes during another call.
  const another = await send()
  isLater = true
  const second = await send(answersTo(another))
  expect(second.result.resultType).toBe('input_required')
  expect(second.result.inputRequests).not.toEqual(another.result.inputRequests)
  expect(textOf(await send(answersTo(second)))).toMatch(/accept|yes/)
})

it('an answer of an earlier round is dropped when its request has changed', async () => {
  let price = 200
  serve(async (context) => {
    const asked = price
    await context.elicit({ key: 'price', message: `Book for ${asked} euros?`, schema: Confirmation })
    await context.elicit({ key: 'receipt', message: 'A receipt?', schema: Confirmation })
    return `booked for ${asked}`
  })
  const send = callOf(client)
  const receipt = await send(answersTo(await send()))
  expect(messagesOf(receipt)).toEqual(['A receipt?'])
  price = 900
  const again = await send(answersTo(receipt))
  expect(messagesOf(again)).toEqual(['Book for 900 euros?'])
  // The receipt was requested, but its answer came in a round that did not get as far.
  const last = await send({ ...answersTo(again), inputResponses: { price: accepted, receipt: accepted } })
  expect(textOf(last)).toBe('booked for 900')
})

it('of several concurrent requests, only the changed request is sent again', async () => {
  let price = 200
  serve(async (context) => {
    const asked = price
    const answers = await Promise.all([
      context.elicit({ key: 'price', message: `Book for ${asked} euros?`, schema: Confirmation }),
      context.sample({ key: 'idea', systemPrompt: 'Be short.', messages: [], maxTokens: 9 }),
      context.elicit({ key: 'seat', message: 'A window seat?', schema: Confirmation }),
    ])
    return `${answers[1].text}: booked for ${asked}`
  })
  const send = callOf(client)
  const first = await send()
  expect(messagesOf(first)).toEqual(['Book for 200 euros?', 'Be short.', 'A window seat?'])
  price = 900
  const second = await send(answersTo(first))
  expect(messagesOf(second)).toEqual(['Book for 900 euros?'])
  expect(textOf(await send(answersTo(second)))).toBe('yes: booked for 900')
})

it('a request that new code sends earlier is sent by another node during a rolling deploy', async () => {
  const requestState = { keys: ['k'.repeat(32)] }
  const logger = pino({ level: 'silent' })
  const options = { name: 'test', version: '1', controllers: [], logger, requestState }
  const [before, after] = [await createServer(options), await createServer(options)]
  serve(async (context) => {
    await context.elicit({ message: 'Send a receipt?', schema: Confirmation })
    return 'receipt sent'
  }, before)
  serve(async (context) => {
    const { content } = await context.elicit({ message: 'Delete the account?', schema: Confirmation })
    if (content?.ok === true) return 'ACCOUNT DELETED'
    await context.elicit({ message: 'Send a receipt?', schema: Confirmation })
    return 'receipt sent'
  }, after)
  await using atBefore = openRawClient(before)
  await using atAfter = openRawClient(after)

  const asked = await callOf(atBefore)()
  expect(messagesOf(asked)).toEqual(['Send a receipt?'])
  const next = await callOf(atAfter)(answersTo(asked))
  expect(messagesOf(next)).toEqual(['Delete the account?'])
  // The old node, too, waits for an answer to its own request.
  const back = await callOf(atBefore)(answersTo(next))
  expect(messagesOf(back)).toEqual(['Send a receipt?'])
  await Promise.all([before.close(), after.close()])
})

it('a request is the same regardless of the order of its members', async () => {
  let isLater = false
  serve(async (context) => {
    const [message, schema] = ['Sure?', Type.Object({ ok: Type.Boolean({ title: 'OK', description: 'Really' }) })]
    const other = Type.Object({ ok: Type.Boolean({ description: 'Really', title: 'OK' }) })
    return (await context.elicit(isLater ? { schema: other, message } : { message, schema })).action
  })
  const send = callOf(client)
  const first = await send()
  isLater = true
  expect(textOf(await send(answersTo(first)))).toBe('accept')
})

it('requests of a hook and of its handler are distinguished', async () => {
  let isAsking = false
  const onInvoking = async ({ context }: { context: McpContext }): Promise<void> => {
    if (isAsking) await context.elicit({ message: 'Accept the terms?', schema: Confirmation })
  }
  server.catalog.addTool({
    name: 'asks',
    hooks: [{ onInvoking }],
    handler: async (_args: unknown, context) =>
      (await context.elicit({ message: 'Send a receipt?', schema: Confirmation })).action,
  })
  const send = callOf(client)
  const first = await send()
  isAsking = true
  const second = await send(answersTo(first))
  expect(messagesOf(second)).toEqual(['Accept the terms?'])
  const third = await send(answersTo(second))
  expect(messagesOf(third)).toEqual(['Send a receipt?'])
  expect(textOf(await send(answersTo(third)))).toBe('accept')
})

it('a legacy client gets a changed request when inputRequired runs the handler again', async () => {
  let price = 200
  serve(async (context) => {
    const asked = price
    await context.elicit({ message: `Book for ${asked} euros?`, schema: Confirmation })
    await context.elicit({ message: 'A receipt?', schema: Confirmation })
    if (context.requestState !== 'later') {
      price = 900
      inputRequired({ requestState: 'later' })
    }
    return `booked for ${asked}`
  })
  await client.initialize('2025-11-25', canAnswer)
  const answer = client.request('tools/call', { name: 'asks' })
  const asked: string[] = []
  for (let question = 0; question < 3; question++) {
    // oxlint-disable-next-line no-await-in-loop
    const { id, params } = await client.next()
    asked.push(params.message)
    client.send({ jsonrpc: '2.0', id, result: accepted })
  }
  expect(textOf(await answer)).toBe('booked for 900')
  expect(asked).toEqual(['Book for 200 euros?', 'A receipt?', 'Book for 900 euros?'])
})
