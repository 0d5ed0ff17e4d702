import { result } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'

interface Line {
  readonly level: number
  readonly msg: string
}

const block = { type: 'text', text: 'hello' }

async function answerTo(returned: unknown) {
  const lines: Line[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) })
  const server = await createServer({ name: 'blog', version: '1.0.0', controllers: [], logger })
  server.catalog.addTool({ name: 'find', description: 'Finds posts', handler: () => returned })
  const first = await server.callTool('find', {})
  expect(await server.callTool('find', {})).toEqual(first)
  await server.close()
  return { answer: first, warnings: lines.filter(({ level }) => level === 40).map(({ msg }) => msg) }
}

describe('an object with content, from a tool without an output schema', () => {
  test.each([
    [{ content: [], title: 'no posts' }, '"title"'],
    [{ content: [block], title: 'one post', page: 2 }, '"title", "page"'],
  ])('is sent as data if it has other members: %j', async (returned, members) => {
    const { answer, warnings } = await answerTo(returned)

    expect(answer).toEqual({ content: [{ type: 'text', text: JSON.stringify(returned) }] })
    expect(warnings).toEqual([
      `Tool 'find' returned an object with content and ${members}. The object is sent as data. ` +
        'Write return result({ … }) for a complete result, or give the tool an output schema',
    ])
  })

  test.each([
    [{ content: [] }, { content: [] }],
    [
      { content: [block], isError: true },
      { content: [block], isError: true },
    ],
    [
      { content: [block], isError: false, _meta: { a: 1 } },
      { content: [block], _meta: { a: 1 } },
    ],
    [
      { content: [block], structuredContent: { a: 1 }, resultType: 'complete' },
      { content: [block], structuredContent: { a: 1 } },
    ],
    [{ content: 'a text', title: 'x' }, { content: [{ type: 'text', text: '{"content":"a text","title":"x"}' }] }],
  ])('is sent as a result if it has no other members: %j', async (returned, expected) => {
    expect(await answerTo(returned)).toEqual({ answer: expected, warnings: [] })
  })

  test.each([
    ['with content', { content: [], isError: 'no' }],
    ['with structured content', result({ content: [], isError: 'no' as never })],
  ])('never sends an isError that is not a boolean: an object %s', async (_whose, returned) => {
    const logger = pino({ level: 'silent' })
    const server = await createServer({ name: 'blog', version: '1.0.0', controllers: [], logger })
    server.catalog.addTool({ name: 'find', description: 'Finds posts', handler: () => returned })

    expect(await server.callTool('find', {})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Tool 'find' failed") }],
    })
    await server.close()
  })
})
