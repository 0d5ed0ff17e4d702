import { type JsonObject, McpTool, Type } from '@toolwright/core'
import { createServer, toAiSdkTools } from '@toolwright/server'
import { jsonSchema } from 'ai'
import { pino } from 'pino'
import { scriptedAgents } from './scripted-agents.js'

const Search = Type.Object({
  text: Type.String({ minLength: 1, description: 'Words' }),
  site: Type.Optional(Type.String({ format: 'uri' })),
  since: Type.Optional(Type.String({ format: 'date' })),
  limit: Type.Integer({ default: 10, minimum: 1, maximum: 100 }),
  note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  kinds: Type.Optional(Type.Array(Type.Enum(['page', 'image']), { minItems: 1 })),
  filter: Type.Optional(
    Type.Union([
      Type.Object({ by: Type.Literal('size'), max: Type.Optional(Type.Number()) }),
      Type.Object({ by: Type.Literal('owner'), name: Type.String(), team: Type.Optional(Type.String()) }),
    ]),
  ),
})

const seen: unknown[] = []

const treeSchema = {
  type: 'object',
  properties: { root: { $ref: '#/$defs/node' } },
  required: ['root'],
  $defs: {
    node: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        left: { $ref: '#/$defs/node' },
        more: { type: 'array', items: { $ref: '#/$defs/node' } },
      },
      required: ['name'],
    },
  },
}

class Tools {
  @McpTool({ input: Search })
  search(args: object): string {
    seen.push(args)
    return 'found'
  }

  @McpTool({ inputSchema: treeSchema })
  tree(args: JsonObject): string {
    seen.push(args)
    return 'grown'
  }

  @McpTool({ inputSchema: { type: 'object', properties: { labels: { type: 'object' } } } })
  label(args: JsonObject): string {
    seen.push(args)
    return 'labelled'
  }

  @McpTool()
  ping(): string {
    return 'pong'
  }
}

const open = () =>
  createServer({ name: 'strict', version: '1.0.0', controllers: [Tools], logger: pino({ level: 'silent' }) })

const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })
const closed = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

beforeEach(() => seen.splice(0))

describe.each(scriptedAgents)('the strict mode of the $library', (agent) => {
  it('offers closed objects with required properties, without limits and other formats', async () => {
    const { offered } = await agent.run(await open(), [], { strict: true })
    const schemas = Object.fromEntries(offered.map(({ name, parameters }) => [name, parameters]))
    expect(schemas['search']).toMatchObject(
      closed({
        text: { type: 'string', description: 'Words' },
        site: nullable({ type: 'string' }),
        since: nullable({ type: 'string', format: 'date' }),
        limit: nullable({ type: 'integer' }),
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        kinds: nullable({ type: 'array', items: { type: 'string', enum: ['page', 'image'] } }),
        filter: nullable({
          anyOf: [
            closed({ by: { type: 'string', const: 'size' }, max: nullable({ type: 'number' }) }),
            closed({
              by: { type: 'string', const: 'owner' },
              name: { type: 'string' },
              team: nullable({ type: 'string' }),
            }),
          ],
        }),
      }),
    )
    const node = { $ref: '#/$defs/node' }
    expect(schemas['tree']).toMatchObject({
      ...closed({ root: node }),
      $defs: {
        node: closed({
          name: { type: 'string' },
          left: nullable(node),
          more: nullable({ type: 'array', items: node }),
        }),
      },
    })
    expect(schemas['ping']).toMatchObject(closed({}))
    // A record has no strict form.
    expect(schemas['label']).toMatchObject({ properties: { labels: { type: 'object' } } })
  })

  it('treats the null of an optional argument as absent', async () => {
    const { answers } = await agent.run(
      await open(),
      [
        [
          [
            'search',
            {
              text: 'cats',
              site: null,
              since: null,
              limit: null,
              note: null,
              kinds: null,
              filter: { by: 'owner', name: 'ann', team: null },
            },
          ],
          ['tree', { root: { name: 'a', left: null, more: [{ name: 'b', left: null, more: null }] } }],
          ['label', { labels: { a: null } }],
        ],
      ],
      { strict: true },
    )
    expect(answers.map((answer) => agent.textOf(answer))).toEqual(['found', 'grown', 'labelled'])
    expect(seen).toEqual([
      { text: 'cats', limit: 10, note: null, filter: { by: 'owner', name: 'ann' } },
      { root: { name: 'a', more: [{ name: 'b' }] } },
      { labels: { a: null } },
    ])
  })

  it('reports wrong arguments with their path', async () => {
    const wrong = { text: 'x', site: 'no url', since: null, limit: 200, note: null, kinds: null, filter: null }
    const { answers } = await agent.run(await open(), [[['search', wrong]]], { strict: true })
    expect(agent.textOf(answers[0])).toBe(
      "Invalid arguments for tool 'search': 'site' must match the format \"uri\"; 'limit' must be at most 100.",
    )
  })
})

test('only tools with a strict schema are strict', async () => {
  const tools = await toAiSdkTools(await open(), { jsonSchema, strict: true })
  expect(Object.entries(tools).map(([name, { strict }]) => [name, strict])).toEqual([
    ['label', undefined],
    ['ping', true],
    ['search', true],
    ['tree', true],
  ])
  const usual = await toAiSdkTools(await open(), { jsonSchema })
  expect(usual['search']?.strict).toBeUndefined()
})

test('hostile arguments in strict mode take little time', async () => {
  const { tree } = await toAiSdkTools(await open(), { jsonSchema, strict: true })
  let root: JsonObject = { name: 'leaf' }
  for (let depth = 0; depth < 100_000; depth++) root = { name: 'x', left: root, more: null }
  const poisoned = JSON.parse('{"root":{"name":"a","__proto__":{"polluted":true}}}') as object
  const results = await Promise.all(
    [{ root }, poisoned, [], 'text', 5, null].map(async (args) => tree?.execute(args, { toolCallId: 'c1' })),
  )
  expect(results.map((one) => one?.isError)).toEqual([true, true, true, true, true, true])
  expect({}).not.toHaveProperty('polluted')
})
