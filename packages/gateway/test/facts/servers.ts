import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpPrompt, McpResource, McpTool, result, type Static, Type } from '@toolwright/core'
import { gateway } from '@toolwright/gateway'
import { StreamTool, streams, ToolStream } from '@toolwright/streams'
import type { FastifyInstance } from 'fastify'
import { createHost } from 'toolwright'
import { createAuthorization } from '../../../../docs/snippets/from-gateway/authorization.js'
import { createCalculator } from '../../../../docs/snippets/from-gateway/calculator.js'
import { createClientTest } from '../../../../docs/snippets/from-gateway/client-test.js'
import { createDateTime } from '../../../../docs/snippets/from-gateway/date-time.js'
import { createMetrics } from '../../../../docs/snippets/from-gateway/metrics.js'
import { createNotifications } from '../../../../docs/snippets/from-gateway/notifications.js'
import { createOllama } from '../../../../docs/snippets/from-gateway/ollama.js'
import { createPagination } from '../../../../docs/snippets/from-gateway/pagination.js'
import { createPrompts } from '../../../../docs/snippets/from-gateway/prompts.js'
import { createResources } from '../../../../docs/snippets/from-gateway/resources.js'
import type { ServerName } from './fact.js'
import type { Running } from './wire.js'

const NumbersInput = Type.Object({ number1: Type.Number(), number2: Type.Number() })
const message = { type: 'object', properties: { message: { type: 'string' } } }

class DevTools {
  @McpTool({ description: 'Answers' })
  systemPing(): object {
    return { message: 'Pong', utcTimestamp: new Date().toISOString() }
  }

  @McpTool({ description: 'Returns its arguments', inputSchema: message })
  systemEcho(args: object): object {
    return args
  }

  @McpTool({ description: 'Returns nothing', inputSchema: message })
  systemNotification(): void {}

  @McpTool({ description: 'Adds two numbers', input: NumbersInput })
  addNumbers({ number1, number2 }: Static<typeof NumbersInput>): object {
    return { result: number1 + number2 }
  }

  @McpTool({ description: 'Answers' })
  ping(): object {
    return { message: 'Pong' }
  }

  @McpTool('get_user', { description: 'Returns a user' })
  getUserById(): object {
    return { name: 'Ada' }
  }

  @McpTool({ description: 'Returns its arguments', inputSchema: message })
  echo_message(args: object): object {
    return args
  }
}

class StreamTools {
  @StreamTool({ description: 'Counts the bytes that it gets' })
  async systemBinaryStreamsIn(stream: ToolStream): Promise<object> {
    let bytesReceived = 0
    for await (const chunk of stream.readable) bytesReceived += chunk.length
    return { bytesReceived }
  }

  @StreamTool({ description: 'Sends bytes' })
  async systemBinaryStreamsOut(stream: ToolStream): Promise<object> {
    const writer = stream.writable.getWriter()
    await writer.write(Buffer.from('Hello'))
    await writer.write(Buffer.from(' from here'))
    return { totalBytes: 15 }
  }

  @StreamTool({ description: 'Returns the bytes that it gets' })
  async systemBinaryStreamsDuplex(stream: ToolStream): Promise<void> {
    stream.describe({ method: 'result_echo' })
    await stream.readable.pipeTo(stream.writable)
  }
}

const string = { type: 'string' }
const integer = { type: 'integer' }
const icon = { src: 'https://example.com/icon.png' }
const AnswerOutput = Type.Object({ result: Type.Number(), operation: Type.Optional(Type.String()) })

class FormattedTools {
  @McpTool({ description: 'Is served everywhere' })
  testStandardTool(): void {}

  @McpTool({ description: 'Is served over WebSocket', transports: ['websocket'] })
  testBinaryStreamTool(): void {}

  @McpTool({ description: 'Is served over WebSocket and HTTP', transports: ['websocket', 'http'] })
  testTextStreamTool(): void {}

  @McpTool({
    description: 'Adds two numbers',
    inputSchema: {
      type: 'object',
      properties: { a: { ...integer, description: 'First number' }, b: { ...integer, description: 'Second number' } },
      required: ['a', 'b'],
    },
  })
  addNumbers(): void {}

  @McpTool({ description: 'Greets', inputSchema: { type: 'object', properties: { name: string } } })
  greet(): void {}

  @McpTool({
    description: 'Creates a user',
    inputSchema: {
      type: 'object',
      properties: { name: string, email: string, age: integer },
      required: ['name', 'email'],
    },
  })
  createUser(): void {}

  @McpTool({ description: 'Is simple', inputSchema: { type: 'object', properties: { value: string } } })
  simpleTool(): void {}

  @McpTool('tool1', { description: 'First' })
  first(): void {}

  @McpTool('tool2', { description: 'Second' })
  second(): void {}

  @McpTool('tool3', { description: 'Third' })
  third(): void {}

  @McpTool({ description: 'Needs nothing', inputSchema: { type: 'object', properties: {} } })
  noParams(): void {}

  @McpTool({
    description: 'Is complex',
    inputSchema: {
      type: 'object',
      properties: {
        user: { type: 'object', properties: { name: string, age: integer } },
        tags: { type: 'array', items: string },
      },
      required: ['user'],
    },
  })
  complexTool(): void {}

  @McpTool({ description: 'Has an icon', icons: [{ ...icon, mimeType: 'image/png', sizes: ['48x48', '64x64'] }] })
  withIcon(): void {}

  @McpTool({ description: 'Answers', output: AnswerOutput })
  answer() {
    const content = [{ type: 'text' as const, text: 'Result: 42' }]
    return result({ content, structuredContent: { result: 42, operation: 'test' } })
  }

  @McpTool({ description: 'Answers in lines', output: AnswerOutput })
  lines() {
    const content = ['Line 1', 'Line 2'].map((text) => ({ type: 'text' as const, text }))
    return result({ content, structuredContent: { result: 42 } })
  }

  @McpPrompt('with_icon', { description: 'Has an icon', icons: [icon] })
  prompt(): string {
    return 'Hi'
  }

  @McpResource('icon://test', { description: 'Has an icon', icons: [icon] })
  resource(): string {
    return 'Hi'
  }
}

// The names are those of MCP Gateway's cases. A class cannot have both AddNumbers and add_numbers, which are one tool.
class PascalNames {
  @McpTool({ description: 'Is named after its method' })
  AddNumbers(): void {}

  @McpTool({ description: 'Is named after its method' })
  AddNumbersTool(): void {}

  @McpTool({ description: 'Is named after its method' })
  GetUserById(): void {}

  @McpTool({ description: 'Is named after its method' })
  Ping(): void {}

  @McpTool({ description: 'Is named after its method' })
  HTTPRequest(): void {}
}

class SnakeNames {
  @McpTool({ description: 'Is named after its method' })
  add_numbers(): void {}

  @McpTool({ description: 'Is named after its method' })
  get_user_by_id(): void {}
}

/** A model for the sample with Ollama: it calls the first offered tool, and then returns its result as text. */
export async function startModel(): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { messages, tools } = JSON.parse(Buffer.concat(chunks).toString()) as {
        readonly messages: readonly { readonly role: string; readonly content: string }[]
        readonly tools: readonly { readonly function: { readonly name: string } }[]
      }
      const answered = messages.findLast(({ role }) => role === 'tool')
      const called = { function: { name: tools[0]?.function.name, arguments: { format: 'base64' } } }
      const answer =
        answered === undefined
          ? { role: 'assistant', content: '', tool_calls: [called] }
          : { role: 'assistant', content: `The tool returned ${answered.content}` }
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ message: answer }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const createDev = async () =>
  createHost(
    await gateway(
      { controllers: [DevTools, StreamTools], extensions: [streams({ startByRequest: true })] },
      { health: true },
    ),
  )
/** Has routes that notify sessions, which no other case calls meanwhile. */
const createChanges = async () => {
  const routes = async (app: FastifyInstance): Promise<void> => {
    app.post('/changes/tools', () => app.mcp.changes.toolsChanged() ?? null)
    app.post('/changes/prompts', () => app.mcp.changes.promptsChanged() ?? null)
  }
  return createHost(await gateway({ controllers: [FormattedTools], plugins: [routes] }))
}
const createFormats = async () => createHost(await gateway({ controllers: [FormattedTools] }))
const createNames = async (names: new () => object) => createHost(await gateway({ controllers: [names] }))

export async function startServer(name: ServerName, model: Server): Promise<Running> {
  const creators = {
    authorization: createAuthorization,
    calculator: createCalculator,
    changes: createChanges,
    clientTest: createClientTest,
    dateTime: createDateTime,
    dev: createDev,
    formats: createFormats,
    metrics: createMetrics,
    names: () => createNames(PascalNames),
    notifications: createNotifications,
    snakeNames: () => createNames(SnakeNames),
    ollama: () => createOllama(urlOf(model)),
    pagination: createPagination,
    prompts: createPrompts,
    resources: createResources,
  }
  const app = await creators[name]()
  return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
}
