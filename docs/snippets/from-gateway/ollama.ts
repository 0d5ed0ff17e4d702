import { randomBytes, randomUUID } from 'node:crypto'
import { gateway } from '@toolwright/gateway'
// #region ollama
import {
  createHost,
  type McpServer,
  McpTool,
  type Static,
  ToolError,
  Type,
  toOllamaTools,
} from 'toolwright'

const SecretInput = Type.Object({
  format: Type.Optional(Type.Enum(['guid', 'hex', 'base64'])),
})

export class SecretTools {
  @McpTool({ description: 'Creates a random secret', input: SecretInput })
  generateSecret({ format = 'guid' }: Static<typeof SecretInput>): object {
    const secret =
      format === 'guid' ? randomUUID() : randomBytes(16).toString(format)
    return { secret, timestamp: new Date().toISOString(), type: format }
  }
}

interface Message {
  readonly role: string
  readonly content: string
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: object }
  }[]
}

/** Lets a model call the tools of the same server, in this process. */
async function askOllama(
  server: McpServer,
  url: string,
  question: string,
): Promise<string> {
  const tools = (await server.listTools()).filter(
    ({ name }) => name !== 'tell_ollama',
  )
  const messages: Message[] = [{ role: 'user', content: question }]
  for (let turn = 0; turn < 5; turn++) {
    const body = JSON.stringify({
      model: 'llama3.2',
      messages,
      tools: toOllamaTools(tools),
      stream: false,
    })
    // oxlint-disable-next-line no-await-in-loop
    const response = await fetch(`${url}/api/chat`, { method: 'POST', body })
    // oxlint-disable-next-line no-await-in-loop
    const { message } = (await response.json()) as { readonly message: Message }
    messages.push(message)
    if (message.tool_calls === undefined) return message.content
    for (const { function: call } of message.tool_calls) {
      // oxlint-disable-next-line no-await-in-loop
      const { content } = await server.callTool(call.name, call.arguments)
      messages.push({ role: 'tool', content: JSON.stringify(content) })
    }
  }
  throw new ToolError('The model did not end after five turns.')
}

export const createOllama = async (url = 'http://127.0.0.1:11434') =>
  createHost(
    await gateway({
      controllers: [SecretTools],
      onReady: (server) => {
        server.catalog.addTool({
          name: 'tell_ollama',
          description: 'Lets a model create a secret',
          input: SecretInput,
          handler: async ({ format = 'guid' }: Static<typeof SecretInput>) => ({
            response: await askOllama(
              server,
              url,
              `Create a random secret in the format ${format}.`,
            ),
          }),
        })
      },
    }),
  )
// #endregion
