import { type McpServer, Type } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import pino from 'pino'
import { openRawClient, type RawMessage } from '../../support/raw-client.js'

type TSchema = Parameters<typeof Type.Union>[0][number]

const Node = Type.Ref('N')
const ops = ['add', 'mul']

/** Branches of a recursive union, by how they can be distinguished. */
const distinct: Readonly<Record<string, readonly TSchema[]>> = {
  'by a constant before the recursive member': ops.map((op) => Type.Object({ op: Type.Literal(op), arg: Node })),
  'by a constant after the recursive member': ops.map((op) => Type.Object({ arg: Node, op: Type.Literal(op) })),
  'by a constant in a later part': ops.map((op) =>
    Type.Intersect([Type.Object({ arg: Node }), Type.Object({ op: Type.Literal(op) })]),
  ),
  'by the type of a member': [
    Type.Object({ arg: Node, op: Type.Number() }),
    Type.Object({ arg: Node, op: Type.String() }),
  ],
  'by a closed list of members': [
    Type.Object({ arg: Node, only: Type.Null() }, { additionalProperties: false }),
    Type.Object({ arg: Node, op: Type.String() }, { additionalProperties: false }),
  ],
}

const alike = [
  Type.Object({ op: Type.String(), arg: Node }),
  Type.Object({ arg: Node, op: Type.Optional(Type.String()) }),
]

function treeOf(union: readonly TSchema[]): ReturnType<typeof Type.Object> {
  return Type.Object({ tree: Type.Cyclic({ N: Type.Union([Type.Number(), ...union]) }, 'N') })
}

function nest(depth: number, leaf: unknown): { readonly tree: unknown } {
  let tree = leaf
  for (let level = 0; level < depth; level++) tree = { op: 'mul', arg: tree }
  return { tree }
}

/** The last depth is the limit: the outer levels of a message use the rest of its 64 levels. */
const depths = [19, 60]
const engines = ['TypeBox', 'anyOf', 'oneOf']

/** Tools that accept and return such a tree, with TypeBox and with plain JSON Schema. */
async function createTreeServer(union: readonly TSchema[], options: Partial<ServerOptions> = {}): Promise<McpServer> {
  const server = await createServer({ name: 'trees', version: '1.0.0', controllers: [], logger: silent, ...options })
  const { catalog } = server
  const schema = treeOf(union)
  const handler = (): string => 'ok'
  const returning = (args: unknown): unknown => args
  catalog.addTool({ name: 'in_TypeBox', description: 'Takes a tree', input: schema, handler })
  catalog.addTool({
    name: 'out_TypeBox',
    description: 'Returns a tree',
    output: schema,
    inputSchema: any,
    handler: returning as never,
  })
  const wire = JSON.stringify(catalog.tools.all[0]?.input.wire)
  for (const keyword of ['anyOf', 'oneOf']) {
    const plain = JSON.parse(wire.replaceAll('anyOf', keyword)) as Record<string, unknown>
    catalog.addTool({ name: `in_${keyword}`, description: 'Takes a tree', inputSchema: plain, handler })
    catalog.addTool({
      name: `out_${keyword}`,
      description: 'Returns a tree',
      outputSchema: plain,
      inputSchema: any,
      handler: returning,
    })
  }
  return server
}

const any = { type: 'object' }
const silent = pino({ level: 'silent' })

async function call(server: McpServer, name: string, args: object): Promise<RawMessage> {
  await using client = openRawClient(server)
  await client.initialize('2025-11-25')
  const start = performance.now()
  const { result } = await client.request('tools/call', { name, arguments: args })
  expect(performance.now() - start).toBeLessThan(1000)
  return result
}

describe.each(Object.keys(distinct))('a recursive union whose branches can be distinguished %s', (kind) => {
  let server: McpServer
  beforeAll(async () => {
    server = await createTreeServer(distinct[kind] as readonly TSchema[])
  })
  afterAll(() => server.close())

  const cases = engines.flatMap((engine) => depths.map((depth) => [engine, depth] as const))

  test.each(cases)('accepts and returns valid values (%s, depth %i)', async (engine, depth) => {
    expect(await call(server, `in_${engine}`, nest(depth, 1))).toMatchObject({ content: [{ text: 'ok' }] })
    expect(await call(server, `out_${engine}`, nest(depth, 1))).toMatchObject({ structuredContent: nest(depth, 1) })
  })

  test.each(cases)('rejects invalid values, and names the part (%s, depth %i)', async (engine, depth) => {
    const rejected = await call(server, `in_${engine}`, nest(depth, 'bad'))
    expect(rejected.isError).toBe(true)
    expect(rejected.content[0].text).toMatch(
      /^Invalid arguments for tool .*'tree(\/arg)+…?' must be a number or an object, got a string/,
    )
    expect((await call(server, `out_${engine}`, nest(depth, 'bad'))).isError).toBe(true)
  })
})

describe('a recursive union with similar branches', () => {
  test.each(engines)('rejects values that take too much work to check (%s)', async (engine) => {
    const server = await createTreeServer(alike)
    for (const depth of depths) {
      const rejected = await call(server, `in_${engine}`, nest(depth, 'bad'))
      expect(rejected.content[0].text).toMatch(
        'the arguments must be nested less deeply: it takes too much work to check',
      )
      expect((await call(server, `out_${engine}`, nest(depth, 'bad'))).isError).toBe(true)
    }
    await server.close()
  })

  test('accepts large valid values', async () => {
    const schema = Type.Object({ trees: Type.Array(Type.Cyclic({ N: Type.Union([Type.Number(), ...alike]) }, 'N')) })
    const server = await createServer({ name: 'trees', version: '1.0.0', controllers: [] })
    server.catalog.addTool({
      name: 'count',
      description: 'Counts',
      input: schema,
      handler: ({ trees }) => `${trees.length}`,
    })
    const { tree } = nest(3, 1)
    const result = await call(server, 'count', { trees: Array.from({ length: 1500 }, () => tree) })
    expect(result).toMatchObject({ content: [{ text: '1500' }] })
    await server.close()
  })
})

describe('boot', () => {
  const kinds = Object.keys(distinct)

  async function warningsFor(
    union: readonly TSchema[],
  ): Promise<{ readonly logged: string; readonly explained: string }> {
    const lines: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
    const schema = treeOf(union)
    const server = await createServer({
      name: 'trees',
      version: '1.0.0',
      logger,
      controllers: [],
      onReady: ({ catalog }) => {
        catalog.addTool({ name: 'calc', description: 'Takes a tree', input: schema, handler: () => 'ok' })
      },
    })
    const explained = String(server.explain())
    await server.close()
    return { logged: lines.join(''), explained }
  }

  test.each([
    ['a constant after the recursive member', distinct[kinds[1] as string] as readonly TSchema[]],
    ['no difference', alike],
  ])('warns of a recursive union whose branches have %s', async (_difference, union) => {
    const { logged, explained } = await warningsFor(union)
    for (const text of [logged, explained]) {
      expect(text).toMatch(/the input of tool 'calc': the branches of a recursive union differ only after 'arg'/)
    }
  })

  test('does not warn of a recursive union whose branches begin with a constant', async () => {
    const { logged, explained } = await warningsFor(distinct[kinds[0] as string] as readonly TSchema[])
    expect(logged).toBe('')
    expect(explained).not.toContain('Slow schemas')
  })
})

describe('definitions that refer to each other without a cycle', () => {
  const depth = 20

  /** Levels of unions whose branches all refer to the next level. */
  function levelsOf(properties: (next: object) => object): Record<string, unknown> {
    const levels: Record<string, object> = { [`L${depth}`]: { type: 'number' } }
    for (let level = 0; level < depth; level++) {
      const next = { $ref: `#/$defs/L${level + 1}` }
      const branches = ops.map((op) => ({ type: 'object', properties: { ...properties(next), op: { const: op } } }))
      levels[`L${level}`] = { anyOf: [{ type: 'number' }, ...branches] }
    }
    return { type: 'object', properties: { tree: { $ref: '#/$defs/L0' } }, $defs: levels }
  }

  test.each([
    ['before', (next: object) => ({ op: {}, arg: next })],
    ['after', (next: object) => ({ arg: next })],
  ])('are checked quickly with a constant %s the reference', async (_where, properties) => {
    const server = await createServer({ name: 'trees', version: '1.0.0', controllers: [], logger: silent })
    const handler = (): string => 'ok'
    server.catalog.addTool({ name: 'calc', description: 'Takes a tree', inputSchema: levelsOf(properties), handler })

    expect(await call(server, 'calc', nest(depth, 1))).toMatchObject({ content: [{ text: 'ok' }] })
    expect((await call(server, 'calc', nest(depth, 'bad'))).isError).toBe(true)
    await server.close()
  })
})
