// V8 cannot compile the check of an enum of 2,000 values: each call failed with 'Internal error'.
import type { JsonObject } from '@toolwright/core'
import { createServer } from '@toolwright/server'

async function callWith(inputSchema: JsonObject, args: JsonObject): Promise<string> {
  const server = await createServer({ name: 'lists', version: '1.0.0', controllers: [] })
  server.catalog.addTool({ name: 'run', inputSchema, handler: () => 'done' })
  const { content } = await server.callTool('run', args)
  await server.close()
  const [block] = content as readonly { readonly text: string }[]
  return String(block?.text)
}

const codes = (count: number): string[] => Array.from({ length: count }, (_, index) => `code${index}`)

describe('a tool whose schema has a long list', () => {
  it.each([1000, 2000, 20_000])('checks an enum of %d values', async (count) => {
    const schema = { type: 'object', properties: { code: { enum: codes(count) } }, required: ['code'] }

    expect(await callWith(schema, { code: `code${count - 1}` })).toBe('done')
    expect(await callWith(schema, { code: 'none' })).toMatch(/'code' must be one of "code0", "code1", /)
  })

  it('checks a union of 3,000 branches', async () => {
    const branches = codes(3000).map((code) => ({ const: code }))
    const schema = { type: 'object', properties: { code: { anyOf: branches } } }

    expect(await callWith(schema, { code: 'code2999' })).toBe('done')
    expect(await callWith(schema, { code: 'none' })).toMatch(/'code' must be one of "code0", "code1", /)
  })

  it('checks 3,000 properties', async () => {
    const properties = Object.fromEntries(codes(3000).map((code) => [code, { type: 'string' }]))
    const schema = { type: 'object', properties }

    expect(await callWith(schema, { code2999: 'a' })).toBe('done')
    expect(await callWith(schema, { code2999: 1 })).toMatch(/'code2999' must be a string, got a number/)
  })
})
