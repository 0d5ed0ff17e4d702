// Compiled with the other tests and never run: all types of exported values can be named in declarations.
import {
  createServer,
  McpCompletion,
  McpController,
  McpPrompt,
  McpResource,
  McpTool,
  type ServerOptions,
  Type,
} from 'toolwright'

const server = await createServer({ name: 'types', version: '1', controllers: [] })
const { catalog, inFlight } = server

export const requests = inFlight
export const { modules } = server.explain()
export const { tools, prompts, resources, resourceTemplates, completions } = catalog
export const [tool] = tools.all

export const toolDecorator = McpTool({ input: Type.Object({ a: Type.String() }) })
export const promptDecorator = McpPrompt({ input: Type.Object({ a: Type.String() }) })
export const resourceDecorator = McpResource('notes://{id}')
export const completionDecorator = McpCompletion({ prompt: 'greet', argument: 'name' })
export const controllerDecorator = McpController()

export function controllersOf({ controllers = [] }: ServerOptions) {
  return { controllers }
}
