import { createServer, McpTool } from '@toolwright/core'
import { pino } from 'pino'

const tools = 3000

// An algorithm that visits the whole class once for each of its tools takes a minute here.
it('boot takes time proportional to the number of tools of a class', async () => {
  class Many {}
  for (let index = 0; index < tools; index++) {
    const name = `tool_${index}`
    Object.defineProperty(Many.prototype, name, { value: () => name, configurable: true, writable: true })
    const decorate = McpTool({ name, description: name })
    decorate(Many.prototype as never, name, Object.getOwnPropertyDescriptor(Many.prototype, name) as never)
  }

  const server = await createServer({
    name: 'test',
    version: '1.0.0',
    controllers: [Many],
    logger: pino({ level: 'silent' }),
  })

  expect(server.catalog.tools.all).toHaveLength(tools)
  await server.close()
})
