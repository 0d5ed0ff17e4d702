// One wrong item at the end of a list of 20,001 took 1.4 s to report.
import { type McpServer, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { processorMs } from '../../../../../test/support/processor-time.js'

const Item = Type.Object({
  id: Type.Integer(),
  name: Type.String({ minLength: 1 }),
  note: Type.Optional(Type.String()),
})
const Either = Type.Union([Item, Type.Object({ only: Type.Literal('x') })])
const Tree = Type.Cyclic(
  { N: Type.Object({ id: Type.Integer(), name: Type.String(), next: Type.Optional(Type.Ref('N')) }) },
  'N',
)

const schemas: Readonly<Record<string, Parameters<typeof Type.Array>[0]>> = {
  items: Item,
  alternatives: Either,
  trees: Tree,
}
const cases = Object.keys(schemas).flatMap((name) => [`typed_${name}`, `plain_${name}`])
const length = 20_001
const wide = { maxKeys: Infinity, maxItems: Infinity }

let server: McpServer
beforeAll(async () => {
  server = await createServer({ name: 'lists', version: '1.0.0', controllers: [], limits: wide })
  const handler = (): string => 'taken'
  for (const [name, item] of Object.entries(schemas)) {
    const input = Type.Object({ list: Type.Array(item), total: Type.Optional(Type.Integer()) })
    server.catalog.addTool({ name: `typed_${name}`, input, handler })
    const { wire } = server.catalog.tools.get(`typed_${name}`)?.input ?? {}
    server.catalog.addTool({ name: `plain_${name}`, inputSchema: { ...wire }, handler })
  }
})
afterAll(() => server.close())

const right = { list: Array.from({ length }, () => ({ id: 1, name: 'a' })) }
const wrong = { list: [...right.list.slice(1), { id: 1, name: 5 }] }

async function call(tool: string, args: object): Promise<string> {
  const { content } = await server.callTool(tool, args)
  return (content[0] as { readonly text: string }).text
}

/** Of the fastest of several calls, which no garbage collection has slowed down. */
async function processorMsOf(tool: string, args: object): Promise<number> {
  const times: number[] = []
  // oxlint-disable-next-line no-await-in-loop
  for (let run = 0; run < 5; run++) times.push(await processorMs(() => call(tool, args)))
  return Math.min(...times)
}

test.each(cases)('the wrong item at the end of a long list is reported: %s', async (tool) => {
  expect(await call(tool, right)).toBe('taken')
  expect(await call(tool, wrong)).toMatch(`'list/${length - 1}/name' must be a string, got a number`)
})

// Usually 2 to 5 ms. The bound is wide, because busy machines make all code slower.
test.each(cases)('the report takes less than 100 ms: %s', async (tool) => {
  expect((await processorMsOf(tool, wrong)) - (await processorMsOf(tool, right))).toBeLessThan(100)
})
