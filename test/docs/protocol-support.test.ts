import { join } from 'node:path'
import { supportedVersions } from '@toolwright/core/host'
import type { FastifyInstance } from 'fastify'
import {
  audio,
  connectInMemory,
  createHost,
  McpCompletion,
  McpContext,
  McpPrompt,
  McpResource,
  McpTool,
  resourceLink,
  result,
  Type,
} from 'toolwright'
import { expectTable, root } from './markdown.js'

const page = 'docs/reference/protocol-support.md'

/** Every request that a client can send in any revision. */
const methods = [
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'tools/list/anthropic',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
  'skills/list',
  'skills/get',
  'resources/directory/read',
  'tasks/get',
  'tasks/result',
  'tasks/list',
  'tasks/update',
  'tasks/cancel',
]

/** A client with all capabilities. */
const capabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
  extensions: { 'io.modelcontextprotocol/tasks': {} },
}

const sample = { messages: [{ role: 'user', content: 'Hello' }], maxTokens: 9 } as const

/** Every client request that a handler can send. */
const questions: Readonly<Record<string, (context: McpContext) => Promise<unknown>>> = {
  '`elicitation/create`, a form': (context) => context.elicit({ message: 'Who?', schema: Type.Object({}) }),
  '`elicitation/create`, a page': (context) => context.elicitUrl({ message: 'There', url: 'https://example.com/' }),
  '`sampling/createMessage`': (context) => context.sample(sample),
  '`sampling/createMessage`, with tools': (context) => context.sample({ ...sample, tools: [] }),
  '`roots/list`': (context) => context.listRoots(),
}

class EverythingFeatures {
  @McpTool({
    title: 'Object',
    annotations: { readOnlyHint: true },
    icons: [{ src: 'data:image/png;base64,AA==' }],
    input: Type.Object({ count: Type.Optional(Type.Integer()) }),
    output: Type.Object({ ok: Type.Boolean() }),
  })
  object(_args: { count?: number }): { ok: boolean } {
    return { ok: true }
  }

  @McpTool({ output: Type.Array(Type.Integer()) })
  list(): number[] {
    return [1]
  }

  @McpTool()
  blocks(context: McpContext): unknown {
    context.progress(1, 2, 'half')
    const content = [audio('AA==', 'audio/wav'), resourceLink('memo:///1', 'memo')]
    return result({ content, _meta: { 'example.com/n': 1 } })
  }

  @McpTool({ task: 'optional' })
  long(): void {}

  @McpTool({ input: Type.Object({ what: Type.String() }) })
  async ask({ what }: { what: string }, context: McpContext): Promise<void> {
    await questions[what]?.(context)
  }

  @McpPrompt({ input: Type.Object({ name: Type.String() }) })
  greet({ name }: { name: string }): string {
    return name
  }

  @McpResource('ui://page')
  page(): string {
    return '<!doctype html>'
  }

  @McpResource('memo:///1')
  memo(): string {
    return 'one'
  }

  @McpCompletion({ prompt: 'greet', argument: 'name' })
  complete(): string[] {
    return []
  }
}

let host: FastifyInstance
let url: string

beforeAll(async () => {
  host = await createHost({
    name: 'support',
    version: '1.0.0',
    controllers: [EverythingFeatures],
    skills: join(root, 'samples', 'skills', 'skills'),
    fastify: { logger: false },
  })
  url = `${await host.listen({ port: 0, host: '127.0.0.1' })}/mcp`
})

afterAll(() => host.close())

const oldestFirst = supportedVersions.toReversed()

test('the page lists the methods served in each revision', async () => {
  const rows = methods.map(async (method) => {
    const answers = await Promise.all(oldestFirst.map((version) => send(version, method, {})))
    return [`\`${method}\``, ...answers.map(({ error }) => (error?.code === -32601 ? '–' : 'yes'))]
  })
  expectTable(page, 'table: methods', mergeAlike(await Promise.all(rows)))
})

test('the page lists the extensions declared in each revision, and how', async () => {
  const declared = await Promise.all(oldestFirst.map(extensionsIn))
  const names = Object.keys(declared.at(-1) ?? {})
  const cell = (settings: unknown): string => (settings === undefined ? '–' : `\`${JSON.stringify(settings)}\``)
  expectTable(
    page,
    'table: extensions',
    names.map((name) => [`\`${name}\``, ...declared.map((extensions) => cell(extensions[name]))]),
  )
})

test('the page lists the members sent in each revision', async () => {
  const columns = await Promise.all(oldestFirst.map(membersIn))
  const rows = Object.keys(columns[0] ?? {}).map((member) => [member, ...columns.map((column) => column[member] ?? '')])
  expectTable(page, 'table: members', mergeAlike(rows))
})

test('the page lists the client requests of each revision, and how they are sent', async () => {
  const rows = Object.keys(questions).map(async (what) => [
    what,
    ...(await Promise.all(oldestFirst.map((version) => askedIn(version, what)))),
  ])
  expectTable(page, 'table: questions', await Promise.all(rows))
})

/** One row for all rows that differ only in their first cell. */
function mergeAlike(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const names = new Map<string, string[]>()
  for (const [name = '', ...cells] of rows) {
    const key = cells.join(' | ')
    names.set(key, [...(names.get(key) ?? []), name])
  }
  return [...names].map(([cells, alike]) => [alike.join(', '), cells])
}

type Json = Record<string, unknown>

interface Answer {
  readonly result: Json
  readonly error?: { readonly code: number }
  /** All received messages, including progress. */
  readonly text: string
}

/** Sends a call of a client with all capabilities, and returns the kind of the first message afterwards. */
async function askedIn(version: string, what: string): Promise<string> {
  const params = { protocolVersion: version, clientInfo: { name: 'test', version: '1.0.0' }, capabilities }
  let receive: (came: Json) => void
  const first = new Promise<Json>((resolve) => (receive = resolve))
  const onMessage = (came: unknown): void => {
    if ((came as Json)['id'] !== 'handshake') receive(came as Json)
  }
  const client = connectInMemory(host.mcp, { onMessage })
  client.send({ jsonrpc: '2.0', id: 'handshake', method: 'initialize', params })
  client.send(message(version, 'tools/call', { name: 'ask', arguments: { what } }))
  const answer = await first
  await client.close()
  if ('method' in answer) return 'request'
  return (answer['result'] as Json)['resultType'] === 'input_required' ? '`input_required`' : '–'
}

async function extensionsIn(version: string): Promise<Json> {
  const discovered = await send(version, 'server/discover', {})
  const params = { protocolVersion: version, clientInfo: { name: 'test', version: '1.0.0' }, capabilities }
  const answer = discovered.error === undefined ? discovered : await send(version, 'initialize', params)
  return ((answer.result['capabilities'] as Json)['extensions'] ?? {}) as Json
}

async function membersIn(version: string): Promise<Record<string, string>> {
  const list = await send(version, 'tools/list', {})
  const listed = list.result['tools'] as Json[]
  const [listTool = {}, object = {}] = ['list', 'object'].map((name) => listed.find((tool) => tool['name'] === name))
  const call = (name: string, args: object): Promise<Answer> =>
    send(version, 'tools/call', { name, arguments: args, _meta: { progressToken: 1 } })
  const called = await call('object', {})
  const array = await call('list', {})
  const mixed = await call('blocks', {})
  const invalid = await call('object', { count: 'three' })
  const batch = await post(version, [message(version, 'tools/list', {})])
  return {
    '`title` of tools, prompts and resources': yes('title' in object),
    '`annotations` of tools': yes('annotations' in object),
    '`icons`': yes('icons' in object),
    '`outputSchema` of an object': yes('outputSchema' in object),
    '`outputSchema` of non-objects': yes('outputSchema' in listTool),
    '`structuredContent` that is an object': yes('structuredContent' in called.result),
    '`structuredContent` of non-objects': yes('structuredContent' in array.result),
    'audio content': yes(mixed.text.includes('"type":"audio"')),
    'resource links': yes(mixed.text.includes('"type":"resource_link"')),
    '`_meta` of results': yes(mixed.text.includes('example.com/n')),
    '`message` of progress': yes(mixed.text.includes('"message":"half"')),
    '`resultType`': yes('resultType' in called.result),
    '`ttlMs` and `cacheScope` of lists': yes('ttlMs' in list.result && 'cacheScope' in list.result),
    batches: yes(batch.status === 200),
    'invalid arguments': invalid.error === undefined ? '`isError`' : `error \`${invalid.error.code}\``,
  }
}

function yes(is: boolean): string {
  return is ? 'yes' : '–'
}

async function send(version: string, method: string, params: Json): Promise<Answer> {
  const response = await post(version, message(version, method, params))
  const text = await response.text()
  const last = text.startsWith('{') ? text : (text.trim().split('data: ').at(-1) ?? '')
  return { ...(JSON.parse(last) as Omit<Answer, 'text'>), text }
}

function post(version: string, body: unknown): Promise<Response> {
  const { method, params } = body as { method?: string; params?: { name?: string; uri?: string } }
  const name = params?.name ?? params?.uri
  const headers = {
    'content-type': 'application/json',
    'mcp-protocol-version': version,
    ...(method === undefined ? {} : { 'mcp-method': method }),
    ...(name === undefined ? {} : { 'mcp-name': name }),
  }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** A request in the format of the newest revision; older revisions ignore the additional members. */
function message(version: string, method: string, params: Json): Json {
  const isModern = version === supportedVersions[0]
  const own = (params['_meta'] ?? {}) as Json
  const claims = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const _meta = isModern ? { ...own, ...claims } : own
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
}
