import { Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'

const Price = Type.Object({
  price: Type.Number({ multipleOf: 0.01 }),
  parts: Type.Optional(Type.Array(Type.Number({ multipleOf: 0.1 }), { uniqueItems: true })),
})

async function call(args: object): Promise<string> {
  const server = await createServer({ name: 'shop', version: '1.0.0', controllers: [] })
  server.catalog.addTool({ name: 'pay', input: Price, handler: () => 'paid' })
  const { content } = await server.callTool('pay', args)
  await server.close()
  return (content[0] as { text: string }).text
}

// The JSON Schema keyword has its cases in protocol/json-schema.test.ts.
describe('multipleOf of TypeBox', () => {
  it.each([19.99, 0.07, 0, -4.35, 123_456.78, 99_990_000.99, 1e21])('0.01 accepts %p', async (price) => {
    expect(await call({ price })).toBe('paid')
  })

  it.each([0.015, 123_456.789, 1e-12])('0.01 rejects %p', async (price) => {
    expect(await call({ price })).toBe("Invalid arguments for tool 'pay': 'price' must be a multiple of 0.01.")
  })

  it('is checked in lists whose items are unique', async () => {
    expect(await call({ price: 1, parts: [0.3, 123_456.7] })).toBe('paid')
    expect(await call({ price: 1, parts: [0.31] })).toMatch('must be a multiple of 0.1')
    expect(await call({ price: 1, parts: [0.3, 0.3] })).toMatch('must not have duplicate items')
  })
})
