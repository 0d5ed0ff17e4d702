import { type ServerOptions, Type } from '@toolwright/core'
import { connect } from '@toolwright/testing'
import { until } from '../../../test/support/until.js'
import { combinations, connectThrough, type Era, serveFront, serveUpstream } from './support/serve.js'
import { weather } from './support/weather.js'

const asking = { elicitation: { form: {} }, sampling: {}, roots: {} }

/** Asks the caller for a name, with the message of the caller. */
const asker: Partial<ServerOptions> = {
  onReady: ({ catalog }) =>
    catalog.addTool({
      name: 'ask',
      input: Type.Object({ mark: Type.String() }),
      handler: async ({ mark }, context) => {
        const answer = await context.elicit({ message: mark, schema: Type.Object({ name: Type.String() }) })
        return answer.action === 'accept' ? answer.content.name : answer.action
      },
    }),
}

/** Connects a client that answers questions for a name with this name. */
async function connectNamed(server: Parameters<typeof connect>[0], era: Era, name: string) {
  const connection = await connect(server, {
    era,
    client: { capabilities: asking },
    principal: { subject: name },
  })
  connection.client.setRequestHandler('elicitation/create', async ({ params }) => {
    await new Promise(setImmediate)
    return { action: 'accept', content: { name: `${name}/${params.message}` } }
  })
  return connection
}

describe.each(combinations)('questions of a $upstream upstream to a $client client', (era) => {
  test('reach the caller, and the answer reaches the upstream', async () => {
    await using chain = await connectThrough(weather, {
      era,
      connectOptions: { client: { capabilities: asking } },
    })
    chain.client.setRequestHandler('elicitation/create', async ({ params }) => {
      expect(params).toMatchObject({
        message: 'What is your name?',
        requestedSchema: { properties: { name: { type: 'string' } } },
      })
      return { action: 'accept', content: { name: 'Ada' } }
    })
    expect(await chain.client.callTool({ name: 'up_ask_name' })).toMatchObject({ content: [{ text: 'Hello Ada' }] })
  })

  test('can be declined', async () => {
    await using chain = await connectThrough(weather, {
      era,
      connectOptions: { client: { capabilities: asking } },
    })
    chain.client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' as const }))
    expect(await chain.client.callTool({ name: 'up_ask_name' })).toMatchObject({
      content: [{ text: 'You said decline' }],
    })
  })

  test('are errors of the tool if the caller cannot answer', async () => {
    await using chain = await connectThrough(weather, { era })
    const called = await chain.client.callTool({ name: 'up_ask_name' }).catch((error: Error) => error)
    const message = called instanceof Error ? called.message : JSON.stringify(called.content)
    expect(message).toContain('elicitation')
  })

  test('of several kinds, one after the other, reach the caller', async () => {
    await using chain = await connectThrough(
      {
        onReady: ({ catalog }) =>
          catalog.addTool({
            name: 'all',
            handler: async (_, context) => {
              const roots = await context.listRoots()
              context.progress(1)
              const { text } = await context.sample({ messages: [{ role: 'user', content: 'joke' }], maxTokens: 10 })
              return `${roots[0]?.uri} ${text}`
            },
          }),
      },
      { era, connectOptions: { client: { capabilities: asking } } },
    )
    chain.client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///home' }] }))
    chain.client.setRequestHandler('sampling/createMessage', async ({ params }) => ({
      role: 'assistant' as const,
      model: 'm',
      content: { type: 'text' as const, text: `no ${JSON.stringify(params.messages[0]?.content)}` },
    }))
    expect(await chain.client.callTool({ name: 'up_all' })).toMatchObject({
      content: [{ text: 'file:///home no {"type":"text","text":"joke"}' }],
    })
  })

  test('never reach another user', async () => {
    await using upstream = await serveUpstream(asker, { era: era.upstream })
    await using front = await serveFront({ up: { url: upstream.url } })
    const users = await Promise.all(
      ['ada', 'ben', 'cleo', 'dan'].map(async (name) => ({
        name,
        ...(await connectNamed(front.server, era.client, name)),
      })),
    )
    const calls = users.flatMap(({ name, client }) =>
      [1, 2, 3].map(async (call) => {
        const mark = `${name}-${call}`
        const { content } = await client.callTool({ name: 'up_ask', arguments: { mark } })
        return [`${name}/${mark}`, (content as { text: string }[])[0]?.text]
      }),
    )
    for (const [wanted, answer] of await Promise.all(calls)) expect(answer).toBe(wanted)
    expect(front.source.status()[0]?.questions).toBe(0)
    await Promise.all(users.map((user) => user.close()))
  })
})

test('many questions of many users at once reach their own callers', async () => {
  const users = 20
  const callsOfUser = 5
  await using upstream = await serveUpstream(asker, { era: 'legacy' })
  await using front = await serveFront({ up: { url: upstream.url } })
  const connected = await Promise.all(
    Array.from({ length: users }, async (_, user) => connectNamed(front.server, 'modern', `user-${user}`)),
  )
  const calls = connected.flatMap(({ client }, user) =>
    Array.from({ length: callsOfUser }, async (_, call) => {
      const { content } = await client.callTool({ name: 'up_ask', arguments: { mark: `call-${call}` } })
      return [(content as { text: string }[])[0]?.text, `user-${user}/call-${call}`]
    }),
  )
  for (const [answer, wanted] of await Promise.all(calls)) expect(answer).toBe(wanted)
  await Promise.all(connected.map((user) => user.close()))
})

// A modern client cannot cancel a call between two rounds: such a call ends when its question is not answered in time.
test.each(['modern', 'legacy'] as const)(
  'a question of a %s upstream ends with the call of a legacy client',
  async (upstream) => {
    const era = { client: 'legacy', upstream } as const
    await using chain = await connectThrough(weather, { era, connectOptions: { client: { capabilities: asking } } })
    const stop = new AbortController()
    chain.client.setRequestHandler('elicitation/create', () => new Promise(() => stop.abort()))
    await expect(chain.client.callTool({ name: 'up_ask_name' }, { signal: stop.signal })).rejects.toThrow('abort')
    await until(() => chain.front.source.status()[0]?.questions === 0 && chain.upstream.server.inFlight.count === 0)
  },
)

test('a question without an answer ends the call of a legacy upstream', async () => {
  const era = { client: 'modern', upstream: 'legacy' } as const
  await using chain = await connectThrough(weather, {
    era,
    questionTimeoutMs: 50,
    connectOptions: { client: { capabilities: asking } },
  })
  chain.client.setRequestHandler('elicitation/create', async () => {
    await until(() => chain.front.source.status()[0]?.questions === 0)
    return { action: 'accept' as const, content: { name: 'Late' } }
  })
  expect(await chain.client.callTool({ name: 'up_ask_name' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Call the tool again') }],
  })
  await until(() => chain.upstream.server.inFlight.count === 0)
})

test('an answer that a modern upstream does not accept ends the call of a legacy client', async () => {
  const era = { client: 'legacy', upstream: 'modern' } as const
  await using chain = await connectThrough(weather, { era, connectOptions: { client: { capabilities: asking } } })
  let asked = 0
  chain.client.setRequestHandler('elicitation/create', async () => {
    asked++
    return { action: 'accept' as const, content: { wrong: 'field' } }
  })
  expect(await chain.client.callTool({ name: 'up_ask_name' })).toMatchObject({
    isError: true,
    content: [{ text: "The server 'up' does not accept the answer of the client." }],
  })
  expect(asked).toBeLessThanOrEqual(2)
})

test.each(combinations)('a $client client that can answer gets completions of a $upstream upstream', async (era) => {
  await using chain = await connectThrough(weather, { era, connectOptions: { client: { capabilities: asking } } })
  const ref = { type: 'ref/prompt', name: 'up_plan' } as const
  const { completion } = await chain.client.complete({ ref, argument: { name: 'city', value: 'Li' } })
  expect(completion.values).toEqual(['Lisbon'])
  const got = await chain.client.getPrompt({ name: 'up_plan', arguments: { city: 'Rome' } })
  expect(got.messages).toHaveLength(1)
  expect((await chain.client.readResource({ uri: 'notes:up/today' })).contents).toHaveLength(1)
})
