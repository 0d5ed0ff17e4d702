// The same handlers through both official clients: the result, the client requests, and the number of runs of the
// handler.
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { inputRequired, type McpContext, Type } from '@toolwright/core'
import { closeApps, listen, openApp } from '../../../test/support/client/index.js'

const Confirmation = Type.Object({ ok: Type.Boolean() })

/** Client requests to the user and the model, in order. */
const asked: string[] = []
let runs = 0
let price = 200

beforeEach(() => {
  asked.length = 0
  runs = 0
  price = 200
})

afterEach(closeApps)

async function confirm(context: McpContext, message: string, key?: string): Promise<string> {
  return (await context.elicit({ message, schema: Confirmation, ...(key === undefined ? {} : { key }) })).action
}

type Handler = (context: McpContext) => Promise<string> | string

const handlers: Readonly<Record<string, Handler>> = {
  one: async (context) => confirm(context, 'Sure?'),
  after_a_step: async (context) => {
    const id = await context.step('id', () => 'order 1')
    return `${id}: ${await confirm(context, `Pay ${id}?`)}`
  },
  in_turn: async (context) => `${await confirm(context, 'First?')} and ${await confirm(context, 'Second?')}`,
  together: async (context) => {
    const messages = [{ role: 'user', content: 'A city?' }] as const
    const [first, city, roots] = await Promise.all([
      confirm(context, 'First?', 'first'),
      context.sample({ key: 'city', messages, maxTokens: 9 }),
      context.listRoots({ key: 'roots' }),
    ])
    return `${first}, ${city.text}, ${roots.length}`
  },
  page: async (context) => (await context.elicitUrl({ message: 'Sign in.', url: 'https://example.com/' })).action,
  by_hand: (context) => {
    const { sure } = context.inputResponses as { sure?: { action: string } }
    if (sure !== undefined) return sure.action
    const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
    return inputRequired({ inputRequests: { sure: { method: 'elicitation/create', params } } })
  },
  price: async (context) => {
    const shown = price
    return `${await confirm(context, `Book for ${shown} euros?`)}: booked for ${shown}`
  },
}

async function serve(): Promise<URL> {
  const app = await openApp()
  const { catalog } = app.mcp
  for (const [name, handle] of Object.entries(handlers)) {
    const handler = (_args: unknown, context: McpContext) => {
      runs++
      return handle(context)
    }
    catalog.addTool({ name, handler })
    catalog.addPrompt({ name, handler })
    catalog.addResource({ uri: `asks://${name.replaceAll('_', '-')}`, name, handler })
  }
  return new URL(`http://127.0.0.1:${await listen(app)}/mcp`)
}

interface OfficialClient {
  callTool(params: { name: string }): Promise<object>
  getPrompt(params: { name: string }): Promise<object>
  readResource(params: { uri: string }): Promise<object>
  close(): Promise<void>
}

const identity = { name: 'official', version: '1.0.0' }
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

function answerForm({ message }: { message: string }): { action: 'accept'; content: { ok: boolean } } {
  asked.push(message)
  if (message.startsWith('Book')) price = 900
  return { action: 'accept', content: { ok: true } }
}

function answerSampling() {
  asked.push('model')
  return { role: 'assistant' as const, content: { type: 'text' as const, text: 'Rome' }, model: 'm' }
}

const roots = { roots: [{ uri: 'file:///home/ada' }] }

async function open1(url: URL): Promise<OfficialClient> {
  const client = new Client1(identity, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerForm(params))
  client.setRequestHandler(CreateMessageRequestSchema, answerSampling)
  client.setRequestHandler(ListRootsRequestSchema, () => roots)
  await client.connect(new Http1(url))
  return client
}

async function open2(url: URL, mode: 'legacy' | { pin: string }): Promise<OfficialClient> {
  const client = new Client2(identity, { capabilities, versionNegotiation: { mode } })
  client.setRequestHandler('elicitation/create', ({ params }) => answerForm(params))
  client.setRequestHandler('sampling/createMessage', answerSampling)
  client.setRequestHandler('roots/list', () => roots)
  await client.connect(new Http2(url))
  return client
}

const clients: readonly [string, 'legacy' | 'modern', (url: URL) => Promise<OfficialClient>][] = [
  ['1.x', 'legacy', open1],
  ['2.x, legacy', 'legacy', (url) => open2(url, 'legacy')],
  ['2.x, modern', 'modern', (url) => open2(url, { pin: '2026-07-28' })],
]

/** For each handler: its result, the client requests, and the number of runs for a client of 2026-07-28. */
const expected: readonly [name: string, text: string, asked: string[], modernRuns: number][] = [
  ['one', 'accept', ['Sure?'], 2],
  ['after_a_step', 'order 1: accept', ['Pay order 1?'], 2],
  ['in_turn', 'accept and accept', ['First?', 'Second?'], 3],
  ['together', 'accept, Rome, 1', ['First?', 'model'], 2],
  ['page', 'accept', ['Sign in.'], 2],
  ['by_hand', 'accept', ['Sure?'], 2],
]

describe.each(clients)('the official client %s', (_name, era, open) => {
  it.each(expected)(
    'gets each request of %s once, from tools, prompts and resources',
    async (name, text, questions, n) => {
      const client = await open(await serve())
      const uri = `asks://${name.replaceAll('_', '-')}`
      const calls = [
        () => client.callTool({ name }),
        () => client.getPrompt({ name }),
        () => client.readResource({ uri }),
      ]
      for (const call of calls) {
        asked.length = 0
        runs = 0
        // oxlint-disable-next-line no-await-in-loop
        expect(JSON.stringify(await call())).toContain(`"${text}"`)
        expect(asked).toEqual(questions)
        const legacyRuns = name === 'by_hand' ? 2 : 1
        expect(runs).toBe(era === 'modern' ? n : legacyRuns)
      }
      await client.close()
    },
  )

  it('never confirms a booking at a price that the user has not seen', async () => {
    const client = await open(await serve())
    const result = JSON.stringify(await client.callTool({ name: 'price' }))
    const shown = ['Book for 200 euros?', ...(era === 'modern' ? ['Book for 900 euros?'] : [])]
    expect(asked).toEqual(shown)
    expect(result).toContain(era === 'modern' ? 'accept: booked for 900' : 'accept: booked for 200')
    await client.close()
  })
})
