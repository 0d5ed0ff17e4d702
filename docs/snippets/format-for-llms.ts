// #region openai
import type { FastifyInstance } from 'fastify'
import {
  createHost,
  originalToolName,
  type ToolListFormat,
  toAiSdkTools,
  toOpenAiTools,
  toolListFormats,
} from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

/** A call that the model requests, in OpenAI's format. */
export interface ToolCall {
  readonly function: { readonly name: string; readonly arguments: string }
}

/**
 * @param complete Sends the request to the model, with the library of its
 * vendor.
 */
export async function askModel(
  host: FastifyInstance,
  complete: (request: object) => Promise<ToolCall[]>,
): Promise<string[]> {
  const tools = await host.mcp.listTools()
  const calls = await complete({
    model: 'gpt',
    messages: [],
    tools: toOpenAiTools(tools),
  })

  const answers: string[] = []
  for (const call of calls) {
    const name = originalToolName(call.function.name, tools)
    const { content } = await host.mcp.callTool(
      name,
      JSON.parse(call.function.arguments) as object,
    )
    answers.push(JSON.stringify(content))
  }
  return answers
}
// #endregion

export async function offerToAiSdk(
  host: FastifyInstance,
  jsonSchema: (schema: object) => object,
): Promise<object> {
  // #region ai-sdk
  const tools = toAiSdkTools(await host.mcp.listTools(), {
    jsonSchema,
    execute: (name, args, signal) => host.mcp.callTool(name, args, { signal }),
  })
  // #endregion
  return tools
}

// #region own
const toGeminiTools: ToolListFormat = (tools) => [
  {
    functionDeclarations: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
  },
]

export const createModelHost = () =>
  createHost({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
    listFormats: { ...toolListFormats, gemini: toGeminiTools },
  })
// #endregion
