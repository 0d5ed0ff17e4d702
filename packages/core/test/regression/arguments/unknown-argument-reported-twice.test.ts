import { connectInMemory, McpTool, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'

const EchoInput = Type.Object({ text: Type.String() }, { additionalProperties: false })

class EchoTools {
  @McpTool({ input: EchoInput })
  echo({ text }: { text: string }): string {
    return text
  }
}

test('an unknown argument is reported once', async () => {
  const server = await createServer({ name: 'echo', version: '1.0.0', controllers: [EchoTools] })
  const answer = await new Promise((resolve) => {
    const client = connectInMemory(server, { onMessage: resolve })
    const params = { name: 'echo', arguments: { text: 'hi', loud: true } }
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  })
  const text = `Invalid arguments for tool 'echo': unknown argument 'loud'.`
  expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }], isError: true } })
  await server.close()
})
