import type { JsonObject, ListedTool, McpServer } from '@toolwright/core'
import { type AiSdkAgentOptions, type AiSdkServerTool, toAiSdkServerTools } from './agents/to-ai-sdk-tools.js'
import { type AiSdkOptions, type AiSdkTool, toListedAiSdkTools } from './list-formats/tool-list-formats.js'

/**
 * Converts the tools of a server to the parameter `tools` of the Vercel AI SDK (6 and newer). Their calls run in this process, for
 * the caller `principal`, and apply the rules, limits and hooks of the server. The list is not updated: call this function again
 * for each run.
 *
 * @throws BootError for wrong options. ProtocolError when two tools would have the same name.
 */
export function toAiSdkTools<Schema>(
  server: McpServer,
  options: AiSdkAgentOptions<Schema>,
): Promise<Record<string, AiSdkServerTool<Schema>>>
/**
 * Converts a list of tools, also one of another server, to the parameter `tools` of the Vercel AI SDK (5 and newer). The keys of
 * this object are the names of the tools. The SDK passes the tools to the vendor of the model, so names and schemas follow
 * OpenAI's rules, as in {@link toOpenAiTools}.
 */
export function toAiSdkTools<Schema = JsonObject>(
  tools: readonly ListedTool[],
  options?: AiSdkOptions<Schema>,
): Record<string, AiSdkTool<Schema>>
export function toAiSdkTools<Schema>(
  serverOrTools: McpServer | readonly ListedTool[],
  options: AiSdkAgentOptions<Schema> | AiSdkOptions<Schema> = {},
): unknown {
  return isList(serverOrTools)
    ? toListedAiSdkTools(serverOrTools, options as AiSdkOptions<Schema>)
    : toAiSdkServerTools(serverOrTools, options as AiSdkAgentOptions<Schema>)
}

function isList(given: McpServer | readonly ListedTool[]): given is readonly ListedTool[] {
  return Array.isArray(given)
}
