// TypeBox writes the pattern ^.*$ for the names of a record. Members whose names have line breaks were not checked.
import { Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'

const counts = Type.Record(Type.String(), Type.Number())

async function call(args: object): Promise<string> {
  const server = await createServer({ name: 'records', version: '1.0.0', controllers: [] })
  const input = Type.Object({ counts: Type.Optional(counts), both: Type.Optional(Type.Intersect([counts, counts])) })
  server.catalog.addTool({ name: 'run', input, handler: () => 'done' })
  const { content } = await server.callTool('run', args)
  await server.close()
  const [block] = content as readonly { readonly text: string }[]
  return String(block?.text)
}

describe('the members of a record', () => {
  it.each(['a', '', 'a\nb', 'toString', '\u2028'])('are checked, with the name %j', async (name) => {
    expect(await call({ counts: { [name]: 1 }, both: { [name]: 1 } })).toBe('done')
    expect(await call({ counts: { [name]: 'x' } })).toMatch(
      /^Invalid .*'counts\/[^]*' must be a number, got a string\.$/,
    )
    expect(await call({ both: { [name]: 'x' } })).toMatch(/^Invalid .*'both\/[^]*' must be a number, got a string\.$/)
  })
})
