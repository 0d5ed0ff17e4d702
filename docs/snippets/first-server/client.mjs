import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const client = new Client({ name: 'my-client', version: '1.0.0' })
await client.connect(
  new StdioClientTransport({
    command: 'node',
    args: ['dist/main.js', '--stdio'],
  }),
)

const { structuredContent } = await client.callTool({
  name: 'count_words',
  arguments: { text: 'to be or not to be' },
})
console.log(structuredContent)
await client.close()
