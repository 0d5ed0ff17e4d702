import type { CallToolResult, McpServer } from '@toolwright/core'
import { func, required } from '@toolwright/core/options'
import { openAiAgentsNames } from '../vendor-names.js'
import { listAgentTools } from './agent-tools.js'
import { type ModelPart, toModelParts, toModelText } from './model-parts.js'
import { type AgentToolOptions, readAgentOptions } from './options.js'

export interface OpenAiAgentsOptions<Tool> extends AgentToolOptions {
  /** The function `tool` of the package `@openai/agents`. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly tool: (options: any) => Tool
}

const rows = { tool: required(func<(options: object) => unknown>('function', ': tool of @openai/agents')) }

interface CallDetails {
  readonly toolCall?: { readonly callId?: string }
  readonly signal?: AbortSignal
}

/**
 * Converts the tools of a server to tools of the OpenAI Agents SDK. Their calls run in this process, for the caller `principal`,
 * and apply the rules, limits and hooks of the server. The list is not updated: call this function again for each run.
 *
 * @throws BootError for wrong options. ProtocolError when two tools would have the same name.
 */
export async function toOpenAiAgentsTools<Tool>(
  server: McpServer,
  options: OpenAiAgentsOptions<Tool>,
): Promise<Tool[]> {
  readAgentOptions(rows, options, 'toOpenAiAgentsTools')
  const tools = await listAgentTools(server, options, openAiAgentsNames)
  return tools.map(({ name, description, parameters, isStrict, needsApproval, run }) =>
    options.tool({
      name,
      description,
      parameters,
      strict: isStrict,
      needsApproval,
      execute: async (args: unknown, _context: unknown, details: CallDetails = {}) =>
        toOutput(await run(args, { id: details.toolCall?.callId, signal: details.signal })),
    }),
  )
}

function toOutput(result: CallToolResult): unknown {
  const parts = toModelParts(result)
  return toModelText(parts) ?? parts.map(toPart)
}

function toPart(part: ModelPart): object {
  if (part.type === 'text') return part
  const { type, data, mimeType: mediaType, name: filename } = part
  return type === 'image' ? { type, image: { data, mediaType } } : { type: 'file', file: { data, mediaType, filename } }
}
