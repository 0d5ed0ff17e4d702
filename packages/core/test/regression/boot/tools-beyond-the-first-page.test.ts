// Clients that read one page of a list lost the tools after the first hundred, without a message.
import { type McpServer } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'

async function boot(count: number, own: object = {}) {
  const lines: object[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const onReady = ({ catalog }: McpServer): void => {
    for (let index = 0; index < count; index++) {
      const [name, handler] = [`entry_${index}`, () => '']
      catalog.addTool({ name, description: 'Does nothing', handler })
      catalog.addPrompt({ name, description: 'Says nothing', handler })
      catalog.addResource({ uri: `test://${name}`, name, handler })
      catalog.addResource({ uri: `test://${name}/{id}`, name, handler })
    }
  }
  const server = await createServer({ name: 'many', version: '1.0.0', controllers: [], logger, onReady, ...own })
  await server.close()
  return lines
}

test('a list of more than one page is named in the log', async () => {
  expect(await boot(1001)).toEqual([
    expect.objectContaining({
      lists: ['tools: 1001', 'prompts: 1001', 'resources: 1001', 'resourceTemplates: 1001'],
      msg: expect.stringContaining('lists have more than one page'),
    }),
  ])
})

test('a page size of the application is not reported', async () => {
  expect(await boot(11, { pageSize: 10 })).toEqual([])
})

test.each(lanes)('a client that reads one page gets 150 tools: %s', async (lane) => {
  const tools = Array.from({ length: 150 }, (_, index) => ({ name: `tool_${index}`, handler: () => '' }))
  const onReady = ({ catalog }: McpServer): void => tools.forEach((tool) => catalog.addTool(tool))
  await using connection = await connect({ name: 'many', version: '1.0.0', controllers: [], onReady }, lane)
  const { tools: listed } = await connection.client.request({ method: 'tools/list', params: {} })

  expect(listed).toHaveLength(150)
})
