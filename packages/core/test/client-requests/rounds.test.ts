// Rounds of the modern era on the wire.
import {
  inputRequired,
  McpContext,
  McpPrompt,
  McpResource,
  type McpServer,
  McpTool,
  type Principal,
  type Static,
  ToolError,
  Type,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'
import { openRawClient, openServer, type RawClient, type RawMessage } from '../support/raw-client.js'

const Name = Type.Object({ name: Type.String() })
const Amount = Type.Object({ amount: Type.Integer({ default: 5 }), note: Type.Optional(Type.String()) })
const Confirmation = Type.Object({ ok: Type.Boolean() })

const nameQuestion = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Who?',
    requestedSchema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  },
}

/** Names of the steps that ran. */
const ran: string[] = []

async function work(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 20))
  ran.push('work')
  return 'worked'
}

/** Promises that handlers left running. */
const pending: Promise<unknown>[] = []

async function charge(context: McpContext): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20))
  await context.step('charge', () => ran.push('charge')).catch(() => undefined)
}

class RoundTools {
  @McpTool()
  async greet(context: McpContext): Promise<string> {
    const { action, content } = await context.elicit({ key: 'who', message: 'Who?', schema: Name })
    return content === undefined ? action : `Hello, ${content.name}`
  }

  @McpTool({ input: Amount })
  async pay({ amount }: Static<typeof Amount>, context: McpContext): Promise<string> {
    const order = await context.step('order', () => {
      ran.push('order')
      return { id: ran.length, at: new Date(0) }
    })
    const first = await context.elicit({ key: 'sure', message: `Pay ${amount}?`, schema: Confirmation })
    if (first.content?.ok !== true) return 'not paid'
    await context.step('charge', async () => {
      await Promise.resolve()
      ran.push('charge')
    })
    await context.elicit({ key: 'receipt', message: 'A receipt?', schema: Confirmation })
    return `paid ${amount} for ${JSON.stringify(order)}`
  }

  @McpTool({ input: Amount })
  async payElsewhere(args: Static<typeof Amount>, context: McpContext): Promise<string> {
    return this.pay(args, context)
  }

  @McpTool()
  async numbered(context: McpContext): Promise<string> {
    const first = await context.elicit({ message: 'Who?', schema: Name })
    const second = await context.elicit({ message: 'Who?', schema: Name })
    return `${first.content?.name} and ${second.content?.name}`
  }

  @McpTool()
  async together(context: McpContext): Promise<string> {
    const named = async () => {
      await context.step('before', () => ran.push('before'))
      return context.elicit({ key: 'a', message: 'Who?', schema: Name })
    }
    const [a, b] = await Promise.all([named(), context.elicit({ key: 'b', message: 'Who?', schema: Name })])
    return `${a.content?.name} and ${b.content?.name}`
  }

  @McpTool()
  async whileWorking(context: McpContext): Promise<string> {
    try {
      const [{ content }, worked] = await Promise.all([
        context.elicit({ key: 'who', message: 'Who?', schema: Name }),
        context.step('work', work),
      ])
      return `${content?.name} ${worked}`
    } finally {
      ran.push('cleaned up')
    }
  }

  @McpTool()
  async swallows(context: McpContext): Promise<string> {
    try {
      return (await context.elicit({ key: 'who', message: 'Who?', schema: Name })).action
    } catch {
      await context.step('after', () => ran.push('after')).catch(() => undefined)
      return 'swallowed'
    }
  }

  @McpTool()
  async wraps(context: McpContext): Promise<string> {
    try {
      return (await context.elicit({ key: 'who', message: 'Who?', schema: Name })).action
    } catch (error) {
      throw new ToolError(`wrapped: ${String(error)}`)
    }
  }

  @McpTool()
  async forgets(context: McpContext): Promise<string> {
    void context.elicit({ key: 'who', message: 'Who?', schema: Name })
    return 'did not wait'
  }

  @McpTool()
  async sameKey(context: McpContext): Promise<string> {
    const ask = () => context.elicit({ key: 'who', message: 'Who?', schema: Name })
    await Promise.all([ask(), ask()])
    return 'asked'
  }

  @McpTool()
  async sameStep(context: McpContext): Promise<string> {
    await context.step('once', () => ran.push('once'))
    await context.step('once', () => ran.push('once'))
    return 'ran'
  }

  @McpTool()
  async failsOnce(context: McpContext): Promise<string> {
    await context.step('flaky', () => {
      ran.push('flaky')
      if (ran.length === 1) throw new ToolError('Try again.')
    })
    return 'went well'
  }

  @McpTool()
  async large(context: McpContext): Promise<string> {
    await context.step('much', () => 'x'.repeat(300_000))
    await context.elicit({ message: 'Who?', schema: Name })
    return 'asked'
  }

  @McpTool()
  byHand(context: McpContext): string {
    const state = context.requestState as { round: number } | undefined
    if (state?.round === 2) return `by hand: ${JSON.stringify(context.inputResponses)}`
    const round = (state?.round ?? 0) + 1
    return inputRequired({ inputRequests: { who: nameQuestion as never }, requestState: { round } })
  }

  @McpTool()
  byHandAndOn(context: McpContext): string {
    const charging = charge(context)
    pending.push(charging)
    return inputRequired({ requestState: 'asked' })
  }

  @McpTool()
  onlyState(context: McpContext): string {
    return context.requestState === undefined ? inputRequired({ requestState: 'later' }) : 'now'
  }

  @McpTool()
  nothing(): string {
    return inputRequired({})
  }

  @McpPrompt()
  async letter(context: McpContext): Promise<string> {
    return this.greet(context)
  }

  @McpResource('greeting://one')
  async greeting(context: McpContext): Promise<string> {
    return this.greet(context)
  }

  @McpResource('greeting://plain')
  plain(): string {
    return 'Hello'
  }

  @McpTool()
  quiet(): string {
    return 'said nothing'
  }
}

const logger = pino({ level: 'silent' })
const options: ServerOptions = { name: 'rounds', version: '1', controllers: [RoundTools], logger, exposeErrors: true }

let server: McpServer
let client: RawClient

beforeEach(async () => {
  ran.length = 0
  server = await createServer({ ...options, cache: { ttlMs: 60_000, cacheScope: 'public' } })
  client = openRawClient(server)
})

afterEach(async () => {
  await client[Symbol.asyncDispose]()
  await server.close()
})

/** One round of a tool call by a client with form support. */
async function call(name: string, more: object = {}, args: object = {}): Promise<RawMessage> {
  const { result, error } = await client.modern('tools/call', { name, arguments: args, ...more }, { elicitation: {} })
  return result ?? { error }
}

function accept(content: object): object {
  return { action: 'accept', content }
}

const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'rounds', version: '1' } }

function complete(text: string): object {
  return { resultType: 'complete', content: [{ type: 'text', text }], _meta }
}

function failed(text: unknown): object {
  return { resultType: 'complete', content: [{ type: 'text', text }], isError: true, _meta }
}

const asksWho = {
  resultType: 'input_required',
  inputRequests: { who: nameQuestion },
  requestState: expect.any(String),
  _meta,
}

/** The next round of a call: its state, and these answers. */
function next({ requestState }: RawMessage, inputResponses: object): object {
  return { requestState, inputResponses }
}

describe('an input request', () => {
  it('is the result of the call until it is answered', async () => {
    const first = await call('greet')
    expect(first).toEqual(asksWho)
    expect(await call('greet', next(first, { who: accept({ name: 'Ada' }) }))).toEqual(complete('Hello, Ada'))
    expect(await call('greet', next(first, { who: { action: 'decline' } }))).toEqual(complete('decline'))
  })

  it.each([
    ['none', {}],
    ['one under another key', { whom: accept({ name: 'Ada' }) }],
    ['a number', { who: 12345 }],
    ['null', { who: null }],
    ['a list', { who: [] }],
    ['an unknown action', { who: { action: 'maybe' } }],
    ['content that does not fit', { who: accept({ name: 5 }) }],
    ['no content', { who: { action: 'accept' } }],
    ['content that is not an object', { who: { action: 'accept', content: 'Ada' } }],
    ['an inherited member', { __proto__: { who: accept({ name: 'Ada' }) } }],
  ])('is repeated when the answer is %s', async (_what, inputResponses) => {
    sendsHostileRequests()
    expect(await call('greet', next(await call('greet'), inputResponses))).toEqual(asksWho)
  })

  it('gets its answer, regardless of other members in the request', async () => {
    sendsHostileRequests()
    const inputResponses = { who: accept({ name: 'Ada', more: 1 }), other: 5, toString: null }
    expect(await call('greet', next(await call('greet'), inputResponses))).toEqual(complete('Hello, Ada'))
  })

  it.each([5, 'text', [], [{}], true])('rejects answers in the form of %j', async (inputResponses) => {
    const result = await call('greet', { inputResponses })
    expect(result).toEqual({ error: { code: -32602, message: 'Invalid params: "inputResponses" must be an object' } })
  })

  it('without a key is numbered in the order of requests', async () => {
    const first = await call('numbered')
    expect(Object.keys(first.inputRequests)).toEqual(['question_1'])
    const second = await call('numbered', next(first, { question_1: accept({ name: 'Ada' }) }))
    expect(Object.keys(second.inputRequests)).toEqual(['question_2'])
    const { requestState } = second
    const last = await call('numbered', { inputResponses: { question_2: accept({ name: 'Bob' }) }, requestState })
    expect(last).toEqual(complete('Ada and Bob'))
  })

  it('shares a round with concurrent requests, also after a step', async () => {
    const first = await call('together')
    expect(Object.keys(first.inputRequests).toSorted()).toEqual(['a', 'b'])
    const inputResponses = { a: accept({ name: 'Ada' }), b: accept({ name: 'Bob' }) }
    expect(await call('together', { inputResponses, requestState: first.requestState })).toEqual(
      complete('Ada and Bob'),
    )
    expect(ran).toEqual(['before'])
  })

  it('of two requests is repeated alone when only the other request was answered', async () => {
    const first = await call('together')
    const inputResponses = { b: accept({ name: 'Bob' }) }
    const second = await call('together', { inputResponses, requestState: first.requestState })
    expect(Object.keys(second.inputRequests)).toEqual(['a'])
    const { requestState } = second
    const last = await call('together', { inputResponses: { a: accept({ name: 'Ada' }) }, requestState })
    expect(last).toEqual(complete('Ada and Bob'))
  })

  it.each(['swallows', 'wraps', 'forgets'])('is sent even if its handler %s it', async (name) => {
    expect(await call(name)).toEqual(asksWho)
    expect(ran).toEqual([])
  })

  it('must have a unique key', async () => {
    expect(await call('same_key')).toEqual(failed(expect.stringContaining("The key 'who' is used twice in one call.")))
  })

  it('of prompts and resources makes their results private', async () => {
    const answers = { who: accept({ name: 'Ada' }) }
    const get = (more: object) => client.modern('prompts/get', { name: 'letter', ...more }, { elicitation: {} })
    const readOne = (more: object) =>
      client.modern('resources/read', { uri: 'greeting://one', ...more }, { elicitation: {} })
    const asked = await get({})
    expect(asked.result).toEqual(asksWho)
    const prompt = await get(next(asked.result, answers))
    expect(prompt.result.messages[0].content.text).toBe('Hello, Ada')
    const read = await readOne(next((await readOne({})).result, answers))
    expect(read.result).toEqual({
      resultType: 'complete',
      contents: [{ uri: 'greeting://one', mimeType: 'text/plain', text: 'Hello, Ada' }],
      ttlMs: 0,
      cacheScope: 'private',
      _meta,
    })
    const plain = await client.modern('resources/read', { uri: 'greeting://plain' })
    expect(plain.result).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
  })

  it('that the client does not support fails with the required capability', async () => {
    const { error } = await client.modern('tools/call', { name: 'greet' })
    expect(error).toEqual({
      code: -32021,
      message: 'Missing required client capability: elicitation.form',
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    })
  })
})

describe('a step', () => {
  it('runs once, regardless of the number of rounds', async () => {
    const first = await call('pay', {}, { amount: 7 })
    expect(ran).toEqual(['order'])
    const more = { inputResponses: { sure: accept({ ok: true }) }, requestState: first.requestState }
    const second = await call('pay', more, { amount: 7 })
    expect(ran).toEqual(['order', 'charge'])
    // The client has no usable answer for some rounds.
    let { requestState } = second
    for (let round = 0; round < 5; round++) {
      const again = await call(
        'pay',
        { inputResponses: { receipt: { action: 'accept' } }, requestState },
        { amount: 7 },
      )
      expect(Object.keys(again.inputRequests)).toEqual(['receipt'])
      requestState = again.requestState
    }
    const last = await call('pay', { inputResponses: { receipt: accept({ ok: false }) }, requestState }, { amount: 7 })
    expect(last).toEqual(complete('paid 7 for {"id":1,"at":"1970-01-01T00:00:00.000Z"}'))
    expect(ran).toEqual(['order', 'charge'])
  })

  it('that runs during an input request is awaited, and its result is stored', async () => {
    const first = await call('while_working')
    expect(ran).toEqual(['work', 'cleaned up'])
    const more = { inputResponses: { who: accept({ name: 'Ada' }) }, requestState: first.requestState }
    expect(await call('while_working', more)).toEqual(complete('Ada worked'))
    expect(ran).toEqual(['work', 'cleaned up', 'cleaned up'])
  })

  it('must have a unique name', async () => {
    expect(await call('same_step')).toEqual(
      failed(expect.stringContaining("The step 'once' is used twice in one call.")),
    )
  })

  it('that failed runs again', async () => {
    expect(await call('fails_once')).toEqual(failed('Try again.'))
    expect(await call('fails_once')).toEqual(complete('went well'))
    expect(ran).toEqual(['flaky', 'flaky'])
  })

  it('must have a result of limited size', async () => {
    expect(await call('large')).toEqual(failed(expect.stringContaining('Return smaller values from its steps.')))
  })
})

describe('inputRequired', () => {
  it('passes the state and the unchanged answers to the handler', async () => {
    const first = await call('by_hand')
    expect(first).toEqual(asksWho)
    expect(first.requestState).not.toContain('round')
    const second = await call('by_hand', {
      inputResponses: { who: { action: 'cancel' } },
      requestState: first.requestState,
    })
    expect(second).toEqual(asksWho)
    expect(second.requestState).not.toBe(first.requestState)
    const last = await call('by_hand', {
      inputResponses: { who: { action: 'decline' } },
      requestState: second.requestState,
    })
    expect(last).toEqual(complete('by hand: {"who":{"action":"decline"}}'))
  })

  it('without requests returns a state for the next round', async () => {
    const { requestState, ...rest } = await call('only_state')
    expect(rest).toEqual({ resultType: 'input_required', _meta })
    expect(await call('only_state', { requestState })).toEqual(complete('now'))
  })

  it('ends the round: a later step does not run, because its result would be lost', async () => {
    await call('by_hand_and_on')
    await Promise.all(pending.splice(0))
    expect(ran).toEqual([])
  })

  it('without requests and state is an error of the author', async () => {
    expect(await call('nothing')).toEqual(failed(expect.stringContaining('inputRequired needs inputRequests')))
  })

  it('cannot send requests that the client does not support', async () => {
    const { error } = await client.modern('tools/call', { name: 'by_hand' }, { sampling: {} })
    expect(error.code).toBe(-32021)
  })

  it('works with a legacy client, which gets its requests during the call', async () => {
    await using other = openRawClient(server)
    await other.initialize('2025-11-25', { elicitation: {} })
    const answer = other.request('tools/call', { name: 'by_hand' })
    for (const round of [1, 2]) {
      const { id, method, params } = await other.next()
      expect({ method, params }).toEqual(nameQuestion)
      other.send({ jsonrpc: '2.0', id, result: { action: 'decline', round } })
    }
    const { result } = await answer
    expect(result.content[0].text).toBe('by hand: {"who":{"action":"decline","round":2}}')
  })
})

async function stateOf(args: object = { amount: 7 }): Promise<string> {
  return (await call('pay', {}, args)).requestState
}

function principal(subject: string, claims: Principal['claims'] = {}): Principal {
  return { subject, roles: [], scopes: [], claims }
}

describe('a request state', () => {
  const rejected = {
    error: {
      code: -32602,
      message: 'Invalid params: requestState is not valid. Call again without it',
      data: { reason: 'invalid_request_state' },
    },
  }
  const answers = { inputResponses: { sure: accept({ ok: true }) } }

  it('differs in each round', async () => {
    const first = await stateOf()
    const second = await call('pay', { ...answers, requestState: first }, { amount: 7 })
    expect(second.requestState).not.toBe(first)
    expect(await stateOf()).not.toBe(first)
  })

  it('is unreadable for the client', async () => {
    const text = Buffer.from(await stateOf(), 'base64url').toString('latin1')
    expect(text).not.toMatch(/order|steps|answers|expires/)
  })

  it('is valid for the same arguments only, in any order', async () => {
    const requestState = await stateOf({ amount: 7, note: 'x' })
    const inOtherOrder = await call('pay', { ...answers, requestState }, { note: 'x', amount: 7 })
    expect(Object.keys(inOtherOrder.inputRequests)).toEqual(['receipt'])
    expect(await call('pay', { ...answers, requestState }, { amount: 8, note: 'x' })).toEqual(rejected)
    expect(await call('pay', { ...answers, requestState }, { amount: 7 })).toEqual(rejected)
  })

  it('is valid for a call that omits an argument with a default', async () => {
    const requestState = await stateOf({})
    const second = await call('pay', { ...answers, requestState }, {})
    expect(Object.keys(second.inputRequests)).toEqual(['receipt'])
  })

  it('is valid for the same tool only', async () => {
    const requestState = await stateOf()
    expect(await call('pay_elsewhere', { ...answers, requestState }, { amount: 7 })).toEqual(rejected)
    expect(await call('quiet', { requestState })).toEqual(rejected)
    const prompt = await client.modern('prompts/get', { name: 'letter', requestState }, { elicitation: {} })
    expect(prompt.error).toEqual(rejected.error)
  })

  it('is valid for the same resource only, regardless of other members of its request', async () => {
    const seen: unknown[] = []
    server.catalog.addResource({
      uri: 'vault://{id}',
      name: 'vault',
      handler: (_variables, context) => {
        seen.push(context.requestState)
        return context.requestState === undefined ? inputRequired({ requestState: 'checked' }) : 'contents'
      },
    })
    const read = (id: string, more: object) => client.modern('resources/read', { uri: `vault://${id}`, ...more })
    for (const more of [{}, { name: 'x' }]) {
      const { requestState } = (await read('mine', more)).result
      expect((await read('theirs', { ...more, requestState })).error).toEqual(rejected.error)
      expect((await read('mine', { requestState })).result.contents[0].text).toBe('contents')
    }
    expect(seen).toEqual([undefined, 'checked', undefined, 'checked'])
    server.catalog.removeResource('vault://{id}')
  })

  it('is valid for the same principal only', async () => {
    await using ada = openRawClient(server, principal('ada'))
    await using bob = openRawClient(server, principal('bob'))
    const params = { name: 'pay', arguments: { amount: 7 } }
    const { requestState } = (await ada.modern('tools/call', params, { elicitation: {} })).result
    const retry = { ...params, ...answers, requestState }
    expect((await bob.modern('tools/call', retry, { elicitation: {} })).error).toEqual(rejected.error)
    await using sameName = openRawClient(server, principal('ada', { iss: 'https://other.example' }))
    expect((await sameName.modern('tools/call', retry, { elicitation: {} })).error).toEqual(rejected.error)
    expect(await call('pay', { ...answers, requestState }, { amount: 7 })).toEqual(rejected)
    expect((await ada.modern('tools/call', retry, { elicitation: {} })).result.resultType).toBe('input_required')
  })

  it.each([5, {}, [], '', 'x', 'x'.repeat(300_000)])('is rejected if it is malformed: %#', async (requestState) => {
    expect(await call('pay', { ...answers, requestState }, { amount: 7 })).toEqual(rejected)
    expect(ran).toEqual([])
  })

  it('is rejected after any of 10,000 changes', async () => {
    const state = await stateOf()
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= .'
    const seen = new Set([state])
    let seed = 1
    const below = (bound: number): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % bound
    }
    while (seen.size <= 10_000) {
      const at = below(state.length + 1)
      const letter = alphabet[below(alphabet.length)] as string
      const ways = [
        state.slice(0, at) + letter + state.slice(at + 1),
        state.slice(0, at) + letter + state.slice(at),
        state.slice(0, at) + state.slice(at + 1),
        state.slice(0, at),
        state.slice(at) + state.slice(0, at),
      ]
      const mutation = ways[below(ways.length)] as string
      if (seen.has(mutation)) continue
      seen.add(mutation)
      const { error } = await call('pay', { ...answers, requestState: mutation }, { amount: 7 })
      if (error?.data?.reason !== 'invalid_request_state') throw new Error(`accepted: ${mutation}`)
    }
    expect(ran).toEqual(['order'])
  })

  it('expires', async () => {
    await using short = await openServer({ ...options, requestState: { ttlMs: 20 } })
    const params = { name: 'pay', arguments: { amount: 7 } }
    const { requestState } = (await short.client.modern('tools/call', params, { elicitation: {} })).result
    await new Promise((resolve) => setTimeout(resolve, 40))
    const late = await short.client.modern('tools/call', { ...params, ...answers, requestState }, { elicitation: {} })
    expect(late.error).toEqual(rejected.error)
  })

  it('of one node is valid only on nodes with the same keys', async () => {
    const [old, current, foreign] = ['o', 'c', 'f'].map((letter) => letter.repeat(32)) as [string, string, string]
    await using a = await openServer({ ...options, requestState: { keys: [old] } })
    await using b = await openServer({ ...options, requestState: { keys: [current, old] } })
    await using c = await openServer({ ...options, requestState: { keys: [Buffer.from(foreign)] } })
    const params = { name: 'pay', arguments: { amount: 7 } }
    const round = async ({ client: at }: { client: RawClient }, more: object) =>
      at.modern('tools/call', { ...params, ...more }, { elicitation: {} })
    const first = (await round(a, {})).result.requestState as string
    expect((await round(c, { ...answers, requestState: first })).error).toEqual(rejected.error)
    const second = (await round(b, { ...answers, requestState: first })).result.requestState as string
    // Sealed with the new key, which the first node does not have.
    const receipt = { inputResponses: { receipt: accept({ ok: true }) }, requestState: second }
    expect((await round(a, receipt)).error).toEqual(rejected.error)
    expect((await round(b, receipt)).result.content[0].text).toMatch(/^paid 7/)
    expect(ran).toEqual(['order', 'charge'])
  })

  it('of a server without keys is valid on that server only', async () => {
    await using other = await openServer(options)
    const requestState = await stateOf()
    const params = { name: 'pay', arguments: { amount: 7 }, ...answers, requestState }
    expect((await other.client.modern('tools/call', params, { elicitation: {} })).error).toEqual(rejected.error)
  })

  it('needs unguessable keys', async () => {
    await expect(createServer({ ...options, requestState: { keys: ['secret'], ttlMs: 0 } })).rejects.toMatchObject({
      diagnostics: [
        { code: 'bad-option', message: 'requestState.ttlMs is 0. Give a whole number of at least 1.' },
        {
          code: 'bad-option',
          message:
            'requestState.keys needs at least one key, and each key at least 32 bytes: `openssl rand -base64 32` prints a key. ' +
            'Leave the option out for a random key.',
        },
      ],
    })
    await expect(createServer({ ...options, requestState: { keys: [] } })).rejects.toMatchObject({ name: 'BootError' })
  })
})

test('concurrent calls have separate answers and steps', async () => {
  const calls = Array.from({ length: 50 }, async (_, index) => {
    const first = await call('pay', {}, { amount: index })
    const more = { inputResponses: { sure: accept({ ok: index % 2 === 0 }) }, requestState: first.requestState }
    const second = await call('pay', more, { amount: index })
    if (index % 2 === 1) return second
    const { requestState } = second
    return call('pay', { inputResponses: { receipt: accept({ ok: true }) }, requestState }, { amount: index })
  })
  const texts = (await Promise.all(calls)).map(({ content }) => content[0].text as string)
  expect(texts.map((text) => text.replace(/ for .*/, ''))).toEqual(
    Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? `paid ${index}` : 'not paid')),
  )
  expect(ran.filter((step) => step === 'order')).toHaveLength(50)
  expect(ran.filter((step) => step === 'charge')).toHaveLength(25)
})
