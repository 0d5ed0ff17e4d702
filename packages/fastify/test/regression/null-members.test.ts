// Clients in other languages send null for optional members, and were rejected.
import { Type } from '@toolwright/core'
import {
  closeApps,
  connectTo,
  legacyMessage,
  metaKeys,
  openApp,
  openSession,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'

// The schemas do not allow null.
beforeEach(sendsHostileRequests)
afterEach(closeApps)

const greet: TestTool = {
  name: 'greet',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
  handler: ({ name = 'nobody' }: { name?: string }) => `hello ${name}`,
}

async function openGreeting() {
  const app = await openApp({ tools: [greet] })
  app.mcp.catalog.addPrompt({
    name: 'greet',
    input: Type.Object({ name: Type.Optional(Type.String()) }),
    handler: ({ name = 'nobody' }) => `hello ${name}`,
  })
  return app
}

const requests: readonly [string, object][] = [
  ['tools/call', { name: 'greet', arguments: null }],
  ['tools/call', { name: 'greet', arguments: {}, _meta: null }],
  ['prompts/get', { name: 'greet', arguments: null }],
  ['prompts/get', { name: 'greet', arguments: { name: null } }],
  ['tools/list', { cursor: null }],
  ['prompts/list', { cursor: null }],
]

it.each(requests)('a legacy %s treats null as absent: %j', async (method, params) => {
  const client = connectTo(await openGreeting(), { era: 'legacy' })
  const reply = await client.request(method, params as never)
  expect(reply.json).toMatchObject({ result: expect.any(Object) })
  expect(reply.text).not.toContain('isError')
})

it.each([
  ...requests.filter(([, params]) => !('_meta' in params)),
  ['tools/call', { name: 'greet', inputResponses: null, requestState: null }],
] as const)('a modern %s treats null as absent: %j', async (method, params) => {
  const client = connectTo(await openGreeting())
  const reply = await client.request(method, params as never, {
    meta: { 'io.modelcontextprotocol/logLevel': null, progressToken: null },
  })
  expect(reply.json).toMatchObject({ result: { resultType: 'complete' } })
})

it('initialize treats null as absent for capabilities and client info', async () => {
  const client = connectTo(await openGreeting(), { era: 'legacy' })
  const reply = await client.initialize('2025-11-25', { capabilities: null, clientInfo: null })
  expect(reply.json.result).toMatchObject({ protocolVersion: '2025-11-25' })
})

it.each(['modern', 'legacy'])('handlers do not see capabilities that are null: %s', async (era) => {
  const handler: TestTool['handler'] = (_args, context) => JSON.stringify(context.clientCapabilities)
  const app = await openApp({ tools: [{ name: 'show', handler }] })
  const capabilities = { roots: null, sampling: {} }
  const client = era === 'modern' ? connectTo(app) : await openSession(app, { params: { capabilities } })
  const meta = era === 'modern' ? { [metaKeys.capabilities]: capabilities } : {}
  const { json } = await client.call('show', {}, { meta })
  expect(json.result.content).toEqual([{ type: 'text', text: '{"sampling":{}}' }])
})

it('calls in the process treat null arguments as absent', async () => {
  const { mcp } = await openGreeting()
  expect((await mcp.callTool('greet', null as never)).content).toEqual([{ type: 'text', text: 'hello nobody' }])
  expect((await mcp.getPrompt('greet', null as never)).messages).toMatchObject([{ content: { text: 'hello nobody' } }])
})

const form = Type.Object({ name: Type.Optional(Type.String()) })
const asking: readonly [string, TestTool['handler'], object, unknown][] = [
  [
    'roots with a null name and _meta',
    async (_args, context) => JSON.stringify(await context.listRoots()),
    { result: { roots: [{ uri: 'file:///a', name: null, _meta: null }] } },
    '[{"uri":"file:///a"}]',
  ],
  [
    'a result beside a null error',
    async (_args, context) => JSON.stringify(await context.listRoots()),
    { result: { roots: [] }, error: null, method: null, params: null },
    '[]',
  ],
  [
    'a form with a null field',
    async (_args, context) => JSON.stringify(await context.elicit({ message: 'who?', schema: form })),
    { result: { action: 'accept', content: { name: null } } },
    '{"action":"accept","content":{}}',
  ],
  [
    'a form with null content',
    async (_args, context) => JSON.stringify(await context.elicit({ message: 'who?', schema: form })),
    { result: { action: 'accept', content: null } },
    '{"action":"accept","content":{}}',
  ],
  [
    'sampling with null members',
    async (_args, context) =>
      JSON.stringify(await context.sample({ maxTokens: 1, messages: [{ role: 'user', content: 'x' }] })),
    {
      result: {
        role: 'assistant',
        model: 'm',
        stopReason: null,
        content: { type: 'text', text: 'y', annotations: null, _meta: null },
      },
    },
    '{"role":"assistant","content":[{"type":"text","text":"y"}],"text":"y","model":"m"}',
  ],
]

it.each(asking)('an answer of a legacy client may contain %s', async (_what, handler, answer, text) => {
  const app = await openApp({ tools: [{ name: 'ask', handler }] })
  const capabilities = { roots: {}, elicitation: { url: null }, sampling: {} }

  const session = await openSession(app, { params: { capabilities } })
  const reader = await session.stream(legacyMessage('tools/call', toolCall('ask'), 5))
  const { id } = await reader.message()
  expect((await session.send({ jsonrpc: '2.0', id, ...answer })).status).toBe(202)
  expect((await reader.message()).result).toEqual({ content: [{ type: 'text', text }] })
  session.close()
})

it('subscriptions/listen treats null as absent', async () => {
  const client = connectTo(await openGreeting())
  const notifications = { promptsListChanged: null, resourceSubscriptions: null, taskIds: null }
  const { text } = await client.request('subscriptions/listen', { notifications })
  expect(text).toContain('"notifications":{}')
})
