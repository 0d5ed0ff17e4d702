import { connectInMemory, McpTool, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'

const RollInput = Type.Object({ sides: Type.Integer({ default: 6 }) })

class DiceTools {
  @McpTool({ input: RollInput })
  describe({ sides }: { sides: number }): string {
    return `a die with ${sides} sides`
  }
}

test('a call without arguments gets the defaults of its schema', async () => {
  const server = await createServer({ name: 'dice', version: '1.0.0', controllers: [DiceTools] })
  const answer = await new Promise((resolve) => {
    const client = connectInMemory(server, { onMessage: resolve })
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'describe' } })
  })
  expect(answer).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'a die with 6 sides' }] },
  })
  await server.close()
})
