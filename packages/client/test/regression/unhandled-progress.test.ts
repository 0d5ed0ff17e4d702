// A loop over the progress waits for something else when the call fails.
import { connect, ToolCallError } from '@toolwright/client'
import { McpContext, McpController, McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'

@McpController()
class ImportTools {
  @McpTool({ description: 'Fails after one step' })
  importRows(context: McpContext): never {
    context.progress(1, 2)
    throw new Error('The disk is full.')
  }
}

test('a call that fails while the loop over its progress waits rejects at `await call`, and the process lives', async () => {
  const server = await createServer({
    name: 'imports',
    version: '1.0.0',
    controllers: [ImportTools],
    logger: pino({ level: 'silent' }),
  })
  const client = await connect(server)
  const call = client.tools<ImportTools>().importRows()
  const steps: number[] = []
  for await (const { progress } of call.progress) {
    steps.push(progress)
    // Longer than the call takes.
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await expect(call).rejects.toThrow(ToolCallError)

  expect(steps).toStrictEqual([1])
  await client.close()
  await server.close()
})
