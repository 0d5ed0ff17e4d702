import type { CallToolResult, JsonObject, McpServer } from '@toolwright/core'
import { func, required } from '@toolwright/core/options'
import { openAiNames } from '../vendor-names.js'
import { type AgentTool, listAgentTools } from './agent-tools.js'
import { type ModelPart, toModelParts, toModelText } from './model-parts.js'
import { type AgentToolOptions, readAgentOptions } from './options.js'

export interface AiSdkAgentOptions<Schema> extends AgentToolOptions {
  /** The function `jsonSchema` of the package `ai`. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly jsonSchema: (schema: any) => Schema
}

/** A part of the model's message, in the format of the AI SDK. */
export type AiSdkPart =
  | { type: 'text'; text: string }
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'file-data'; data: string; mediaType: string; filename: string }

/** The part of a result that the model gets, in the format of the AI SDK. */
export type AiSdkOutput =
  | { type: 'text' | 'error-text'; value: string }
  // oxlint-disable-next-line typescript/no-explicit-any
  | { type: 'json'; value: any }
  | { type: 'content'; value: AiSdkPart[] }

/** A tool of the Vercel AI SDK that runs on the server. The output of the tool is the whole result. */
export interface AiSdkServerTool<Schema> {
  readonly description: string
  readonly inputSchema: Schema
  readonly strict?: boolean
  readonly needsApproval?: boolean
  readonly execute: (
    args: unknown,
    call: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<CallToolResult>
  readonly toModelOutput: (given: { readonly output: CallToolResult }) => AiSdkOutput
}

const rows = {
  jsonSchema: required(func<(schema: JsonObject) => unknown>('function', ': jsonSchema of the package ai')),
}

export async function toAiSdkServerTools<Schema>(
  server: McpServer,
  options: AiSdkAgentOptions<Schema>,
): Promise<Record<string, AiSdkServerTool<Schema>>> {
  readAgentOptions(rows, options, 'toAiSdkTools')
  const tools = await listAgentTools(server, options, openAiNames)
  const entries = tools.map((tool) => [tool.name, toTool(tool, options)] as const)
  // The SDK looks up names that the model wrote, such as `constructor`, which has to be an unknown tool.
  return Object.assign(Object.create(null) as object, Object.fromEntries(entries))
}

function toTool<Schema>(tool: AgentTool, { jsonSchema }: AiSdkAgentOptions<Schema>): AiSdkServerTool<Schema> {
  return {
    description: tool.description,
    inputSchema: jsonSchema(tool.parameters),
    ...(tool.isStrict ? { strict: true } : {}),
    ...(tool.needsApproval ? { needsApproval: true } : {}),
    execute: (args, { toolCallId, abortSignal }) => tool.run(args, { id: toolCallId, signal: abortSignal }),
    toModelOutput: ({ output }) => toModelOutput(output),
  }
}

function toModelOutput(result: CallToolResult): AiSdkOutput {
  // The SDK has no errors with images.
  if (result.isError === true) {
    const content = result.content.filter(({ type }) => type === 'text')
    return { type: 'error-text', value: toModelText(toModelParts({ ...result, content })) ?? '' }
  }
  const parts = toModelParts(result)
  const text = toModelText(parts)
  if (text === null) return { type: 'content', value: parts.map(toPart) }
  const { structuredContent } = result
  return structuredContent === undefined ? { type: 'text', value: text } : { type: 'json', value: structuredContent }
}

function toPart(part: ModelPart): AiSdkPart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { data, mimeType: mediaType, name } = part
  return part.type === 'image'
    ? { type: 'image-data', data, mediaType }
    : { type: 'file-data', data, mediaType, filename: name }
}
