// The start of a server compiled the validators of all schemas: half a second for the tools of a large service.
import { type JsonObject, type McpServer, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'

/** A schema of twenty members, of which none equals a member of another schema. */
function schemaOf(tool: number): JsonObject {
  const members = Array.from({ length: 20 }, (_, index) => {
    const list = { type: 'array', items: { type: 'object', properties: { [`of_${tool}`]: { enum: [tool, index] } } } }
    return [`member_${tool}_${index}`, { anyOf: [{ type: 'string', maxLength: tool }, list] }] as const
  })
  return { type: 'object', properties: Object.fromEntries(members) }
}

const tools = 60
const handler = (): string => 'done'

/** Counts the functions that are compiled from text, as validators are. */
function countCompiled(): { readonly count: number; stop(): void } {
  const original = globalThis.Function
  const counter = { count: 0, stop: () => void (globalThis.Function = original) }
  globalThis.Function = new Proxy(original, {
    construct(target, args) {
      counter.count++
      return Reflect.construct(target, args) as object
    },
  })
  return counter
}

test('the start of a server compiles no validators: the first call of each tool does', async () => {
  const server = await createServer({ name: 'many', version: '1.0.0', controllers: [] })
  // Compiles the check of schemas.
  server.catalog.addTool({ name: 'first', inputSchema: schemaOf(tools), handler })
  await server.callTool('first', {})

  const compiled = countCompiled()
  try {
    for (let tool = 0; tool < tools; tool++) {
      server.catalog.addTool({ name: `tool_${tool}`, inputSchema: schemaOf(tool), handler })
    }
    expect(compiled.count).toBe(0)
    for (let tool = 0; tool < tools; tool++) await server.callTool(`tool_${tool}`, {})
    expect(compiled.count).toBeGreaterThanOrEqual(tools)
  } finally {
    compiled.stop()
  }
  await server.close()
})

const object = { type: 'object' }

test.each<[string, object, string]>([
  ['a dangling reference', { inputSchema: { ...object, properties: { a: { $ref: '#/$defs/A' } } } }, '#/$defs/A'],
  [
    'a reference to another document',
    { inputSchema: { ...object, allOf: [{ $ref: 'https://a.test/b' }] } },
    'https://a.test/b',
  ],
  ['a reference to itself', { inputSchema: { ...object, allOf: [{ $ref: '#' }] } }, 'refers to itself'],
  ['an invalid pattern', { inputSchema: { ...object, properties: { a: { pattern: '(' } } } }, '/(/u'],
  ['an invalid pattern of names', { inputSchema: { ...object, patternProperties: { '(': {} } } }, '/(/u'],
  ['a pattern that needs other flags', { inputSchema: { ...object, properties: { a: { pattern: '\\-' } } } }, '\\-'],
  ['nullable without a type', { inputSchema: { ...object, properties: { a: { nullable: true } } } }, 'nullable'],
  ['a dangling reference of TypeBox', { input: Type.Object({ a: Type.Ref('#/$defs/A') }) }, '#/$defs/A'],
  ['an invalid pattern of TypeBox', { input: Type.Object({ a: Type.String({ pattern: '(' }) }) }, '('],
])('%s is a boot problem, although validators are compiled later', async (_what, options, named) => {
  const onReady = ({ catalog }: McpServer): void => catalog.addTool({ name: 'wrong', ...options, handler })
  const booted = createServer({ name: 'wrong', version: '1.0.0', controllers: [], onReady })

  await expect(booted).rejects.toMatchObject({ message: expect.stringContaining(named) })
})
