// In 2026-07-28, the state that comes with each request proves that the request was sent.
import { inputRequired, type McpContext, type McpServer, type Principal, Type } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { openRawClient, type RawClient, type RawMessage } from '../../support/raw-client.js'

const Confirmation = Type.Object({ ok: Type.Boolean() })
const logger = pino({ level: 'silent' })
const accepted = { action: 'accept', content: { ok: true } }

const servers: McpServer[] = []

afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

async function open(options: Partial<ServerOptions> = {}): Promise<McpServer> {
  const server = await createServer({ name: 'test', version: '1', controllers: [], logger, ...options })
  servers.push(server)
  const confirm = async (what: string, context: McpContext): Promise<string> => {
    const { action } = await context.elicit({ key: 'sure', message: 'Sure?', schema: Confirmation })
    return `${action}: ${what}`
  }
  server.catalog.addTool({
    name: 'pay',
    input: Type.Object({ amount: Type.Integer() }),
    handler: ({ amount }, context) => confirm(String(amount), context),
  })
  server.catalog.addPrompt({
    name: 'pay',
    input: Type.Object({ amount: Type.String() }),
    handler: ({ amount }, context) => confirm(amount, context),
  })
  server.catalog.addResource({
    uri: 'bills://{amount}',
    name: 'bill',
    handler: ({ amount }, context) => confirm(String(amount), context),
  })
  server.catalog.addTool({
    name: 'twice',
    handler: async (_args: unknown, context) => {
      const first = await context.elicit({ key: 'first', message: 'First?', schema: Confirmation })
      const second = await context.elicit({ key: 'second', message: 'Second?', schema: Confirmation })
      return `${first.action} and ${second.action}`
    },
  })
  server.catalog.addTool({
    name: 'by_hand',
    handler: (_args: unknown, context) => {
      if (context.inputResponses['sure'] !== undefined) return JSON.stringify(context.inputResponses)
      const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
      return inputRequired({ inputRequests: { sure: { method: 'elicitation/create', params } } })
    },
  })
  return server
}

type Send = (client: RawClient, amount: number, more?: object) => Promise<RawMessage>

const canAnswer = { elicitation: {} }

const kinds: readonly [string, Send][] = [
  [
    'a tool',
    (client, amount, more) => client.modern('tools/call', { name: 'pay', arguments: { amount }, ...more }, canAnswer),
  ],
  [
    'a prompt',
    (client, amount, more) =>
      client.modern('prompts/get', { name: 'pay', arguments: { amount: String(amount) }, ...more }, canAnswer),
  ],
  [
    'a resource',
    (client, amount, more) => client.modern('resources/read', { uri: `bills://${amount}`, ...more }, canAnswer),
  ],
]

const inputResponses = { sure: accepted }
const rejected = { code: -32602, data: { reason: 'invalid_request_state' } }

describe.each(kinds)('the first input request of %s', (_kind, send) => {
  it('contains a state, and accepts an answer with that state', async () => {
    const server = await open()
    await using client = openRawClient(server)
    const { requestState } = (await send(client, 7)).result
    expect(requestState).toEqual(expect.any(String))
    expect(JSON.stringify((await send(client, 7, { requestState, inputResponses })).result)).toContain('accept: 7')
  })

  it('ignores the answers to a call with other arguments', async () => {
    const server = await open()
    await using client = openRawClient(server)
    const { requestState } = (await send(client, 7)).result
    expect((await send(client, 900, { requestState, inputResponses })).error).toMatchObject(rejected)
    expect((await send(client, 900, { inputResponses })).result).toMatchObject({ resultType: 'input_required' })
  })

  it('ignores an answer with an expired state', async () => {
    const server = await open({ requestState: { ttlMs: 20 } })
    await using client = openRawClient(server)
    const { requestState } = (await send(client, 7)).result
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect((await send(client, 7, { requestState, inputResponses })).error).toMatchObject(rejected)
    expect((await send(client, 7, { inputResponses })).result).toMatchObject({ resultType: 'input_required' })
  })

  it('ignores the answer of another caller', async () => {
    const server = await open()
    const principal = (subject: string): Principal => ({ subject, roles: [], scopes: [], claims: {} })
    await using ada = openRawClient(server, principal('ada'))
    await using bob = openRawClient(server, principal('bob'))
    const { requestState } = (await send(ada, 7)).result
    expect((await send(bob, 7, { requestState, inputResponses })).error).toMatchObject(rejected)
  })

  it('is sent although an answer came with the first call', async () => {
    const server = await open()
    await using client = openRawClient(server)
    expect((await send(client, 7, { inputResponses })).result).toMatchObject({ resultType: 'input_required' })
  })
})

describe('an answer', () => {
  it('to a later request is ignored', async () => {
    const server = await open()
    await using client = openRawClient(server)
    const call = (more: object) => client.modern('tools/call', { name: 'twice', ...more }, canAnswer)
    const { requestState } = (await call({})).result
    const both = { first: accepted, second: accepted }
    const second = (await call({ requestState, inputResponses: both })).result
    expect(Object.keys(second.inputRequests)).toEqual(['second'])
    const last = await call({ requestState: second.requestState, inputResponses: both })
    expect(last.result.content[0].text).toBe('accept and accept')
  })

  it('to a request that the client does not support is ignored', async () => {
    const server = await open()
    await using client = openRawClient(server)
    server.catalog.addTool({
      name: 'falls_back',
      handler: async (_args: unknown, context) => {
        const page = await context
          .elicitUrl({ key: 'page', message: 'Open it', url: 'https://example.com/' })
          .catch(() => ({ action: 'not asked' }))
        const form = await context.elicit({ key: 'sure', message: 'Sure?', schema: Confirmation })
        return `${page.action}, ${form.action}`
      },
    })
    const call = (more: object, capabilities: object) =>
      client.modern('tools/call', { name: 'falls_back', ...more }, { elicitation: capabilities })
    const { requestState } = (await call({}, { form: {} })).result
    const answers = { page: { action: 'accept' }, sure: accepted }
    const next = (await call({ requestState, inputResponses: answers }, { form: {}, url: {} })).result
    expect(Object.keys(next.inputRequests)).toEqual(['page'])
  })

  it('to inputRequired is passed to the handler, with and without a state', async () => {
    const server = await open()
    await using client = openRawClient(server)
    const call = (more: object) => client.modern('tools/call', { name: 'by_hand', ...more }, canAnswer)
    const { requestState } = (await call({})).result
    expect(requestState).toEqual(expect.any(String))
    const text = JSON.stringify({ sure: accepted, more: accepted })
    const answers = { inputResponses: { sure: accepted, more: accepted } }
    expect((await call({ requestState, ...answers })).result.content[0].text).toBe(text)
    expect((await call(answers)).result.content[0].text).toBe(text)
  })
})
