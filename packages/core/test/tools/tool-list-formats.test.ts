import { McpTool } from '@toolwright/core'
import {
  createServer,
  originalToolName,
  type ServerOptions,
  toAiSdkTools,
  toAnthropicTools,
  toOllamaTools,
  toOpenAiResponsesTools,
  toOpenAiTools,
} from '@toolwright/server'
import { connect } from '@toolwright/testing'
import { openRawClient } from '../support/raw-client.js'

const forecastSchema = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where' },
    unit: { type: 'string', enum: ['C', 'F'] },
    days: { type: 'array', items: { type: 'object', properties: { day: { type: 'integer' } } } },
  },
  required: ['city'],
} as const

class Tools {
  @McpTool('weather.forecast', { description: 'Looks ahead', inputSchema: forecastSchema })
  forecast(): string {
    return 'sun'
  }

  @McpTool({ title: 'Now' })
  now(): string {
    return 'now'
  }
}

const options: ServerOptions = { name: 'formats', version: '1.0.0', controllers: [Tools] }
const closed = { type: 'object', properties: {}, additionalProperties: false }

async function serve(own: Partial<ServerOptions> = {}) {
  return createServer({ ...options, ...own })
}

test('OpenAI gets functions, in the formats of its two APIs', async () => {
  const server = await serve()
  const tools = await server.listTools()

  expect(toOpenAiTools(tools)).toStrictEqual([
    { type: 'function', function: { name: 'now', description: 'Now', parameters: closed } },
    {
      type: 'function',
      function: { name: 'weather_forecast', description: 'Looks ahead', parameters: forecastSchema },
    },
  ])
  expect(toOpenAiResponsesTools(tools)).toStrictEqual([
    { type: 'function', name: 'now', description: 'Now', parameters: closed, strict: false },
    {
      type: 'function',
      name: 'weather_forecast',
      description: 'Looks ahead',
      parameters: forecastSchema,
      strict: false,
    },
  ])
})

test('Anthropic, Ollama and the AI SDK get tools in their own formats', async () => {
  const tools = await (await serve()).listTools()

  expect(toAnthropicTools(tools)).toStrictEqual([
    { name: 'now', description: 'Now', input_schema: closed },
    { name: 'weather_forecast', description: 'Looks ahead', input_schema: forecastSchema },
  ])
  expect(toOllamaTools(tools)).toStrictEqual([
    { type: 'function', function: { name: 'now', description: 'Now', parameters: closed } },
    {
      type: 'function',
      function: { name: 'weather.forecast', description: 'Looks ahead', parameters: forecastSchema },
    },
  ])
  expect(toAiSdkTools(tools)).toStrictEqual({
    now: { description: 'Now', inputSchema: closed },
    weather_forecast: { description: 'Looks ahead', inputSchema: forecastSchema },
  })
})

test('the tools of the AI SDK run under their own names, with the schemas that it requires', async () => {
  const server = await serve()
  const tools = toAiSdkTools(await server.listTools(), {
    jsonSchema: (schema: object) => ({ jsonSchema: schema }),
    execute: (name, args, signal) => server.callTool(name, args, { signal }),
  })

  expect(tools['weather_forecast']?.inputSchema).toStrictEqual({ jsonSchema: forecastSchema })
  expect(await tools['weather_forecast']?.execute?.({ city: 'Oslo' }, {})).toStrictEqual({
    content: [{ type: 'text', text: 'sun' }],
  })
})

test('names are changed only as far as a vendor requires, and can be mapped back to the tool', () => {
  const long = `${'a'.repeat(70)}.b`
  const names = ['plain', 'a.b', 'files.read-all', long, `${'a'.repeat(70)}.c`]
  const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }))

  const openAi = toOpenAiTools(tools).map((tool) => tool.function.name)
  const anthropic = toAnthropicTools(tools).map(({ name }) => name)

  expect(openAi.slice(0, 3)).toStrictEqual(['plain', 'a_b', 'files_read-all'])
  expect(openAi.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true)
  expect(anthropic).toStrictEqual(['plain', 'a_b', 'files_read-all', `${'a'.repeat(70)}_b`, `${'a'.repeat(70)}_c`])
  expect([...openAi, ...anthropic].map((name) => originalToolName(name, tools))).toStrictEqual([...names, ...names])
  expect(originalToolName('made_up', tools)).toBe('made_up')
})

test('two tools with the same resulting name cause an error with both names', () => {
  const tools = ['a.b', 'a_b'].map((name) => ({ name, inputSchema: { type: 'object' } }))

  expect(() => toAnthropicTools(tools)).toThrow(
    "The tools 'a.b' and 'a_b' would both be named 'a_b' for Anthropic, which only allows letters, digits, " +
      '"_" and "-". Rename one of them',
  )
  expect(toOllamaTools(tools)).toHaveLength(2)
})

test('schemas that vendors reject at the root are rewritten as one object', () => {
  const inputSchema = {
    type: 'object',
    description: 'By name or by number',
    properties: { limit: { type: 'integer' } },
    required: ['limit'],
    allOf: [{ $ref: '#/$defs/paged' }],
    oneOf: [
      { properties: { kind: { const: 'name' }, value: { type: 'string' } }, required: ['kind', 'value'] },
      { properties: { kind: { const: 'number' }, value: { type: 'string' } }, required: ['kind'] },
    ],
    not: { required: ['forbidden'] },
    $defs: {
      paged: { properties: { page: { type: 'integer' } }, required: ['page'], allOf: [{ $ref: '#/$defs/paged' }] },
    },
  }

  const [tool] = toAnthropicTools([{ name: 'find', inputSchema }])

  expect(tool?.input_schema).toStrictEqual({
    type: 'object',
    description: 'By name or by number',
    properties: {
      limit: { type: 'integer' },
      page: { type: 'integer' },
      kind: { anyOf: [{ const: 'name' }, { const: 'number' }] },
      value: { type: 'string' },
    },
    required: ['limit', 'page', 'kind'],
    $defs: inputSchema.$defs,
  })
})

test('arguments are found behind a reference with an escaped JSON pointer', () => {
  const $defs = { 'by page': { properties: { page: { type: 'integer' } }, required: ['page'] } }
  const inputSchema = { type: 'object', $ref: '#/$defs/by%20page', $defs }

  expect(toOpenAiTools([{ name: 'find', inputSchema }])[0]?.function.parameters).toStrictEqual({
    type: 'object',
    properties: { page: { type: 'integer' } },
    required: ['page'],
    $defs,
  })
})

test('a reference that is not a URI is ignored, because tools may come from any server', () => {
  const inputSchema = { type: 'object', $ref: '#/$defs/100%', properties: { all: { type: 'boolean' } } }

  expect(toOpenAiTools([{ name: 'find', inputSchema }])[0]?.function.parameters).toStrictEqual({
    type: 'object',
    properties: { all: { type: 'boolean' } },
  })
})

test('a schema without properties gets empty properties, as OpenAI requires', () => {
  expect(toOpenAiTools([{ name: 'a', inputSchema: { type: 'object' } }])[0]?.function.parameters).toStrictEqual({
    type: 'object',
    properties: {},
  })
})

test('each format is a method, with all tools on one page and the members of the era', async () => {
  const server = await serve({ pageSize: 1 })
  await using client = openRawClient(server)
  const tools = await server.listTools()

  const modern = await client.modern('tools/list/anthropic', {})
  const legacy = await client.request('tools/list/openai')
  const others = await Promise.all(
    ['openai-responses', 'ollama', 'ai-sdk'].map(async (format) => client.request(`tools/list/${format}`)),
  )

  expect(modern.result).toStrictEqual({
    resultType: 'complete',
    tools: toAnthropicTools(tools),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'formats', version: '1.0.0' } },
  })
  expect(legacy.result).toStrictEqual({ tools: toOpenAiTools(tools) })
  expect(others.map(({ result }) => result.tools)).toStrictEqual([
    toOpenAiResponsesTools(tools),
    toOllamaTools(tools),
    toAiSdkTools(tools),
  ])
})

test('a list of a thousand tools is complete', async () => {
  const server = await serve()
  for (let index = 0; index < 1000; index++) server.catalog.addTool({ name: `tool_${index}`, handler: () => '' })
  await using client = openRawClient(server)

  expect((await client.request('tools/list/ollama')).result.tools).toHaveLength(1002)
})

test('a list is updated with the catalog', async () => {
  const server = await serve()
  await using client = openRawClient(server)
  const names = async (): Promise<string[]> =>
    (await client.request('tools/list/anthropic')).result.tools.map(({ name }: { name: string }) => name)

  const before = await names()
  server.catalog.addTool({ name: 'added', handler: () => '' })
  server.catalog.removeTool('now')

  expect([before, await names()]).toStrictEqual([
    ['now', 'weather_forecast'],
    ['added', 'weather_forecast'],
  ])
})

test('an unknown format is an error that lists the formats, also for the official client', async () => {
  await using client = openRawClient(await serve())
  const error = {
    code: -32601,
    message: 'Unknown format: gemini',
    data: {
      detail:
        "There is no list of tools in the format 'gemini'. The formats are openai, openai-responses, anthropic, ollama, ai-sdk",
      supportedFormats: ['openai', 'openai-responses', 'anthropic', 'ollama', 'ai-sdk'],
    },
  }

  expect((await client.request('tools/list/gemini')).error).toStrictEqual(error)
  expect((await client.modern('tools/list/gemini', {})).error).toStrictEqual(error)
  expect((await client.request('tools/list')).result.tools).toHaveLength(2)
})

test.each(['in-memory', 'http', 'stdio'] as const)('the official client gets a list over %s', async (lane) => {
  await using connection = await connect(options, { lane })

  const answered = await connection.client.request(
    { method: 'tools/list/openai' as never, params: {} },
    // The schema of the client: accepts any response.
    { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as never,
  )

  expect(answered).toMatchObject({ tools: [{ function: { name: 'now' } }, { function: { name: 'weather_forecast' } }] })
})

test('custom formats are served beside or instead of the built-in ones, or formats can be disabled', async () => {
  const own = await serve({ listFormats: { names: (tools) => tools.map(({ name }) => name) } })
  const none = await serve({ listFormats: {} })
  await using client = openRawClient(own)
  await using other = openRawClient(none)

  expect((await client.request('tools/list/names')).result).toStrictEqual({ tools: ['now', 'weather.forecast'] })
  expect((await client.request('tools/list/openai')).error.data.supportedFormats).toStrictEqual(['names'])
  expect((await other.request('tools/list/openai')).error).toStrictEqual({
    code: -32601,
    message: 'Method not found: tools/list/openai',
  })
})

test('a name clash is an error of that format only', async () => {
  const server = await serve()
  server.catalog.addTool({ name: 'weather_forecast', handler: () => '' })
  await using client = openRawClient(server)

  expect((await client.request('tools/list/openai')).error).toMatchObject({
    code: -32603,
    message: expect.stringContaining("The tools 'weather.forecast' and 'weather_forecast' would both be") as string,
  })
  expect((await client.request('tools/list/ollama')).result.tools).toHaveLength(3)
})

test('a format that is not a function, or has an invalid name, is a boot problem', async () => {
  const listFormats = { 'my format': () => [], broken: 'text' } as never

  await expect(serve({ listFormats })).rejects.toMatchObject({
    diagnostics: [
      { code: 'bad-option', message: expect.stringContaining("listFormats has 'my format'") as string },
      { code: 'bad-option', message: expect.stringContaining("listFormats has 'broken'") as string },
    ],
  })
})
