import { McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'

class Tools {
  @McpTool()
  plain(): string {
    return ''
  }

  @McpTool({ description: ' ' })
  blank(): string {
    return ''
  }

  @McpTool({ description: 'Has a description' })
  described(): string {
    return ''
  }
}

test('a tool without a description is named in the log and in the report', async () => {
  const lines: { readonly tools: unknown; readonly msg: string }[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const server = await createServer({
    name: 'quiet',
    version: '1.0.0',
    controllers: [Tools],
    logger,
    onReady: ({ catalog }) => {
      catalog.addTool({ name: 'added', handler: () => '' })
      catalog.addTool({ name: 'fine', description: 'Has a description', handler: () => '' })
    },
  })
  const tools = ['added', 'blank', 'plain']

  expect(lines).toEqual([
    expect.objectContaining({ tools, msg: 'tools have no description: models choose tools by their descriptions' }),
  ])
  expect(server.explain().undescribed).toEqual(tools)
  expect(String(server.explain())).toContain(
    ['Tools without a description:', '  added', '  blank', '  plain'].join('\n'),
  )
  await server.close()
})
